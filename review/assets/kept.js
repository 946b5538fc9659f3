// Decisions that the server did not take, kept by the browser until it does, so that the
// page of a server that was started anew can offer them. Browsers keep things by address
// and port: a page at another port sees none of them.

const prefix = "unsaved ";
const tab = String(Math.random()).slice(2); // a name for this tab, so that two do not write over each other

// keep keeps the decisions of this tab, each { request, where }; none forgets them.
export function keep(review, decisions) {
  const key = `${prefix}${review} ${tab}`;
  try {
    if (review && decisions.length > 0) localStorage.setItem(key, JSON.stringify(decisions));
    else localStorage.removeItem(key);
  } catch { /* not allowed to keep anything: the page itself lists them */ }
}

// others returns what other tabs, or this one before a reload, have left of a review:
// decisions and the keys to forget them by.
export function others(review) {
  const found = { decisions: [], keys: [] };
  try {
    for (const key of Object.keys(localStorage).sort()) {
      if (!key.startsWith(`${prefix}${review} `) || key.endsWith(` ${tab}`)) continue;
      found.keys.push(key);
      found.decisions.push(...JSON.parse(localStorage.getItem(key)).filter(wellFormed));
    }
  } catch { /* nothing that can be read */ }
  return found;
}

// wellFormed tells a decision from what else may stand there: the port may have been
// another program's before.
function wellFormed(each) {
  const { id, action, name = "", comment = "" } = each?.request ?? {};
  return Number.isInteger(id) && [action, name, comment, each.where].every((text) => typeof text === "string");
}

export function forget(keys) {
  try { for (const key of keys) localStorage.removeItem(key); } catch { /* as above */ }
}
