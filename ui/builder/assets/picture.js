// The picture of a placed graph: SVG, complete in itself so that it can be exported.

import { counted, short, svg } from "./elements.js";
import { PILLS, line, loop } from "./layout.js";

const GROUPS = {
  convolution: "#0072b2", linear: "#0072b2", recurrent: "#0072b2", transformer: "#0072b2", sparse: "#0072b2",
  pooling: "#009e73", vision: "#009e73", utilities: "#009e73", shuffle: "#009e73", padding: "#009e73",
  activation: "#cc79a7", activation_other: "#cc79a7",
  normalization: "#e69f00", dropout: "#e69f00",
};
const MAX_TEXT = 27;
const LOG_MOST = 6; // the scale of sizes ends at 10^6 values
const SCALE = 46; // px of that scale
const TICKS = [0, 2, 4, 6]; // powers of ten
const HEAD = 14; // px above the cards of a frame, for its title

/** Draw a graph. `look` has groups (by layer), chosen, totals, words, pictures and gradients. */
export function picture(graph, look) {
  const root = svg("svg.nb-svg", {
    width: Math.ceil(graph.width), height: Math.ceil(graph.height),
    viewBox: `0 0 ${Math.ceil(graph.width)} ${Math.ceil(graph.height)}`,
    role: "group", "aria-label": look.words.graph, "aria-describedby": "nb-keys",
  });
  root.append(
    svg("defs", {},
      svg("marker", { id: "nb-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
        svg("path.nb-tip", { d: "M0,0.5 L7.5,4 L0,7.5 z" })),
    ),
    ...[...graph.frames].sort((one, two) => two.width * two.height - one.width * one.height)
      .map((frame) => frameOf(frame, { ...look, frames: graph.frames })),
    ...graph.edges.map((edge) => edgeOf(edge, graph, look)),
    ...graph.cards.map((card) => cardOf(card, look)),
    ...graph.edges.map((edge) => labelOf(edge, graph, look)),
  );
  return root;
}

function frameOf(frame, look) {
  const { x, y, width, height } = frame;
  const head = HEAD * (1 + inside(frame, look.frames));
  const [left, top] = [x - width / 2 - 4, y - height / 2 - head];
  const sign = { residual: "⊕", add: "⊕", multiply: "⊗", concatenate: "⧺" }[frame.kind] ?? "";
  const title = [frame.name || look.words[`kind-${frame.kind}`], sign, frame.times > 1 ? `× ${frame.times}` : ""];
  return svg(`g.nb-frame.is-${frame.state}`, { "data-frame": frame.id, "data-address": JSON.stringify(frame.address), class: isChosen(frame, look) },
    svg("rect", { x: left, y: top, width: width + 8, height: height + head + 2, rx: 12 }),
    svg("g.nb-fold", { role: "button", "data-fold": frame.id, "aria-label": look.words.fold },
      reach(left + 14, top + 13),
      svg("rect.nb-ground", { x: left + 4, y: top + 3, width: 20, height: 20, rx: 5 }),
      svg("text", { x: left + 14, y: top + 17, "text-anchor": "middle" }, "▾")),
    svg("text.nb-frame-title", { x: left + 27, y: top + 17 }, title.filter(Boolean).join(" ")),
  );
}

/** How many frames stand inside each other in a frame. */
function inside(frame, frames) {
  const own = frames.filter(({ parent }) => parent === frame.id);
  return own.length ? 1 + Math.max(...own.map((each) => inside(each, frames))) : 0;
}

function edgeOf(edge, graph, look) {
  const gradient = look.gradients?.width(edge);
  const width = gradient ? { style: `stroke-width:${gradient}` } : {};
  const kind = `${edge.isArc ? " is-skip" : ""}${edge.call > 1 ? " is-again" : ""}${gradient ? " is-gradient" : ""}`;
  const target = graph.cards.find(({ id }) => id === edge.target);
  const broken = target?.state === "f" ? " is-broken" : "";
  return svg("path.nb-edge", { d: edge.last ? loop(target) : line(edge.points), class: kind + broken, "marker-end": "url(#nb-arrow)", ...width });
}

function labelOf(edge, graph, look) {
  const { x, y, number } = edge;
  const again = edge.call > 1 ? ` ↻${edge.call}${edge.last > edge.call ? `–${edge.last}` : ""}` : "";
  const many = edge.count > 1 ? ` ×${edge.count}` : "";
  const text = edge.shape ? `${clipped(edge.shape, 22)}${many}${again}` : `${many}${again}`;
  const target = graph.cards.find(({ id }) => id === edge.target);
  const thumb = look.pictures?.of(edge);
  const at = thumb ? y + 19 : y + 4;
  const place = edge.before ?? (edge.isSkip ? "skip" : null);
  const width = text.length * 6.3;
  return svg("g.nb-label", { class: target?.state === "f" ? "is-broken" : "", "data-edge": number },
    thumb && svg("g", { "data-thumb": thumb.key, role: "button", "aria-label": `${look.words.enlarge} ${edge.shape}` },
      reach(x, y - 26 + thumb.height / 2),
      svg("image", { href: thumb.url, x: x - thumb.width / 2, y: y - 26, width: thumb.width, height: thumb.height })),
    text && svg("rect.nb-under", { x: x - width / 2 - 3, y: at - 11, width: width + 6, height: 15, rx: 4 }),
    svg("text", { x, y: at, "text-anchor": "middle" }, text),
    edge.shape && sizeBar(edge.shape, x, at + 5),
    place && svg("g.nb-plus", { role: "button", "aria-label": look.words.insert, "data-insert": number },
      reach(x + width / 2 + 13, at - 4),
      svg("circle", { cx: x + width / 2 + 13, cy: at - 4, r: 8 }),
      svg("text", { x: x + width / 2 + 13, y: at, "text-anchor": "middle" }, "+")),
  );
}

/** How many values a sample has, on the one log scale of all networks. */
function sizeBar(shape, x, y) {
  const sizes = shape.match(/^\d+(, \d+)*$/) ? shape.split(", ").map(Number) : null;
  if (!sizes) return null;
  const values = sizes.slice(1).reduce((product, size) => product * size, 1);
  const length = Math.max(1, Math.min(1, Math.log10(Math.max(values, 1)) / LOG_MOST) * SCALE);
  return svg("g.nb-size", {}, svg("title", {}, counted(values)),
    svg("rect.nb-scale", { x: x - SCALE / 2, y, width: SCALE, height: 2.5 }),
    svg("rect", { x: x - SCALE / 2, y, width: length, height: 2.5 }),
    TICKS.slice(1, -1).map((power) => svg("rect.nb-tick", { x: x - SCALE / 2 + (power / LOG_MOST) * SCALE - 0.4, y, width: 0.8, height: 2.5 })));
}

/** The scale of the bars on the edges, with its ticks. */
export function sizeScale() {
  const [width, margin] = [2 * SCALE, 8];
  return svg("svg.nb-ticks", { viewBox: `0 0 ${width + 2 * margin} 20`, width: width + 2 * margin, height: 20, "aria-hidden": "true" },
    svg("rect.nb-scale", { x: margin, y: 1, width, height: 3 }),
    TICKS.map((power) => {
      const x = margin + (power / LOG_MOST) * width;
      return [svg("rect.nb-tick", { x: x - 0.5, y: 0, width: 1, height: 5 }), svg("text", { x, y: 15, "text-anchor": "middle" }, power ? `10${"⁰¹²³⁴⁵⁶"[power]}` : "1")];
    }));
}

/** What a finger hits, 40 px large on the screen at any scale, and not seen. */
const reach = (cx, cy) => svg("circle.nb-hit", { cx, cy });

function cardOf(card, look) {
  const { x, y, width, height } = card;
  const [left, top] = [x - width / 2, y - height / 2];
  const named = card.kind === "join" ? look.words[`kind-${card.type}`] : card.type;
  const said = [named, card.text && `(${card.text})`, card.shape && `→ (${card.shape})`,
    card.parameters ? `${counted(card.parameters)} ${look.words.parameters}` : "",
    card.state === "f" ? look.words.failed : card.state === "u" ? look.words.unreached : ""];
  const group = svg(`g.nb-card.is-${card.kind}.is-${card.state}`, {
    class: isChosen(card, look), tabindex: look.focus === card.id ? 0 : -1, role: "button",
    "aria-label": said.filter(Boolean).join(" "), "data-card": card.id,
    "data-address": card.address ? JSON.stringify(card.address) : null,
  }, reach(x, y));
  if (card.kind === "join") {
    const isPill = PILLS.has(card.type);
    group.append(isPill ? svg("rect.nb-back", { x: left, y: top, width, height, rx: 15 }) : svg("circle.nb-back", { cx: x, cy: y, r: 16 }),
      svg(isPill ? "text.nb-arguments" : "text.nb-sign", { x, y: y + (isPill ? 4 : 8), "text-anchor": "middle" }, isPill ? card.text : { "+": "+", "×": "×" }[card.text] ?? card.text));
    return group;
  }
  const colour = GROUPS[look.groups.get(card.type)] ?? "var(--tp-muted, #67707d)";
  if (card.kind !== "layer" && card.kind !== "frame") {
    const names = { empty: look.words["empty-block"], again: `↻ ${card.text}` };
    group.append(svg("rect.nb-back", { x: left, y: top, width, height, rx: 17 }),
      svg("text.nb-type", { x, y: y + 5, "text-anchor": "middle" }, names[card.kind] ?? `${card.type}  `, card.kind === "input" ? svg("tspan.nb-arguments", {}, card.text) : null));
    return group;
  }
  const times = card.times > 1 ? ` × ${card.times}` : card.calls > 1 ? ` ↻ ${card.calls}` : "";
  group.append(
    card.times > 1 ? svg("rect.nb-back.nb-behind", { x: left + 5, y: top + 5, width, height, rx: 9 }) : "",
    svg("rect.nb-back", { x: left, y: top, width, height, rx: 9 }),
    svg("rect", { x: left, y: top + 8, width: 4, height: height - 16, rx: 2, style: `fill:${colour}` }),
    svg("text.nb-type", { x: left + 12, y: top + 19 }, `${card.state === "f" ? "✗ " : ""}${clipped(card.type, 20 - (card.parameters ? 2 : 0) - times.length)}${times}`),
    svg("text.nb-arguments", { x: left + 12, y: top + 35 }, clipped(card.text, MAX_TEXT)),
    card.parameters ? svg("text.nb-count", { x: left + width - 9, y: top + 19, "text-anchor": "end" }, short(card.parameters)) : "",
    bar(card.parameters, look.totals.parameters, left + 12, top + height - 9, width - 24, "nb-parameters", look.words["parameters-short"]),
    bar(card.adds, look.totals.adds, left + 12, top + height - 5, width - 24, "nb-adds", look.words["adds-short"]),
  );
  if (card.kind === "frame")
    group.append(svg("g.nb-fold", { role: "button", "data-fold": card.path, "aria-label": look.words.unfold },
      reach(left + width - 20, top + height / 2),
      svg("rect.nb-ground", { x: left + width - 26, y: top + 25, width: 20, height: 18, rx: 5 }),
      svg("text", { x: left + width - 16, y: top + 39, "text-anchor": "middle" }, "▸")));
  return group;
}

/** A share of the whole network. */
function bar(value, total, x, y, width, kind, label) {
  if (!value || !total) return "";
  const share = value / total;
  return svg(`rect.${kind}`, { x, y, width: Math.max(1.5, share * width), height: 3, rx: 1.5 },
    svg("title", {}, `${label}: ${counted(value)} (${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %)`));
}

function isChosen({ address }, look) {
  return address && look.chosen.has(JSON.stringify(address)) ? "is-chosen" : "";
}

const clipped = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
