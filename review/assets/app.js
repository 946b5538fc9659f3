// The page on which a person decides on names, or on records: keys first, and a button for each of them.

import { at, key, items, quoted, many, say, sentence, thing } from "./dom.js";
import * as api from "./api.js";
import * as drafts from "./drafts.js";
import * as column from "./column.js";
import { Names, titles, sides, stateOf } from "./names.js";
import { List } from "./list.js";
import { Outbox } from "./outbox.js";
import { setting, toggles } from "./settings.js";
import { Unsaved, listed } from "./unsaved.js";

let view = null; // the column that is shown
let asked = 0; // columns asked for
let leading = false; // on to the next open record once all is saved

const names = new Names({ decide, comment: commentOnName });
const list = new List((id) => show(id), keepAddress);
const outbox = new Outbox(saved, refused, () => unsaved.tell());
const unsaved = new Unsaved(outbox, () => names.focus(names.current));

// keepAddress keeps in the address what is shown, for a reload; the token, which the
// cookie has by now, is not to be left there.
function keepAddress() {
  const query = new URLSearchParams(list.filters());
  if (view) query.set("column", view.id);
  history.replaceState(null, "", `/#${query}`);
}

// show shows a column and leads to its first undecided name.
async function show(id) {
  const mine = ++asked;
  const mark = outbox.mark();
  list.mark(id); // from where the next key steps on, be it before the column is here
  let next = null;
  try {
    next = await api.column(id, () => mine === asked);
  } catch (error) {
    say(error.message, "bad");
    if (view && mine === asked) list.mark(view.id);
    return;
  }
  if (!next || mine !== asked) return;
  if (!outbox.seen(next, mark) || outbox.pending(id)) return show(id); // it was decided on while it was on its way
  place(next);
}

// place shows a column that has come.
function place(next) {
  view = next;
  say("");
  column.show(view);
  names.show(view);
  showAlike();
  for (const form of ownForms()) drafts.bind(form.field, `${view.id} own ${form.side}`);
  drafts.bind(at("remark"), `${view.id} column`);
  list.mark(view.id);
  keepAddress();
  at("decision").scrollTop = 0;
  if (names.current) names.focus(names.current);
  else at("decision").focus({ preventScroll: true });
  openList(false);
}

// refresh shows what was decided on the same column.
function refresh(next) {
  view = next;
  names.update(view);
  column.comments(view);
  showAlike();
  list.update(view);
}

// showAlike offers to decide on the records alike together.
function showAlike() {
  const n = view.alike.length;
  at("all-alike").hidden = n === 0;
  at("all-alike").replaceChildren(`All hold, here and in ${many(n, "open record")} of the same texts `, key("B"));
}

function progress(p) {
  at("bar").max = Math.max(1, p.names);
  at("bar").value = p.decided;
  const own = p.added ? ` · ${p.added} added` : "";
  at("counts").textContent = `${p.annotator}: ${p.decided.toLocaleString("en")} of ${many(p.names, ...items)} · ` +
    `${p.done.toLocaleString("en")} of ${many(p.columns, thing)}${own}`;
  at("counts").title = `${p.accepted} accepted, ${p.rejected} rejected, ${p.moved} moved, ${p.added} added`;
}

// decide answers the question on a name, and goes on to the next.
function decide(card, action) {
  if (!view || !card?.buttons[action]) return;
  names.mark(card);
  if (card.name.answer === action && !card.waiting) {
    say(`${quoted(card.name.name)} is ${stateOf(card.name)} already`);
    names.nextOpen();
    return;
  }
  card.wait(action);
  const name = card.name;
  if (!names.nextOpen()) names.focus(card);
  outbox.decide({ id: view.id, action, side: name.side, name: name.name }, { where: where() });
}

// decideAll accepts all criteria of the record that is shown, and of those alike, and goes on.
function decideAll(alike) {
  if (!view?.record) return;
  leading = true;
  for (const each of alike) outbox.seen(each, -1); // the versions that the decisions are made on
  for (const { id } of [view, ...alike]) outbox.decide({ id, action: "accept", side: "criterion", name: "" }, { where: where() });
}

// where is the column that is shown, for a list of decisions.
function where() { return `${view.db_id} · ${view.table}.${view.column}`; }

function commentOnName(card, field, draft) {
  const text = field.value;
  if (text.trim() === "") {
    closeComment(card);
    return;
  }
  outbox.decide({ id: view.id, action: "comment", side: card.name.side, name: card.name.name, comment: text }, { field, draft, text, where: where() });
}

function closeComment(card) {
  card.form.hidden = true;
  names.focus(card);
}

// write sends what is typed in a field: a comment on the column or a name of one's own.
function write(field, request) {
  const text = field.value;
  if (!view || text.trim() === "") return;
  outbox.decide({ id: view.id, ...request(text) }, { field, draft: field.dataset.draft, text, where: where() });
}

