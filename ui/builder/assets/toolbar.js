// The bar above the graph, and the buttons in its corner.

import { el, filled } from "./elements.js";
import { saveFile, savePicture } from "./saving.js";

const tool = (label, text, onclick, more = {}) =>
  el("button.nb-tool", { title: label, "aria-label": label, onclick, ...more }, text);

/** The elements of the bar, for what a builder shows. */
export function toolbar(builder, library) {
  const { words, data } = builder;
  const [canUndo, canRedo] = data.can;
  const starts = el("select.nb-starts", { "aria-label": words.start, onchange: ({ target }) => builder.send({ type: "start", name: target.value }) },
    el("option", { value: "" }, words.start), library.starts.map(([name, title]) => el("option", { value: name }, title)));
  const sources = el("select", { "aria-label": words.data, onchange: ({ target }) => builder.send({ type: "choose", name: "data", value: target.value }) },
    ["noise", "digits"].map((name) => el("option", { value: name }, words[`data-${name}`])));
  sources.value = data.choices[2];
  return [starts,
    tool(`${words.undo} · Ctrl+Z`, "↶", () => builder.send({ type: "undo" }), { disabled: !canUndo }),
    tool(`${words.redo} · Ctrl+Y`, "↷", () => builder.send({ type: "redo" }), { disabled: !canRedo }),
    el("span.nb-inputs", {}, data.inputs.map((one, place) => inputField(builder, one, place + 1)),
      data.inputs.length < 4 ? tool(words["add-input"], "+ X", () => builder.send({ type: "input", number: data.inputs.length + 1, shape: data.inputs[0][0] })) : null),
    el("span.nb-gap"), sources,
    el("button.nb-tool.is-main", { onclick: () => builder.send({ type: "run" }) }, `▶ ${words.run}`),
    el("button.nb-tool", { onclick: () => builder.train() }, builder.isTraining ? `■ ${words.stop}` : words.train),
    builder.flow ? tool(words.backward, `◀ ${words.backward}`, () => builder.toggleBackward(), { "aria-pressed": `${!!builder.isBackward}` }) : null,
    tool(words.link, "🔗", (event) => builder.copyLink(event.target)),
    menu(builder, library)].filter(Boolean);
}

/** Zooming, in a corner of the graph. */
export function zooms(builder) {
  const { words } = builder;
  const zoom = (factor) => builder.zoom(builder.scale * factor, true);
  return [tool(words["zoom-out"], "−", () => zoom(1 / 1.2)), tool(words["zoom-in"], "+", () => zoom(1.2)),
    tool(words.fit, "⤢", () => ((builder.isZoomed = false), builder.fit(), builder.zoom(builder.scale)))];
}

/** Files, pictures, and the lessons that the network can be taken to, with its weights. */
function menu(builder, library) {
  const { words, data } = builder;
  const upload = el("input", { type: "file", accept: ".json", hidden: true, onchange: ({ target }) => builder.upload(target) });
  const steps = builder.isTraining ? 0 : data.training?.losses.length;
  const link = data.link + (steps ? `.${steps}` : "");
  const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  const entry = (text, action) => tool(text, text, () => ((more.open = false), action()));
  const more = el("details.nb-more", { open: builder.isMoreOpen }, el("summary", {}, words.more), el("div.nb-more-list", {},
    entry(words.save, () => saveFile(data.link)), entry(words.load, () => upload.click()),
    entry("SVG", () => savePicture(builder.svg, "svg")), entry("PNG", () => savePicture(builder.svg, "png")),
    entry(words["fold-all"], () => builder.foldAll()),
    el("strong.nb-take", {}, steps ? filled(words["take-trained"], { steps }) : words.take),
    steps ? null : el("small.nb-hint", {}, words["take-hint"]),
    library.lessons.map(([page, title]) => el("a.nb-tool", { href: `${page}&network=${link}&lang=${language}`, target: "_self" }, `→ ${title}`)), upload));
  more.addEventListener("toggle", () => {
    builder.isMoreOpen = more.open;
    more.classList.toggle("is-left", more.getBoundingClientRect().left < builder.root.getBoundingClientRect().left + 200);
  });
  return more;
}

function inputField(builder, [shape, kind, below], number) {
  const { words } = builder;
  const name = builder.data.inputs.length > 1 ? `X${number}` : "X";
  const size = el("input.nb-shape", { value: shape, "aria-label": filled(words.shape, { name }), spellcheck: "false", size: Math.max(5, shape.length) });
  const dtype = el("select", { "aria-label": filled(words.holds, { name }) }, ["float", "tokens"].map((each) => el("option", { value: each }, words[`dtype-${each}`])));
  dtype.value = kind;
  const most = kind === "tokens" && el("input.nb-below", { type: "number", min: 1, value: below, "aria-label": words.below, title: words.below });
  const sendInput = () => builder.send({ type: "input", number, shape: size.value, kind: dtype.value, below: most ? most.value : 100 });
  for (const field of [size, dtype, most || size]) field.onchange = sendInput;
  const gone = number > 1 && el("button.nb-tool", { "aria-label": words.remove, onclick: () => builder.send({ type: "input", number, gone: true }) }, "✕");
  return el("span.nb-input", {}, el("label", {}, name), size, dtype, most, gone);
}
