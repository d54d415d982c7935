// The palette: blocks, and every layer by its group; a search field that takes code too.

import { holdStill } from "./dragging.js";
import { el, filled } from "./elements.js";

const BLOCKS = ["residual", "add", "multiply", "concatenate", "tuple", "sequential"];
const OPEN = new Set(["convolution", "linear"]);

/** Make the palette; `insert` gets what is pressed, `drag` what is taken to an edge. */
export function palette(library, words, insert, drag) {
  const groups = new Map(library.groups);
  const field = el("input.nb-search", {
    type: "search", placeholder: filled(words.search, { count: library.layers.length }),
    "aria-label": words.find, spellcheck: "false", autocapitalize: "off", list: null,
  });
  const found = el("div.nb-found");
  const names = el("datalist", { id: "nb-names" }, library.layers.map(([name]) => el("option", { value: name })));
  const entry = (text, title, what, more = "") =>
    el(`button.nb-layer${more}`, { title, onclick: () => insert(what), onpointerdown: (event) => drag(event, text, what) }, text);
  const layer = ([name, , summary]) => entry(name, summary, { layer: name });
  const block = (kind) => entry(words[`kind-${kind}`], words[`note-${kind}`], { kind }, ".is-block");
  const blocks = el("div.nb-group", {}, el("div.nb-group-title", {}, words.blocks), BLOCKS.map(block));
  const draw = () => {
    const query = field.value.trim().toLowerCase().split(/[\s(,]/)[0];
    const more = words.synonyms.split(" ").map((pair) => pair.split("=")).filter(([word]) => query && word.includes(query)).flatMap(([, name]) => name.split("|"));
    const rows = library.layers.filter(([name, group, summary]) => {
      const text = `${name} ${groups.get(group)} ${group}`.toLowerCase();
      return !query || text.includes(query) || more.includes(name) || (query.length > 3 && summary.toLowerCase().includes(query));
    });
    if (query) {
      rows.sort(([one], [two]) => rank(one, query) - rank(two, query));
      const own = BLOCKS.filter((kind) => words[`kind-${kind}`].toLowerCase().includes(query) || kind.includes(query));
      found.replaceChildren(...own.map(block),
        ...rows.slice(0, 24).map(layer), rows.length || own.length ? "" : el("p.nb-none", {}, words.none));
      return;
    }
    found.replaceChildren(blocks, ...library.groups.map(([group, title]) => {
      const own = rows.filter(([, each]) => each === group);
      return own.length ? el("details.nb-group", { open: OPEN.has(group) ? true : null },
        el("summary.nb-group-title", {}, title, el("small", {}, ` ${own.length}`)), own.map(layer)) : "";
    }));
  };
  // One stop of Tab for all of them: the arrow keys walk.
  const stops = () => [...found.querySelectorAll("button, summary")];
  const stop = (goal) => {
    for (const each of stops()) each.tabIndex = each === goal ? 0 : -1;
  };
  const drawStops = () => {
    draw();
    stop(stops()[0]);
  };
  const walk = (event, from) => {
    const shown = stops().filter((each) => each.checkVisibility());
    const goal = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (goal === undefined || (goal < 0 && from < 0)) return;
    event.preventDefault();
    if (goal < 0) field.focus();
    else shown[goal]?.focus();
  };
  found.addEventListener("focusin", ({ target }) => stop(target));
  found.addEventListener("keydown", (event) =>
    walk(event, stops().filter((each) => each.checkVisibility()).indexOf(event.target)));
  field.addEventListener("input", drawStops);
  field.addEventListener("keydown", (event) => event.key === "ArrowDown" && walk(event, -1));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !field.value.trim()) return;
    event.preventDefault();
    insert({ layer: field.value });
    field.value = "";
    drawStops();
  });
  drawStops();
  holdStill(found);
  const fold = el("details.nb-palette", { open: innerWidth > 760 },
    el("summary", {}, words.palette), field, el("p.nb-hint", {}, words["typed-help"]), found, names);
  return { element: el("aside.nb-left", { "aria-label": words.palette }, fold) };
}

const rank = (name, query) => (name.toLowerCase() === query ? 0 : name.toLowerCase().startsWith(query) ? 1 : name.toLowerCase().includes(query) ? 2 : 3);
