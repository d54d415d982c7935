// The visitor's programs, each in a tab and kept in the browser's storage with its history of undo.
//
// A program has an id, the `document` it belongs to (an exercise or a step; empty for one of the
// visitor's own), a name, its `original` text, its text, and the text that the server knew last
// (`sent`): by that one it is found again after a reload.
const KEY = "tp-lab-programs";
const ACTIVE = "tp-lab-program"; // of this tab of the browser
const MAX_PROGRAMS = 16;
const MAX_HISTORY = 120_000; // characters; a longer history is not kept

function stored(storage, key) {
  try {
    return JSON.parse(storage().getItem(key));
  } catch {
    return null; // no storage, or not ours
  }
}

function store(storage, key, value) {
  try {
    storage().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // no storage, or it is full
  }
}

const isProgram = (each) =>
  ["id", "document", "name", "original", "text", "sent"].every((field) => typeof each?.[field] === "string");

// This page was loaded again: what is in the tab may be newer than its address. True once.
let isReload = (() => {
  const [entry] = performance.getEntriesByType("navigation");
  return entry?.type === "reload" && new URL(entry.name).pathname === location.pathname;
})();

const newId = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

export class Programs {
  constructor() {
    this.all = this._read();
    const id = stored(() => sessionStorage, ACTIVE);
    this.active = this.all.find((each) => each.id === id) ?? [...this.all].sort((a, b) => b.at - a.at)[0];
    this.closed = undefined; // can be opened again
  }

  _read() {
    const found = stored(() => localStorage, KEY);
    return Array.isArray(found) ? found.filter(isProgram) : [];
  }

  // Another tab of the browser may have changed the others meanwhile.
  _write(change) {
    this.all = this._read();
    change();
    if (store(() => localStorage, KEY, this.all)) return;
    for (const each of this.all) delete each.history; // it takes most of the room
    store(() => localStorage, KEY, this.all);
  }

  // The program that the server's text belongs to, if it is known; `isKept` says that its own text,
  // and not the server's, is the one to show.
  find(data) {
    this.isKept = Boolean(this.active) && (data.is_first || isReload);
    isReload = false;
    if (this.isKept) return this.active;
    const same = this.all.filter((each) => each.document === data.document);
    return same.find((each) => each.text === data.text || each.sent === data.text) ?? (data.document ? same[0] : undefined);
  }

  add(data) {
    const program = {
      id: newId(), document: data.document, name: data.name,
      original: data.original, text: data.text, sent: data.text, at: Date.now(),
    };
    this._write(() => {
      const spare = this.all.filter((each) => each.id !== this.active?.id).sort((a, b) => a.at - b.at);
      const gone = this.all.length < MAX_PROGRAMS ? undefined : spare.find((each) => each.text === each.original) ?? spare[0];
      if (gone) {
        this.closed = gone.text === gone.original ? undefined : gone;
        this.all = this.all.filter((each) => each !== gone);
      }
      this.all.push(program);
    });
    return program;
  }

  activate(program) {
    this.active = program;
    store(() => sessionStorage, ACTIVE, program.id);
    this.save(program);
  }

  // Where another tab of the browser has written something else into the same program, it keeps that one, and ours
  // becomes a program of its own. Returns whether it has.
  save(program, history) {
    const known = program.at;
    let isParted = false;
    const text = history === undefined ? undefined : JSON.stringify(history);
    if (text !== undefined) program.history = text.length > MAX_HISTORY ? undefined : history;
    program.at = Date.now();
    this._write(() => {
      const place = this.all.findIndex((each) => each.id === program.id);
      const stored = this.all[place];
      isParted = Boolean(stored) && stored.at !== known && stored.text !== program.text;
      if (isParted) program.id = newId();
      if (isParted || !stored) this.all.push(program);
      else this.all[place] = program;
    });
    if (isParted && program === this.active) store(() => sessionStorage, ACTIVE, program.id);
    return isParted;
  }

  close(program) {
    const place = this.all.findIndex((each) => each.id === program.id);
    this._write(() => (this.all = this.all.filter((each) => each.id !== program.id)));
    this.closed = program.text.trim() ? program : undefined;
    return this.all[Math.min(Math.max(place, 0), this.all.length - 1)];
  }

  reopen() {
    const program = this.closed;
    this.closed = undefined;
    this.save(program);
    return program;
  }
}

export function titleOf(program, place, words) {
  const comment = /^\s*#+\s*(.*\S)/.exec(program.text);
  return program.name || comment?.[1].slice(0, 40) || `${words.untitled} ${place + 1}`;
}
