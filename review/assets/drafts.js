// What is typed and not saved yet, kept for as long as the tab is: another column, a lost
// server or a reload do not lose it.

const prefix = "draft ";
const kept = new Map(); // where the browser keeps nothing for the page

function read(key) {
  try { return sessionStorage.getItem(prefix + key) ?? ""; } catch { return kept.get(key) ?? ""; }
}

function write(key, text) {
  try {
    if (text === "") sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, text);
  } catch { kept.set(key, text); }
}

// bind shows a draft in a field, and from now on keeps there what is typed in it. It tells
// whether there is one.
export function bind(field, key) {
  field.dataset.draft = key;
  field.value = read(key);
  field.oninput = () => write(field.dataset.draft, field.value);
  return field.value !== "";
}

// settle forgets a draft that is saved, and empties its field, unless more was typed
// meanwhile.
export function settle(field, key, text) {
  if (read(key) === text) write(key, "");
  if (field.dataset.draft === key && field.value === text) field.value = "";
}
