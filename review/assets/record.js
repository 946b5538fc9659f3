// A record of a build: what was promised, the texts before and after, the tables concerned.

import { at, el, bdi } from "./dom.js";
import { rowsTable } from "./rows.js";

const headings = { before: "before", after: "after", both: "before and after" };

// show describes a record.
export function show(view) {
  const { perturbation, definition, changes, tables, problem } = view.record;
  document.title = `${view.column} · ${perturbation} · review`;
  at("where").replaceChildren(bdi(view.db_id), " · ", bdi(view.column));
  at("column-name").replaceChildren(bdi(perturbation));
  at("definition").textContent = definition || "The build does not say what this perturbation does.";
  at("changes").replaceChildren(...changes.flatMap(change));
  const shown = tables.map((table) => el("section", {},
    el("h3", {}, "Table ", bdi(table.table), el("span", { class: "of" }, ` ${headings[table.when]}`)),
    el("div", { class: "scroll rows", tabindex: "0", role: "region", "aria-label": `Columns and sample rows of ${table.table} ${headings[table.when]}` },
      rowsTable(table, (column) => column.column))));
  if (problem) shown.push(el("p", { class: "quiet" }, `No tables: ${problem}`));
  at("tables").replaceChildren(...shown);
}

// change is a text on both sides, or once where nothing changed.
function change({ what, before, after }) {
  const text = (spans, tag) => el("dd", { class: what === "question" ? null : "code" }, spans.map((span) => (span.changed ? el(tag, {}, span.text) : span.text)));
  if (!before.concat(after).some((span) => span.changed)) return [el("dt", {}, `${what}, before and after`), text(before, "del")];
  return [el("dt", {}, `${what} before`), text(before, "del"), el("dt", {}, `${what} after`), text(after, "ins")];
}