// saved takes in that a decision is on disk.
function saved(answer, entry) {
  progress(answer.progress);
  list.update(answer.column);
  if (entry.field) drafts.settle(entry.field, entry.draft, entry.text);
  if (!entry.request) {
    leading = false;
    undone(answer);
    return;
  }
  if (answer.column.id === view?.id) {
    const { side, name } = entry.request;
    const card = names.find(side, name);
    if (card) settleCard(card, entry);
    refresh(answer.column);
  }
  say(`${told(entry.request)} ${left(answer.column)}`, "good");
  if (leading && !outbox.pending()) {
    leading = false;
    nextOpen();
  }
}

function settleCard(card, entry) {
  if (!outbox.pendingName(card.name)) card.waiting = false; // what is shown next is saved
  if (entry.request.action !== "comment" || card.field.value !== "") return;
  const typing = card.form.contains(document.activeElement);
  card.form.hidden = true;
  if (typing) names.focus(card);
}

// told is a decision in words.
function told(request) {
  switch (request.action) {
    case "add": return `Added ${quoted(request.name.trim())} to ${titles[request.side]}.`;
    case "comment": return "Comment saved.";
    case "accept": if (request.name === "") return "All criteria hold."; // falls through
    default: return `${quoted(request.name)} ${stateOf({ answer: request.action, side: request.side })}.`;
  }
}

function left(next) {
  return next.open ? `${next.open} open.` : `All ${items[1]} of this ${thing} are decided: space leads on.`;
}

async function undone(answer) {
  if (answer.found) { // its column is that of the decision before, which need not be the one that is shown
    await show(view.id);
    say("Undone.", "good");
    return;
  }
  if (answer.column.id !== view?.id) {
    asked++; // no column that is on its way is wanted any more
    place(answer.column);
    if (list.place(view.id) < 0) await list.load({ at: view.id });
    say(`Undone, on the ${thing} “${view.name}”. ${left(view)}`, "good");
    return;
  }
  const changed = changes(answer.column);
  refresh(answer.column);
  const card = names.cards.find((each) => changed.has(each));
  if (card) names.focus(card);
  say(`Undone. ${left(view)}`, "good");
}

// changes returns the cards whose names are otherwise in another state of the column.
function changes(next) {
  return new Set(names.cards.filter((card) => {
    const now = next[card.name.side].find((name) => name.name === card.name.name);
    return now && (now.answer !== card.name.answer || now.comments?.length !== card.name.comments?.length);
  }));
}

// refused says why a decision was not taken. What was typed stays where it is.
function refused(error, entry, dropped) {
  leading = false;
  for (const card of names.cards) card.settled();
  const lost = dropped.length ? ` What was decided meanwhile is not saved either: ${dropped.map(listed).join("; ")}.` : "";
  if (error.status === 409 && error.column) {
    meanwhile(error.column, entry, lost);
    return;
  }
  say(`${error.status ? "Not saved: " : ""}${sentence(error.message)}${lost}`, "bad");
}

// meanwhile shows a column as another tab left it.
async function meanwhile(next, entry, lost) {
  const what = entry.request ? "Not saved: another tab changed" : "Nothing is undone: another tab decided last, on";
  if (next.id === view?.id) {
    const found = column.differences(view, next, stateOf);
    refresh(next);
    names.focus(entry.request && names.find(entry.request.side, entry.request.name) || names.current);
    say(`${what} this ${thing}. ${found.length ? "Now " + found.join(", ") + "." : ""}${lost}`, "bad");
  } else {
    if (!entry.request) place(next);
    say(`${what} the ${thing} “${next.name}”.${lost}`, "bad");
  }
  await count();
}

// look shows what other tabs did while this one was not looked at.
async function look() {
  if (outbox.held && document.visibilityState === "visible") outbox.resume();
  if (!view || outbox.busy || document.visibilityState !== "visible") return;
  const mark = outbox.mark();
  const id = view.id;
  try {
    const next = await api.column(id, () => view.id === id);
    if (!next || view.id !== id || outbox.mark() !== mark || outbox.busy || !outbox.seen(next, mark)) return;
    if (next.version !== view.version) {
      say(`Changed in another tab: ${column.differences(view, next, stateOf).join(", ")}.`);
      refresh(next);
    }
  } catch (error) {
    say(error.message, "bad");
    return;
  }
  await count();
}

async function count() {
  try { progress(await api.progress()); } catch (error) { say(error.message, "bad"); }
}

async function step(by) {
  const id = await list.step(by);
  if (id === null) return; // why is said
  if (id < 0) say(`This is the ${by > 0 ? "last" : "first"} ${thing} of the list.`);
  else await show(id);
}

// nextOpen goes to the next undecided name, in this column or the ones after it.
async function nextOpen() {
  if (names.nextOpen()) return;
  const id = await list.nextOpen();
  if (id === null) return; // why is said, and whether all is decided is not known
  if (id < 0 || id === view?.id && view.open === 0) say(`Every ${items[0]} of these ${thing}s is decided.`, "good");
  else if (id !== view?.id) await show(id);
}

