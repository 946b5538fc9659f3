// The server's routes. Where it cannot be reached a request waits and is sent again, for
// as long as it takes: what a person decided is not theirs to repeat.

// Refused is an answer with a status of 400 and more.
export class Refused extends Error {
  constructor(status, failure) {
    super(failure.error || `the server answered with status ${status}`);
    this.status = status;
    this.column = failure.column; // with 409: the column as it is now
  }
}

const delays = [300, 700, 1500, 3000, 5000]; // milliseconds; the last one again and again
const patience = 15000; // milliseconds until an answer counts as lost

let lost = () => {};
let wake = () => {};
let stranger = false; // the last answer was that the server does not know this page
const unanswered = new Set();

const keyHeader = "Tabperturb-Review";
let key = ""; // which review the page is of; the server refuses it where it is of another

// review tells reviews apart: of annotators and of names to decide on. Empty before the
// first answer.
export const review = () => key;

// onLost names who is told "away" where the server cannot be reached, "stranger" where it
// does not know this page, as one that was started anew, and "" where all is well.
export function onLost(tell) { lost = tell; }

const tell = () => lost(stranger ? "stranger" : unanswered.size > 0 ? "away" : "");

// retry sends what waits at once.
export function retry() { wake(); }

function pause(milliseconds) {
  return new Promise((resolve) => {
    const before = wake;
    const done = () => { clearTimeout(timer); resolve(); };
    const timer = setTimeout(done, milliseconds);
    wake = () => { before(); done(); wake = () => {}; };
  });
}

async function once(path, body) {
  const options = { signal: AbortSignal.timeout(patience), cache: "no-store" };
  options.headers = key ? { [keyHeader]: key } : {};
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const text = await response.text();
  stranger = response.status === 403;
  if (!stranger) key ||= response.headers.get(keyHeader) ?? "";
  if (response.ok) return JSON.parse(text);
  let failure = {};
  try { failure = JSON.parse(text); } catch { /* not of this server: its status says enough */ }
  throw new Refused(response.status, failure);
}

// ask sends a request and returns the answer. wanted is asked before each further try,
// so that nobody waits for a column that was left: the answer is null then.
async function ask(path, body, wanted = () => true) {
  const me = {};
  try {
    for (let tries = 0; ; tries++) {
      try {
        return await once(path, body);
      } catch (error) {
        if (error instanceof Refused) throw error;
        unanswered.add(me);
        tell();
        await pause(delays[Math.min(tries, delays.length - 1)]);
        if (!wanted()) return null;
      }
    }
  } finally {
    unanswered.delete(me);
    tell();
  }
}

const get = (path, query, wanted) => ask(`/api/${path}?${new URLSearchParams(query)}`, undefined, wanted);

export const list = (query, wanted) => get("list", query, wanted);
export const databases = (text) => get("databases", { text });
export const column = (id, wanted) => get("column", { id }, wanted);
export const progress = () => get("progress", {});
export const decide = (request) => ask("/api/decide", request);
export const undo = (request) => ask("/api/undo", request);
