// Decisions on their way to the server, one after the other: each is made on what the one
// before it left, so a person can be faster than the disk. The version of a column that
// goes with a decision is that of what was shown or saved last here; the server refuses it
// where another tab decided meanwhile.

import * as api from "./api.js";

export class Outbox {
  // onSaved takes the answer, with "found" where it is what the server has instead, and the
  // entry; onRefused the error, the entry and the entries
  // that are given up with it.
  // onChanged is called when other entries wait, or are held.
  constructor(onSaved, onRefused, onChanged) {
    Object.assign(this, { onSaved, onRefused, onChanged });
    this.waiting = [];
    this.busy = false;
    this.held = false; // the server does not know this page: what waits is neither sent nor given up
    this.sent = 0;
    this.versions = new Map(); // by column
    this.last = 0; // number of the decision that undo takes back
  }

  // mark is to be taken before a column is asked for, and given to seen with the answer.
  mark() { return this.sent; }

  // seen takes in that a column is shown. It returns false for one that was overtaken by a
  // decision.
  seen(view, mark) {
    if (view.version < (this.versions.get(view.id) ?? 0)) return false;
    this.versions.set(view.id, view.version);
    if (mark === this.sent && !this.busy) this.last = view.undo;
    return true;
  }

  // decide sends a Request but for its version; undo takes back the last decision that is
  // saved when its turn comes.
  decide(request, extra = {}) { this.push({ request, ...extra }); }
  undo() { this.push({ request: null }); }

  pending(id) { return this.waiting.some((entry) => id === undefined || entry.request?.id === id); }

  pendingName(name) {
    return this.waiting.some(({ request }) => request?.action !== "comment" && request?.side === name.side && request?.name === name.name);
  }

  // unsaved is what waits, as far as it changes what is saved: an undo takes back what
  // waits before it, unless that was sent, and may be saved without an answer.
  unsaved() {
    const left = [];
    for (const entry of this.waiting) {
      if (entry.request === null && left.at(-1)?.request && !left.at(-1).body) left.pop();
      else left.push(entry);
    }
    return left;
  }

  push(entry) {
    this.waiting.push(entry);
    if (!this.busy && !this.held) this.drain();
    this.onChanged();
  }

  // resume sends what is held.
  resume() {
    if (!this.held) return;
    this.held = false;
    this.waiting = this.unsaved();
    this.drain();
  }

  async drain() {
    this.busy = true;
    while (this.waiting.length > 0) {
      const entry = this.waiting[0];
      try {
        const answer = await this.send(entry);
        this.waiting.shift();
        this.took(answer.column, answer.progress.undo);
        this.onSaved(answer, entry);
      } catch (error) {
        if (error.status === 403) {
          this.held = true;
          break;
        }
        // What waits was meant for another state: an undo behind a refused decision
        // would take back the one before it.
        const [, ...dropped] = this.waiting.splice(0);
        if (error.column) this.took(error.column, error.column.undo);
        this.onRefused(error, entry, dropped);
      }
      this.onChanged();
    }
    this.busy = false;
    this.onChanged();
  }

  took(column, last) {
    this.sent++;
    this.versions.set(column.id, column.version);
    this.last = last;
  }

  async send(entry) {
    if (entry.request === null && this.last === 0) throw new Error("There is nothing to undo.");
    entry.body = entry.request ? { ...entry.request, version: this.versions.get(entry.request.id) ?? 0 } : { undo: this.last };
    try {
      return await (entry.request ? api.decide : api.undo)(entry.body);
    } catch (error) {
      // The answer to an earlier try may have been lost on the way, not the request: the
      // page sends again what was not answered, and so do browsers by themselves.
      if (error.status === 409 && holds(error.column, entry.body)) {
        return { column: error.column, progress: await api.progress(), found: true };
      }
      throw error;
    }
  }
}

// holds tells whether a column is as a request wanted it.
export function holds(column, body) {
  if (body.undo) return column.undo < body.undo;
  const find = (text) => column[body.side]?.find((name) => name.name === text);
  switch (body.action) {
    case "add": return find(body.name.trim().replace(/\s+/g, " ").toLowerCase()) !== undefined;
    case "comment": return (body.name ? find(body.name)?.comments : column.comments)?.some((note) => note.text === body.comment.trim()) ?? false;
    default: return body.name === "" ? column[body.side].every((name) => name.answer === body.action) : find(body.name)?.answer === body.action;
  }
}
