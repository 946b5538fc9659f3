// Elements of the page. Names and cells are other people's: they get in as text nodes
// alone, in <bdi> so that writing from right to left does not turn what stands around it.

export const at = (id) => document.getElementById(id);

// el makes an element. Attributes that are null or false are left out; those that begin
// with "on" listen to an event.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// bdi is a text of the data.
export const bdi = (text) => el("bdi", {}, text);

// key is a key's name in a button, for eyes: aria-keyshortcuts has it for screen readers.
export const key = (name) => el("kbd", { "aria-hidden": "true" }, name);

// quoted is a name in a message.
export const quoted = (name) => `“${name}”`;

// What the page is about, as the server says in the page: columns with names, or records
// with criteria.
export const ofRecords = document.body.dataset.kind === "records";
export const thing = ofRecords ? "record" : "column";
export const items = ofRecords ? ["criterion", "criteria"] : ["name", "names"];

export const many = (n, one, more = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

// sentence gives a text a stop where it has none.
export const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

// say tells what has happened, to eyes and to screen readers. The same words twice are
// read out twice: an empty text stands between them.
export function say(text, kind = "") {
  const said = at("said");
  said.textContent = "";
  said.dataset.kind = kind;
  clearTimeout(said.timer);
  said.timer = setTimeout(() => { said.textContent = text; }, 30);
}
