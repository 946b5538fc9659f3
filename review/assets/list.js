// The list of columns, a page at a time. It does not change under the hand: columns stay
// in it until the filters, or the page, are others.

import { at, el, bdi, many, say, thing } from "./dom.js";
import * as api from "./api.js";

export class List {
  // open is called with the number of a column that is chosen; changed when the filters
  // are others.
  constructor(open, changed) {
    Object.assign(this, { open, changed });
    this.page = null; // the List that is shown
    this.current = -1;
    this.asked = 0;
    this.db = "";
    this.later = 0; // the timer of a filter that is being typed
    at("text").addEventListener("input", () => this.soon(() => this.filter()));
    at("order").addEventListener("change", () => this.filter(this.current));
    at("open").addEventListener("change", () => this.filter());
    at("db").addEventListener("input", () => this.soon(() => this.choose()));
    at("filters").addEventListener("submit", (event) => event.preventDefault());
    at("page-back").addEventListener("click", () => this.load({ page: this.page.page - 1 }));
    at("page-on").addEventListener("click", () => this.load({ page: this.page.page + 1 }));
  }

  // filters is what the list is limited to, as the query has it.
  filters() {
    const query = { order: at("order").value };
    if (this.db) query.db = this.db;
    if (at("text").value.trim()) query.text = at("text").value.trim();
    if (at("open").checked) query.open = "true";
    return query;
  }

  restore(query) {
    at("order").value = query.get("order") === "doubt" ? "doubt" : "database";
    at("text").value = query.get("text") ?? "";
    at("open").checked = query.get("open") === "true";
    this.db = at("db").value = query.get("db") ?? "";
  }

  // filter shows the first page with other filters, or the one that a column is on.
  async filter(id = -1) {
    this.changed();
    await this.load(id >= 0 ? { at: id } : {});
  }

  // soon acts when nothing more is typed.
  soon(act) {
    clearTimeout(this.later);
    this.later = setTimeout(act, 150);
  }

  // first opens the first column that the filters keep, as they are by now.
  async first() {
    clearTimeout(this.later);
    this.changed();
    const page = await this.load({});
    if (page?.items.length) this.open(page.items[0].id);
  }

  // load shows a page: { page } or { at }. It returns null where another was asked for
  // meanwhile.
  async load(where) {
    const page = await this.fetch(where);
    if (page) this.show(page);
    return page;
  }

  async fetch(where) {
    const mine = ++this.asked;
    const wanted = () => mine === this.asked;
    try {
      const page = await api.list({ ...this.filters(), ...where }, wanted);
      return page && wanted() ? page : null;
    } catch (error) {
      say(error.message, "bad");
      return null;
    }
  }

  show(page) {
    this.page = page;
    at("list").replaceChildren(...page.items.map((item) => this.item(item)));
    at("list").scrollTop = 0;
    at("found").textContent = page.total ? many(page.total, thing) : `No ${thing} fits the filter.`;
    at("page").textContent = page.pages > 1 ? `${page.page + 1} of ${page.pages}` : "";
    at("page-back").disabled = page.page === 0;
    at("page-on").disabled = page.page >= page.pages - 1;
    this.mark(this.current);
  }

  item(item) {
    const count = el("span", { class: "count" });
    const button = el("button", { type: "button", "data-id": item.id, onclick: () => this.open(item.id) },
      el("b", {}, bdi(item.column)), count, el("span", { class: "quiet" }, bdi(item.table), " · ", bdi(item.db_id)));
    const node = el("li", {}, button);
    this.count(node, item);
    return node;
  }

  count(node, item) {
    const count = node.querySelector(".count");
    count.textContent = item.decided === item.names ? `✓ ${item.names}` : `${item.decided}/${item.names}`;
    count.setAttribute("aria-label", item.decided === item.names ? `all ${item.names} decided` : `${item.decided} of ${item.names} decided`);
    count.dataset.done = String(item.decided === item.names);
  }

  // place is where a column stands on the page, -1 where it is not there.
  place(id) { return this.page?.items.findIndex((item) => item.id === id) ?? -1; }

  // mark tells which column is shown.
  mark(id) {
    this.current = id;
    for (const button of at("list").querySelectorAll("button")) {
      if (Number(button.dataset.id) !== id) button.removeAttribute("aria-current");
      else {
        button.setAttribute("aria-current", "true");
        button.scrollIntoView({ block: "nearest" });
      }
    }
  }

  // update takes in how much of a column is decided.
  update(view) {
    const place = this.place(view.id);
    if (place < 0) return;
    const item = this.page.items[place];
    item.decided = item.names - view.open;
    this.count(at("list").children[place], item);
  }

  // step returns the next or the previous column of the list, and shows its page; -1 where
  // there is none, null where that could not be found out.
  async step(by) {
    const place = this.place(this.current);
    if (!this.page) return null;
    if (place < 0) return this.page.items.at(by > 0 ? 0 : -1)?.id ?? -1; // other pages, or filters, are looked at
    const near = this.page.items[place + by];
    if (near) return near.id;
    if (by > 0 && at("open").checked) return this.nextOpen(); // pages have moved up as columns were done
    const to = this.page.page + by;
    if (to < 0 || to >= this.page.pages) return -1;
    const page = await this.load({ page: to });
    return page && (page.items.at(by > 0 ? 0 : -1)?.id ?? -1);
  }

  // nextOpen returns the next column with undecided names, and shows its page; -1 where
  // there is none, null where that could not be found out.
  async nextOpen() {
    const page = await this.fetch(this.current >= 0 ? { at: this.current } : {});
    if (!page || page.next_open < 0) return page && -1;
    if (this.place(page.next_open) < 0) await this.load({ at: page.next_open });
    return page.next_open;
  }

  // choose offers databases, and takes one whose name is typed in full.
  async choose() {
    const typed = at("db").value.trim();
    let found = [];
    try { found = (await api.databases(typed)).databases; } catch (error) { say(error.message, "bad"); }
    if (typed !== at("db").value.trim()) return;
    at("databases").replaceChildren(...found.map((db) => el("option", { value: db.db_id, label: `${db.done} of ${db.columns} done` })));
    const db = found.some((each) => each.db_id === typed) ? typed : "";
    at("db").setAttribute("aria-invalid", String(typed !== "" && db === ""));
    if (db !== this.db) {
      this.db = db;
      this.filter();
    }
  }
}
