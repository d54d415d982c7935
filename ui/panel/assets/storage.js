// The progress that the browser holds: for the panel, and as a component of pages that have none.
//
// Data: `store`, what the server knows; null before it has read what is here. `asks`, whether it wants that.
// `clearings`, how often the visitor has deleted all of it.
const STORE = "torch-playground";
let asked = false;
let cleared = 0;

/** Add to what is stored: the server tells the predictions of one lesson, and another tab has done other steps. */
export function write(store) {
  try {
    const known = read();
    const said = { ...known?.said, ...store.said };
    const done = [...new Set([...(known?.done ?? []), ...store.done])];
    localStorage.setItem(STORE, JSON.stringify({ ...store, said, done }));
  } catch {
    /* The browser keeps nothing: no harm. */
  }
}

export function read() {
  try {
    return JSON.parse(localStorage.getItem(STORE));
  } catch {
    return null;
  }
}

function forget() {
  try {
    localStorage.removeItem(STORE);
  } catch {
    /* The browser keeps nothing. */
  }
}

export default function ({ data: [{ store, asks, clearings }], setTriggerValue }) {
  if (clearings > cleared) forget();
  cleared = clearings;
  if (store) write(store);
  if (asks && !asked) setTriggerValue("restore", { stored: read() });
  asked = asks;
}
