// The names to decide on: a card for each, in the bucket in which it came.

import { at, el, bdi, key, many } from "./dom.js";
import * as drafts from "./drafts.js";

// The lists of what is decided on; those of a page that has them not are empty.
export const titles = { replace: "Replace", add: "Add", criterion: "Criteria" };
export const sides = Object.keys(titles);
export const other = { replace: "add", add: "replace" };

// stateOf is an answer in words.
export function stateOf(name) {
  if (name.side === "criterion") return { accept: "holds", reject: "fails" }[name.answer] ?? "open";
  switch (name.answer) {
    case "accept": return "accepted";
    case "reject": return "rejected";
    case "move": return `moved to ${titles[other[name.side]]}`;
    default: return "open";
  }
}

const symbols = { accept: "✓", reject: "✗", move: "⇄", "": "○" };

const keyOf = (name) => `${name.side}\n${name.name}`;

class Card {
  constructor(name, column, actions) {
    this.name = name;
    this.draft = `${column} name ${keyOf(name)}`;
    this.state = el("span", { class: "state" });
    this.notes = el("ul", { class: "notes" });
    const button = (action, label, letter, more = "") => el("button", {
      type: "button", "data-action": action, "aria-keyshortcuts": letter,
      onclick: () => (action === "comment" ? this.comment() : actions.decide(this, action)),
    }, label, el("span", { class: "unseen" }, `${more}: ${name.name}`), " ", key(letter));
    this.buttons = name.side === "criterion" ? { accept: button("accept", "Yes", "a"), reject: button("reject", "No", "r") } : {
      accept: button("accept", "Accept", "a"), reject: button("reject", "Reject", "r"),
      move: button("move", "Move", "m", ` to ${titles[other[name.side]]}`),
    };
    this.field = el("textarea", { rows: "2", maxlength: "2000", "aria-label": `Comment on ${name.name}` });
    this.form = el("form", { class: "comment", hidden: true, onsubmit: (event) => {
      event.preventDefault();
      actions.comment(this, this.field, this.draft);
    } }, this.field, el("button", {}, "Save comment"));
    this.box = el("div", { class: "card", role: "group", tabindex: "-1", onfocusin: () => actions.current(this) },
      el("div", { class: "title" }, el("b", {}, bdi(name.name)), this.state),
      facts(name),
      el("div", { class: "buttons" }, Object.values(this.buttons), button("comment", "Comment", "c")),
      this.notes, this.form);
    this.node = el("li", {}, this.box);
    if (drafts.bind(this.field, this.draft)) this.form.hidden = false;
    this.update(name);
  }

  // update shows what was decided.
  update(name) {
    this.name = name;
    if (this.waiting) return;
    this.box.dataset.answer = name.answer;
    this.box.setAttribute("aria-label", `${name.name}, ${titles[name.side]}, ${stateOf(name)}`);
    this.state.replaceChildren(el("span", { "aria-hidden": "true" }, symbols[name.answer] + " "), stateOf(name));
    for (const [action, button] of Object.entries(this.buttons)) button.setAttribute("aria-pressed", String(name.answer === action));
    this.notes.replaceChildren(...(name.comments ?? []).map((note) => el("li", {}, bdi(note.text))));
  }

  // wait shows a decision that is not saved yet; settled, what stands.
  wait(action) {
    this.waiting = true;
    this.box.dataset.answer = "";
    this.state.textContent = `… not saved yet: ${stateOf({ ...this.name, answer: action })}`;
  }

  settled() {
    this.waiting = false;
    this.update(this.name);
  }

  // comment opens the field for a comment.
  comment() {
    this.form.hidden = false;
    this.field.focus();
  }
}

// facts is where a name comes from and what the models made of it.
function facts(name) {
  if (name.side === "criterion") return el("div", { class: "facts" }, el("p", {}, name.evidence));
  const score = (label, value) => el("span", { class: "score" }, `${label} `, el("b", {}, value.toFixed(2)));
  const parts = [el("span", { class: "source" }, name.own ? "your own" : name.source)];
  if (name.validity > 0) parts.push(score("validity", name.validity));
  if (name.scored) {
    parts.push(score("similarity", name.similarity), score("forward", name.forward), score("backward", name.backward));
    if (name.doubt !== null) parts.push(el("span", { class: name.doubt < 0.1 ? "score close" : "score" }, `${name.doubt.toFixed(2)} from the threshold`));
  }
  const more = [];
  if (name.evidence) more.push(el("p", { class: "evidence" }, "from ", bdi(name.evidence)));
  const cells = name.cells ?? [];
  if (cells.length > 0) {
    more.push(el("p", { class: "evidence" }, "cells ", cells.flatMap((cell, i) => [i ? ", " : "", bdi(cell)])));
  }
  return el("div", { class: "facts" }, el("p", {}, parts), more);
}

export class Names {
  // actions are decide(card, action) and comment(card, field, draft).
  constructor(actions) {
    this.actions = { ...actions, current: (card) => this.mark(card) };
    this.cards = [];
    this.current = null;
  }

  // show makes the cards of a column anew.
  show(view) {
    this.cards = [];
    this.current = null;
    for (const side of sides) this.list(side).replaceChildren();
    this.update(view);
    this.mark(this.cards.find((card) => card.name.answer === "") ?? this.cards[0] ?? null);
  }

  // update shows what was decided on the column, and names that came or went. What is
  // being typed, and where the focus is, stays.
  update(view) {
    const known = new Map(this.cards.map((card) => [keyOf(card.name), card]));
    this.cards = [];
    for (const side of sides) {
      for (const name of view[side]) {
        const card = known.get(keyOf(name)) ?? new Card(name, view.id, this.actions);
        known.delete(keyOf(name));
        card.update(name);
        if (!card.node.isConnected) this.list(side).append(card.node);
        this.cards.push(card);
      }
      const open = view[side].filter((name) => name.answer === "" && !name.own).length;
      at(`${side}-heading`).textContent = side === "criterion" ? titles[side] : `${titles[side]}: ${many(view[side].length, "name")}${open ? `, ${open} open` : ""}`;
    }
    const focused = document.activeElement;
    for (const gone of known.values()) {
      const had = gone.node.contains(focused);
      gone.node.remove();
      if (gone === this.current) this.mark(this.cards[0] ?? null);
      if (had) this.focus(this.current);
    }
  }

  list(side) { return document.querySelector(`.side[data-side="${side}"] .names`); }

  find(side, name) { return this.cards.find((card) => card.name.side === side && card.name.name === name); }

  // mark makes a card the one that keys act on, and the one that tab leads to.
  mark(card) {
    for (const old of this.cards) {
      old.box.tabIndex = -1;
      old.box.removeAttribute("aria-current");
    }
    this.current = card;
    if (!card) return;
    card.box.tabIndex = 0;
    card.box.setAttribute("aria-current", "true");
  }

  focus(card) {
    if (!card) return;
    card.box.focus({ preventScroll: true });
    card.box.scrollIntoView({ block: "nearest" });
  }

  // step goes to the next or the previous card.
  step(by) {
    const place = this.cards.indexOf(this.current) + by;
    if (place >= 0 && place < this.cards.length) this.focus(this.cards[place]);
  }

  // nextOpen goes to the next undecided name, the first after the last. It returns false
  // where there is none.
  nextOpen() {
    const from = this.cards.indexOf(this.current) + 1;
    const card = [...this.cards.slice(from), ...this.cards.slice(0, from)].find((each) => each.name.answer === "" && !each.waiting);
    this.focus(card);
    return card !== undefined;
  }
}
