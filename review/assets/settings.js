// How the page looks and listens, kept by the browser from day to day.

import { at } from "./dom.js";

// On a narrow page the guide stands below the decision, and takes room from it.
const defaults = { shortcuts: true, guide: matchMedia("(min-width: 1001px)").matches, sql: false };
const now = { ...defaults }; // for browsers that keep nothing for the page

export function setting(name) {
  try {
    const kept = localStorage.getItem(name);
    if (kept !== null) return kept === "true";
  } catch { /* not allowed to keep anything */ }
  return now[name];
}

function set(name, on) {
  now[name] = on;
  try { localStorage.setItem(name, String(on)); } catch { /* until a reload, then */ }
}

// toggles puts the settings into effect and returns what turns the guide, and the SQL of
// questions, on and off.
export function toggles() {
  const show = () => {
    document.body.dataset.guide = String(setting("guide"));
    document.body.dataset.sql = String(setting("sql"));
    at("show-guide").setAttribute("aria-expanded", String(setting("guide")));
    at("show-sql").setAttribute("aria-pressed", String(setting("sql")));
    at("shortcuts").checked = setting("shortcuts");
  };
  const turn = (name) => () => { set(name, !setting(name)); show(); };
  const guide = () => {
    turn("guide")();
    at("guide").scrollIntoView({ block: "nearest" });
  };
  const both = { guide, sql: turn("sql") };
  at("show-guide").addEventListener("click", both.guide);
  at("show-sql").addEventListener("click", both.sql);
  at("shortcuts").addEventListener("change", turn("shortcuts"));
  show();
  return both;
}