function openList(open) {
  at("columns").dataset.open = String(open);
  at("show-list").setAttribute("aria-expanded", String(open));
}

function filterOpen() {
  at("open").checked = !at("open").checked;
  list.filter();
  say(at("open").checked ? `Only ${thing}s with open ${items[1]}.` : `All ${thing}s.`);
}

function ownName() {
  at(`own-${names.current?.name.side ?? "replace"}`)?.focus(); // a record has none
}

// ownForms are where names of one's own are typed, by bucket.
function ownForms() {
  return sides.flatMap((side) => {
    const field = at(`own-${side}`);
    return field ? [{ side, field, form: field.form }] : [];
  });
}

const toggle = toggles();

// keys are what single keys do. Those in repeats may be held down: to decide, a key is
// pressed for each name.
const keys = {
  a: () => decide(names.current, "accept"), r: () => decide(names.current, "reject"), m: () => decide(names.current, "move"),
  A: () => decideAll([]), B: () => { if (view?.alike.length) decideAll(view.alike); },
  c: () => names.current?.comment(), C: () => at("remark").focus(), n: ownName, u: () => outbox.undo(),
  j: () => names.step(1), ArrowDown: () => names.step(1), k: () => names.step(-1), ArrowUp: () => names.step(-1),
  J: () => step(1), PageDown: () => step(1), K: () => step(-1), PageUp: () => step(-1), " ": nextOpen,
  "/": () => { openList(true); at("text").select(); }, o: filterOpen, s: toggle.sql, g: toggle.guide, "?": () => at("help").showModal(),
};
const repeats = ["j", "k", "ArrowDown", "ArrowUp"];
const scrolls = ["ArrowDown", "ArrowUp", "PageDown", "PageUp", " "]; // what scrolls and has the focus

function pressed(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || at("help").open) return;
  const types = target.matches("textarea, select, input:not([type=checkbox])");
  if (types) {
    typed(event, target);
    return;
  }
  if (!setting("shortcuts") || !Object.hasOwn(keys, event.key) || event.repeat && !repeats.includes(event.key)) return;
  if (scrolls.includes(event.key) && target.matches("#guide, .scroll")) return;
  if (event.key === " " && target.matches("button, summary, input")) return; // they are pressed with it
  event.preventDefault();
  keys[event.key]();
}

// typed is what keys do in a text field: Escape leaves it, Enter saves a comment or opens
// the first column that the filter keeps.
function typed(event, field) {
  if (event.key === "Escape") {
    event.preventDefault();
    const card = names.cards.find((each) => each.form.contains(field));
    if (card && field.value === "") card.form.hidden = true;
    if (names.current) names.focus(card ?? names.current);
    else at("decision").focus();
  } else if (event.key === "Enter" && !event.shiftKey && field.matches("textarea")) {
    event.preventDefault();
    field.form.requestSubmit();
  } else if (event.key === "Enter" && field === at("text")) {
    event.preventDefault();
    list.first();
  }
}

function listen() {
  document.addEventListener("keydown", pressed);
  at("undo").addEventListener("click", () => outbox.undo());
  at("all-right").addEventListener("click", keys.A);
  at("all-alike").addEventListener("click", keys.B);
  at("on").addEventListener("click", () => step(1));
  at("back").addEventListener("click", () => step(-1));
  at("next-open").addEventListener("click", nextOpen);
  at("show-help").addEventListener("click", () => at("help").showModal());
  at("show-list").addEventListener("click", () => openList(at("columns").dataset.open !== "true"));
  at("retry").addEventListener("click", () => { api.retry(); outbox.resume(); if (!outbox.busy) look(); });
  at("remark-form").addEventListener("submit", (event) => {
    event.preventDefault();
    write(at("remark"), (comment) => ({ action: "comment", comment }));
  });
  for (const { form, side, field } of ownForms()) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      write(field, (name) => ({ action: "add", side, name }));
    });
  }
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    names.focus(names.current);
  });
  document.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
  window.addEventListener("beforeunload", (event) => { if (outbox.pending()) event.preventDefault(); });
  api.onLost((way) => unsaved.tell(way));
}

async function start() {
  listen();
  const query = new URLSearchParams(location.hash.slice(1));
  list.restore(query);
  const id = Number(query.get("column") ?? -1);
  const page = await list.load(query.has("column") && Number.isInteger(id) && id >= 0 ? { at: id } : {});
  if (!page) return;
  await count();
  unsaved.offer();
  const first = page.at >= 0 ? id : page.next_open >= 0 ? page.next_open : page.items[0]?.id;
  if (first === undefined) {
    at("column-name").textContent = `No ${thing} fits the filter`;
    return;
  }
  list.current = first;
  if (list.place(first) < 0) await list.load({ at: first });
  await show(first);
}

start();
