// What stands around the decision: the table with sample rows, the questions, comments.

import { at, el, bdi, many, ofRecords, thing } from "./dom.js";
import { sides } from "./names.js";
import * as record from "./record.js";
import { rowsTable } from "./rows.js";

const firstQuestions = 3; // that are shown before all are asked for

// show describes a column.
export function show(view) {
  if (ofRecords) {
    record.show(view);
    comments(view);
    at("column").hidden = false;
    return;
  }
  document.title = `${view.name} · ${view.table_name} · review`;
  at("where").replaceChildren(bdi(view.db_id), " · ", bdi(view.table), ".", bdi(view.column), view.type ? ` · ${view.type}` : "");
  at("column-name").replaceChildren(bdi(view.name), " ", el("span", { class: "of" }, "of ", bdi(view.table_name)));
  at("table-name").replaceChildren("Table ", bdi(view.table_name));
  showAbout(view);
  showRows(view);
  showQuestions(view);
  comments(view);
  at("column").hidden = false;
}

function showAbout(view) {
  const facts = [];
  const fact = (label, text) => { if (text) facts.push(el("span", {}, `${label}: `, bdi(text))); };
  fact("about", view.entity === view.table_name ? "" : view.entity);
  fact("caption", view.caption);
  fact("column", view.description);
  fact("values", view.values);
  at("about").replaceChildren(...facts.flatMap((each, i) => (i ? [" · ", each] : [each])));
  at("about").hidden = facts.length === 0;
}

function showRows(view) {
  const box = at("rows");
  box.replaceChildren(...rowsTable(view, (column) => column.name));
  const mine = box.querySelector("th.this");
  box.scrollLeft = 0;
  if (mine && mine.offsetLeft + mine.offsetWidth > box.clientWidth) box.scrollLeft = mine.offsetLeft - box.clientWidth / 3;
}

function showQuestions(view) {
  const items = (view.questions ?? []).map((question, i) => el("li", { hidden: i >= firstQuestions },
    el("span", {}, question.parts.map((part) => (part.marked ? el("mark", {}, part.text) : part.text))),
    el("code", {}, question.query)));
  at("questions").replaceChildren(...items);
  at("questions-heading").textContent = view.question_total ? `Used by ${many(view.question_total, "question")}` : "No question uses it";
  at("show-sql").hidden = items.length === 0;
  const more = at("more-questions");
  more.hidden = items.length <= firstQuestions;
  more.textContent = items.length < view.question_total ? `Show the first ${items.length}` : `Show all ${items.length}`;
  more.onclick = () => {
    for (const item of items) item.hidden = false;
    more.hidden = true;
    at("show-sql").focus();
  };
}

// comments shows the comments on the column itself.
export function comments(view) {
  at("remarks").replaceChildren(...(view.comments ?? []).map((note) => el("li", {}, bdi(note.text))));
}

// differences tells in words what another tab did between two states of a column.
export function differences(before, after, stateOf) {
  const found = [];
  for (const side of sides) {
    const old = new Map(before[side].map((name) => [name.name, name]));
    for (const name of after[side]) {
      const was = old.get(name.name);
      old.delete(name.name);
      if (!was) found.push(`“${name.name}” is new`);
      else if (was.answer !== name.answer) found.push(`“${name.name}” is ${stateOf(name)}`);
      else if ((was.comments ?? []).length !== (name.comments ?? []).length) found.push(`“${name.name}” has other comments`);
    }
    for (const name of old.keys()) found.push(`“${name}” is gone`);
  }
  if ((before.comments ?? []).length !== (after.comments ?? []).length) found.push(`the ${thing} has other comments`);
  return found;
}
