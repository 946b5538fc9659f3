// A table with its first rows: of a column's page, and of a record's before and after.

import { el, bdi } from "./dom.js";

// rowsTable makes the nodes of { columns, rows, rows_problem }; title names a column.
export function rowsTable(view, title) {
  const head = view.columns.map((column) => el("th", { scope: "col", class: column.this ? "this" : null, title: column.column },
    bdi(title(column)), column.key ? el("span", { class: "key" }, "key") : null));
  const body = view.rows.map((row) => el("tr", {}, row.map((cell, i) => el("td", { class: view.columns[i].this ? "this" : null },
    cell === null ? el("i", { class: "null" }, "NULL") : bdi(cell)))));
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  if (view.rows.length) return [table];
  return [table, el("p", { class: "quiet" }, `No sample rows: ${view.rows_problem || "there are none"}`)];
}
