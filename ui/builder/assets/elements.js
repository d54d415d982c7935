// Elements of the builder: HTML and SVG from a tag, properties and children.

const SVG = "http://www.w3.org/2000/svg";

/** Make an HTML element: `el("button.nb-tool", { onclick }, "Undo")`. Children become text. */
export function el(selector, properties = {}, ...children) {
  return made(document.createElement(selector.split(".")[0] || "div"), selector, properties, children);
}

/** Make an SVG element. */
export function svg(selector, properties = {}, ...children) {
  return made(document.createElementNS(SVG, selector.split(".")[0]), selector, properties, children);
}

function made(element, selector, properties, children) {
  const classes = [...selector.split(".").slice(1), properties.class].filter(Boolean).join(" ");
  if (classes) element.setAttribute("class", classes);
  if (element.tagName === "BUTTON") element.type = "button";
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class" || value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (["value", "checked", "disabled", "open"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child != null && child !== false));
  return element;
}

/** Draw a part again; what had the focus in it, or what stands in its place now, has it afterwards. */
export function redraw(part, draw) {
  const name = (each) => each.getAttribute("aria-label") ?? each.name ?? each.textContent;
  const all = () => [...part.querySelectorAll("a, button, input, select, summary, textarea")];
  const had = document.activeElement;
  const place = all().indexOf(had);
  const [own, known] = place < 0 ? [] : [had.tagName, name(had)];
  draw();
  if (place < 0 || part.contains(document.activeElement)) return;
  const left = all().filter((each) => !each.disabled);
  const same = left.find((each) => each.tagName === own && name(each) === known);
  (same ?? left[Math.min(place, left.length - 1)])?.focus({ preventScroll: true });
}

/** Text with `code` between backticks. */
export function rich(text) {
  return text.split("`").map((part, place) => (place % 2 ? el("code", {}, part) : part));
}

/** Fill the places of a sentence: `filled("{count} layers", { count: 3 })`. */
export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** 12,345 as people read it. */
export const counted = (number) => number.toLocaleString("en");

/** 1.2 MiB. */
export function sized(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < 3) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${unit ? bytes.toFixed(bytes < 10 ? 1 : 0) : bytes} ${units[unit]}`;
}

/** 1.2 M. */
export function short(number) {
  const units = ["", " k", " M", " G", " T"];
  let unit = 0;
  while (number >= 1000 && unit < 4) [number, unit] = [number / 1000, unit + 1];
  return `${unit ? number.toFixed(number < 10 ? 1 : 0) : number}${units[unit]}`;
}
