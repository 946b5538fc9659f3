// What is told of decisions that the server has not taken: that they wait, so that nobody
// believes them saved, and which they are, so that they can be entered again.

import { at, el, bdi, many, quoted, say, sentence } from "./dom.js";
import * as api from "./api.js";
import * as kept from "./kept.js";
import { titles, stateOf } from "./names.js";
import { holds } from "./outbox.js";

// listed is an entry of the outbox in words.
export function listed({ request, where }) {
  if (!request) return "undo of the last decision";
  const { action, side, name, comment } = request;
  const what = { add: "added", comment: `comment ${quoted(comment)}` }[action] ?? stateOf({ answer: action, side });
  return `${where}: ${name ? `${quoted(name.trim())}, ${titles[side]}: ` : ""}${what}`;
}

function enumerate(box, entries) {
  box.hidden = entries.length === 0;
  box.replaceChildren(...entries.map((entry) => el("li", {}, bdi(listed(entry)))));
}

export class Unsaved {
  // done is called when what an earlier page left is dealt with.
  constructor(outbox, done) {
    Object.assign(this, { outbox, done });
    this.way = ""; // to the server, as api.onLost tells
  }

  // tell shows what is not saved where the server cannot be reached, or is another by now,
  // and has the browser keep it. The words change only as the state does: they are read out.
  tell(way = this.way) {
    this.way = way;
    const state = this.outbox.held ? "stranger" : way;
    const unsaved = state ? this.outbox.unsaved() : [];
    const decisions = [];
    for (const { request, where } of unsaved) {
      if (request) decisions.push({ request, where });
      else decisions.pop();
    }
    kept.keep(api.review(), decisions);
    const n = unsaved.length;
    const not = n ? ` ${n === 1 ? "This is" : `These ${n} are`} not saved:` : "";
    const words = {
      away: `The server cannot be reached; trying again.${not}`,
      stranger: "The server was started anew: open the address that it printed." +
        (n ? ` At port ${location.port} that offers what waits here; at another, enter it there by hand.${not}` : ""),
    }[state] ?? "";
    at("lost").hidden = state === "";
    if (at("lost-text").textContent !== words) at("lost-text").textContent = words;
    enumerate(at("unsaved"), unsaved);
  }

  // offer shows what an earlier page of this review could not save.
  offer() {
    const { decisions, keys } = kept.others(api.review());
    at("offer").hidden = decisions.length === 0;
    at("offer-text").textContent = `An earlier page could not save ${many(decisions.length, "decision")}:`;
    enumerate(at("offered"), decisions);
    at("offer-save").onclick = () => this.deliver(decisions, keys);
    at("offer-forget").onclick = () => this.settle(keys);
  }

  settle(keys) {
    kept.forget(keys);
    at("offer").hidden = true;
    this.done();
  }

  // deliver decides what an earlier page could not save, on the columns as they are now.
  // What stands already is not decided again.
  async deliver(decisions, keys) {
    at("offer-save").onclick = null; // once is enough
    const mark = this.outbox.mark();
    const columns = new Map();
    try {
      for (const { request } of decisions) {
        if (columns.has(request.id)) continue;
        const now = await api.column(request.id);
        this.outbox.seen(now, mark);
        columns.set(request.id, now);
      }
    } catch (error) {
      say(`Not saved: ${sentence(error.message)}`, "bad");
      this.offer();
      return;
    }
    for (const { request, where } of decisions) {
      const { id, action, side, name, comment } = request;
      if (!holds(columns.get(id), request)) this.outbox.decide({ id, action, side, name, comment }, { where });
    }
    this.settle(keys);
  }
}
