// What flowed along the edges: small pictures of tensors, and the size of gradients.

import { el, svg } from "./elements.js";

const SIDE = 44; // px of a thumbnail
const MOST = 8; // pictures beside each other

export class Flow {
  constructor({ values, gradients }) {
    const unpacked = ([kind, width, height, pixels, ...numbers]) => [kind, width, height, atob(pixels), ...numbers];
    this.values = Object.fromEntries(Object.entries(values).map(([key, each]) => [key, unpacked(each)]));
    this.norms = gradients;
    this.urls = new Map();
  }

  /** The picture of what an edge carries; null if it is not known. */
  of(edge) {
    const key = this.key(edge);
    if (!this.values[key]) return null;
    if (!this.urls.has(key)) this.urls.set(key, thumbnail(this.values[key]));
    return { key, ...this.urls.get(key) };
  }

  key({ source }) {
    return source.replace(/\/$/, "");
  }

  gradients() {
    const known = Object.values(this.norms).filter((norm) => norm > 0).map(Math.log10);
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return {
      width: (edge) => {
        const norm = this.norms[this.key(edge)];
        if (!(norm > 0)) return norm === 0 ? 0.6 : null;
        return 1.5 + (6 * (Math.log10(norm) - least)) / Math.max(most - least, 1);
      },
    };
  }

  /** Show a tensor large, with its numbers; `close` is called where it is closed. */
  enlarge(key, parent, words, close) {
    const [kind, width, height, pixels, least, most, mean, std, zeros] = this.values[key];
    parent.querySelector(".nb-large")?.remove();
    const { url } = thumbnail(this.values[key], 180);
    const gradient = this.norms[key];
    const numbers = [["min", least], ["max", most], [words.mean, mean], ["std", std], [words.zeros, `${(100 * zeros).toFixed(0)} %`],
      gradient == null ? null : [words.gradient, gradient]];
    const show = (value) => (typeof value === "number" ? value.toPrecision(4) : value);
    const box = el("div.nb-large", { role: "dialog", "aria-label": words.enlarge },
      el("button.nb-tool", { "aria-label": words.close, onclick: () => (box.remove(), close()) }, "✕"),
      el("img", { src: url, alt: `${kind} ${width} × ${height}` }),
      el("dl", {}, numbers.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, show(value))])),
      el("details", {}, el("summary", {}, words.values), el("pre", {}, valueRows(this.values[key]))));
    parent.append(box);
    box.querySelector("button").focus();
  }
}

/** The values of the first picture, rounded to a 255th of their range. */
function valueRows([, width, height, pixels, least, most]) {
  const value = (place) => least + ((most - least) * byte(pixels, place)) / 255;
  return Array.from({ length: Math.min(height, 16) }, (_, row) =>
    Array.from({ length: Math.min(width, 16) }, (_, column) => value(row * width + column).toFixed(2).padStart(6)).join(" ")).join("\n");
}

const byte = (pixels, place) => pixels.charCodeAt(place) || 0;

function thumbnail([kind, width, height, pixels, least, most], side = SIDE) {
  const count = Math.max(1, Math.min(MOST, Math.floor(pixels.length / (width * height))));
  const canvas = document.createElement("canvas");
  const paint = canvas.getContext("2d");
  if (kind === "bars") {
    Object.assign(canvas, { width: Math.max(width * 4, 60), height: side });
    const zero = least < 0 ? (side * most) / Math.max(most - least, 1e-9) : side;
    for (let place = 0; place < width; place += 1) {
      const value = least + ((most - least) * byte(pixels, place)) / 255;
      const length = (side * value) / Math.max(Math.max(most, 0) - Math.min(least, 0), 1e-9);
      paint.fillStyle = value < 0 ? "#d55e00" : "#0072b2";
      paint.fillRect((place * canvas.width) / width, Math.min(zero, zero - length), canvas.width / width - 0.6, Math.max(1, Math.abs(length)));
    }
    return { url: canvas.toDataURL(), width: Math.min(110, canvas.width), height: Math.min(34, side) };
  }
  Object.assign(canvas, { width: count * (width + 1) - 1, height });
  const data = paint.createImageData(canvas.width, height);
  for (let map = 0; map < count; map += 1)
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const shade = byte(pixels, map * width * height + row * width + column);
        const at = 4 * (row * canvas.width + map * (width + 1) + column);
        data.data.set([shade, shade, shade * 0.6 + 40, 255], at);
      }
  paint.putImageData(data, 0, 0);
  const big = document.createElement("canvas");
  const factor = Math.max(1, Math.round(side / height));
  Object.assign(big, { width: canvas.width * factor, height: height * factor });
  const large = big.getContext("2d");
  large.imageSmoothingEnabled = false;
  large.drawImage(canvas, 0, 0, big.width, big.height);
  const shown = Math.min(34, big.height);
  return { url: big.toDataURL(), width: Math.min(140, (big.width * shown) / big.height), height: shown };
}

/** The losses so far as a curve. */
export function lossCurve({ losses, task }, words) {
  const most = Math.max(...losses, 1e-9);
  const points = losses.map((loss, step) => `${((160 * step) / Math.max(losses.length - 1, 1)).toFixed(1)},${(36 - (34 * loss) / most).toFixed(1)}`);
  const last = losses[losses.length - 1];
  return el("div.nb-loss", { role: "img", "aria-label": `${words.loss} ${last}` },
    svg("svg", { viewBox: "0 0 160 38", width: 160, height: 38 }, svg("polyline", { points: points.join(" ") })),
    el("span", {}, `${task} · ${losses.length} ${words.steps} · ${words.loss} `, el("strong", {}, last.toPrecision(3))));
}
