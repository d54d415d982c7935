// Points of the visitor's own: a click into the plane places one, a click on one removes it.

import { h } from "./elements.js";

const CLASSES = [0, 1], NEAR = 0.09, MOST = 100; // coordinates; points
const list = (text) => text.split(";").map((each) => each.trim()).filter(Boolean);

/** The tools below the picture. `label` is the class of the next point. */
export function tools({ value }, { words, label }) {
  const choose = (each) =>
    h(`button.pp-quiet.pp-class-${each}`, { "data-do": "point-class", "data-class": each, "aria-pressed": String(each === label) }, h("i", { "aria-hidden": "true" }), String(each));
  const isEmpty = list(value).length === 0;
  const remove = (kind, text) => h("button.pp-quiet", { "data-do": `point-${kind}`, disabled: isEmpty }, text);
  const classes = h("span", { role: "group", "aria-label": words.point_class }, h("span.pp-muted", words.point_class), CLASSES.map(choose));
  return h("div.pp-points", { key: "points" }, classes, remove("undo", words.point_undo), remove("clear", words.point_clear));
}

/** The points after a click on one of the tools, or into the plane; null if it was neither. */
export function clicked(event, text, label) {
  const points = list(text);
  const kind = event.target.closest("[data-do]")?.dataset.do;
  if (kind === "point-undo") return points.slice(0, -1).join("; ");
  if (kind === "point-clear") return "";
  const plane = event.target.closest(".pp-plane");
  if (!plane) return null;
  const box = plane.getBoundingClientRect(), reach = Number(plane.dataset.reach);
  const at = (part) => Math.round(100 * reach * (2 * part - 1)) / 100;
  const x = at((event.clientX - box.left) / box.width), y = -at((event.clientY - box.top) / box.height);
  const isNear = (point) => {
    const [a, b] = point.split(/\s+/).map(Number);
    return Math.hypot(a - x, b - y) < NEAR;
  };
  if (points.some(isNear)) return points.filter((each) => !isNear(each)).join("; ");
  return points.length < MOST ? [...points, `${x} ${y} ${label}`].join("; ") : null;
}
