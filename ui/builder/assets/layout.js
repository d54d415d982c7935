// Places of cards, frames and edges, by dagre. A folded frame is one card.

import { Graph, layout } from "./dagre.js";

const CARD = { width: 200, height: 50 };
const SIZES = {
  input: { width: 150, height: 34 },
  output: { width: 150, height: 34 },
  join: { width: 34, height: 34 },
  concatenate: { width: 104, height: 30 },
  empty: { width: 150, height: 34 },
};
export const PILLS = new Set(["concatenate", "tuple"]); // joins that say more than a sign
const LETTER = 6.4; // px of a label's letter

/** Read the lists that the server sends. */
export function read({ cards, edges, frames }) {
  const shapes = new Map(cards.map((card) => [card[0], card[5]]));
  return {
    cards: cards.map(
      ([id, kind, address, type, text, shape, frame, state, times = 1, calls = 1, parameters = 0, adds = 0, path]) =>
        ({ id, kind, address, type, text, shape, frame, state, times, calls, parameters, adds, path: path || id }),
    ),
    edges: edges.map(([source, target, before, isSkip = 0, count = 1, call = 1, shape]) =>
      ({ source, target, before, isSkip, count, call, shape: shape ?? shapes.get(source) ?? "" })),
    frames: frames.map(([id, address, kind, name, times, parent, state, parameters, shape]) =>
      ({ id, address, kind, name, times, parent, state, parameters, shape })),
  };
}

/** The graph without what is inside folded frames; each of them is a card of kind `frame`. */
export function folded(graph, closed) {
  const frames = new Map(graph.frames.map((frame) => [frame.id, frame]));
  const hider = (id) => {
    let outermost = "";
    for (let frame = frames.get(id); frame; frame = frames.get(frame.parent))
      if (closed.has(frame.id)) outermost = frame.id;
    return outermost;
  };
  const home = new Map(graph.cards.map((card) => [card.id, hider(card.frame) || card.id]));
  const cards = [];
  for (const card of graph.cards) {
    const at = home.get(card.id);
    if (at === card.id) cards.push(card);
    else if (!cards.some(({ id }) => id === `${at}/`)) {
      const frame = frames.get(at);
      const inside = graph.cards.filter(({ id }) => home.get(id) === at);
      const sum = (name) => inside.reduce((total, each) => total + each[name], 0);
      const own = { id: `${at}/`, kind: "frame", type: frame.name || frame.kind, text: "", calls: 1 };
      cards.push({ ...frame, ...own, block: frame.kind, frame: frame.parent, adds: sum("adds"), path: at });
    }
  }
  const end = (id) => (home.get(id) === id ? id : `${home.get(id)}/`);
  const edges = graph.edges
    .map((edge) => ({ ...edge, source: end(edge.source), target: end(edge.target) }))
    .filter(({ source, target, call }) => source !== target || call > 1);
  const seen = new Set();
  const loops = new Map(); // a layer that is called with its own output: one loop for all calls
  for (const { source, target, call } of edges) if (source === target) loops.set(source, Math.max(call, loops.get(source) ?? 0));
  return {
    cards,
    edges: edges.map((edge) => ({ ...edge, last: edge.source === edge.target ? loops.get(edge.source) : 0 })).filter((edge) => {
      if (edge.last) return loops.delete(edge.source);
      const key = `${edge.source}→${edge.target}→${edge.call}`;
      return !seen.has(key) && seen.add(key);
    }),
    frames: graph.frames.filter(({ id, parent }) => !closed.has(id) && !hider(parent)),
  };
}

/** Give each card, frame and edge its place. */
export function placed(graph, pictures) {
  const plan = new Graph({ compound: true, multigraph: true });
  plan.setGraph({ rankdir: "TB", nodesep: 26, edgesep: 18, ranksep: 16, marginx: 28, marginy: 14 });
  plan.setDefaultEdgeLabel(() => ({}));
  const inside = new Set(graph.cards.map(({ frame }) => frame));
  const known = new Set(graph.frames.map(({ id }) => `f${id}`));
  for (const frame of graph.frames) {
    plan.setNode(`f${frame.id}`, { label: frame.id });
    if (known.has(`f${frame.parent}`)) plan.setParent(`f${frame.id}`, `f${frame.parent}`);
  }
  for (const card of graph.cards) {
    plan.setNode(card.id, { ...sizeOf(card) });
    if (known.has(`f${card.frame}`)) plan.setParent(card.id, `f${card.frame}`);
  }
  const arcs = arcsOf(graph.edges);
  graph.edges.forEach((edge, number) => {
    const wide = Math.min(150, 14 + edge.shape.length * LETTER);
    const height = pictures ? 52 : 26;
    const label = { width: Math.max(wide, pictures?.of(edge)?.width ?? 0), height, labelpos: "c" };
    plan.setEdge(edge.source, edge.target, { ...label, weight: arcs.has(edge) ? 1 : 4 }, `${number}`);
  });
  layout(plan);
  const { width, height } = plan.graph();
  return {
    width,
    height,
    cards: graph.cards.map((card) => ({ ...card, ...box(plan.node(card.id)) })),
    frames: graph.frames
      .filter(({ id }) => inside.has(id) || plan.children(`f${id}`)?.length)
      .map((frame) => ({ ...frame, ...box(plan.node(`f${frame.id}`)) })),
    edges: graph.edges.map((edge, number) => {
      const { points, x, y } = plan.edge({ v: edge.source, w: edge.target, name: `${number}` });
      return { ...edge, number, points, x, y, isArc: arcs.has(edge) };
    }),
  };
}

/** Edges that go round others to a card with several inputs: skip connections, also by wires. */
function arcsOf(edges) {
  const from = new Map(edges.map(({ source }) => [source, edges.filter((each) => each.source === source)]));
  const leads = (card, goal, passed) => card === goal
    || (from.get(card) ?? []).some(({ target }) => !passed.has(target) && passed.add(target) && leads(target, goal, passed));
  const inputs = (card) => edges.filter(({ target, call }) => target === card && call === 1).length;
  const around = (edge) => inputs(edge.target) > 1 && from.get(edge.source).some(({ target }) => target !== edge.target && leads(target, edge.target, new Set()));
  return new Set(edges.filter((edge) => edge.isSkip || (edge.call === 1 && around(edge))));
}

function sizeOf(card) {
  if (card.kind === "join") return PILLS.has(card.type) ? SIZES.concatenate : SIZES.join;
  return SIZES[card.kind] ?? (card.text || card.parameters ? CARD : { ...CARD, height: 34 });
}

function box({ x, y, width, height }) {
  return { x, y, width, height };
}

/** A loop over the corner of a card. */
export function loop({ x, y, width, height }) {
  const [right, top] = [x + width / 2, y - height / 2];
  return `M${round(right - 36)},${round(top)}C${round(right - 36)},${round(top - 26)} ${round(right + 34)},${round(top - 12)} ${round(right)},${round(top + 11)}`;
}

/** A smooth line through points. */
export function line(points) {
  const [first, ...rest] = points;
  let path = `M${round(first.x)},${round(first.y)}`;
  rest.forEach((point, place) => {
    const before = place ? rest[place - 1] : first;
    const middle = (before.y + point.y) / 2;
    path += `C${round(before.x)},${round(middle)} ${round(point.x)},${round(middle)} ${round(point.x)},${round(point.y)}`;
  });
  return path;
}

const round = (value) => Math.round(value * 10) / 10;
