// The form of the selected node, beside its card.

import { el, rich } from "./elements.js";

const WRAPS = ["sequential", "residual", "add", "multiply", "concatenate", "tuple"];

/** Make the form of a node. */
export function openForm(form, words, send, close) {
  const { address } = form;
  const sendEdit = (type, more = {}) => send({ type, address, ...more });
  const tool = (name, text, event) => el("button.nb-tool", { title: words[name], "aria-label": words[name], onclick: event }, text);
  const wrap = el("select", { "aria-label": words.wrap, onchange: ({ target }) => target.value && send({ type: "group", addresses: [address], kind: target.value }) },
    el("option", { value: "" }, words.wrap), WRAPS.map((kind) => el("option", { value: kind }, words[`kind-${kind}`])));
  const title = form.block ? words[`kind-${form.block}`] : form.of ? `↻ ${form.of}` : form.type;
  const box = el("div.nb-form", { role: "dialog", "aria-label": title },
    el("div.nb-form-head", {}, el("strong", {}, title), el("code", {}, form.path), el("button.nb-tool", { "aria-label": words.close, onclick: close }, "✕")),
    el("div.nb-form-tools", {},
      tool("up", "↑", () => sendEdit("step", { down: false })), tool("down", "↓", () => sendEdit("step", { down: true })),
      tool("duplicate", "×2", () => sendEdit("duplicate")),
      form.times === 1 && !form.of ? tool("share", "↻", () => sendEdit("share")) : null,
      form.block ? tool("unwrap", "⊟", () => sendEdit("unwrap")) : null, wrap,
      tool("remove", "🗑", () => send({ type: "remove", addresses: [address], keeps: true }))),
    el("div.nb-fields"));
  box.fields = box.lastChild;
  fill(box, form, words, sendEdit);
  box.again = (next) => fill(box, next, words, sendEdit);
  box.addEventListener("keydown", ({ key, target }) => key === "Enter" && target.matches("input") && target.blur());
  return box;
}

/** Show new values; a field that is being typed in stays as it is. */
export function refreshForm(box, form) {
  const active = box.contains(document.activeElement) ? document.activeElement?.name : null;
  box.again(form);
  if (active) box.querySelector(`[name="${CSS.escape(active)}"]`)?.focus();
}

function fill(box, form, words, sendEdit) {
  const rows = [];
  if (form.of) rows.push(el("p.nb-hint", {}, rich(words["shared-note"].replace("{path}", `\`${form.of}\``))));
  if (form.summary) rows.push(el("p.nb-hint", {}, form.summary));
  if (form.time_first) rows.push(el("p.nb-hint.is-warning", {}, rich(words["time-first"])));
  const fields = (form.arguments ?? []).map((argument) => field(argument, (value) => sendEdit("set", { argument: argument[0], value })));
  const first = (form.arguments ?? []).filter((argument) => argument[4]).length;
  rows.push(...fields.slice(0, Math.max(first, 1)));
  const rest = fields.slice(Math.max(first, 1));
  if (form.block) {
    rows.push(labelled(words.kind, choice("kind", WRAPS, form.block, (kind) => sendEdit("kind", { kind, dim: form.dim }), (kind) => words[`kind-${kind}`])));
    if (form.block === "concatenate") rows.push(labelled("dim", number("dim", form.dim, (dim) => sendEdit("kind", { kind: form.block, dim: Number(dim) }))));
    rows.push(el("p.nb-hint", {}, words[`note-${form.block}`]));
  }
  const isWired = form.inputs || form.wanted > 1;
  const own = form.sources && wires(form, words, sendEdit);
  if (own && isWired) rows.push(own);
  const more = [
    own && !isWired ? own : null,
    labelled(words.name, text("name", form.name, (name) => sendEdit("rename", { name }))),
    form.of ? null : labelled(words.times, number("times", form.times, (times) => sendEdit("repeat", { times: Number(times) }))),
  ];
  const others = el("details.nb-others", { open: box.isOpen ? true : null }, el("summary", {}, words["more-arguments"]), rest, more.filter(Boolean));
  others.addEventListener("toggle", () => (box.isOpen = others.open));
  box.fields.replaceChildren(...rows, others);
}

/** Where the inputs come from: one choice for each. */
function wires(form, words, sendEdit) {
  const given = form.inputs ? form.inputs.split(", ") : ["-"];
  const count = Math.max(given.length, form.wanted ?? 1);
  const say = () => sendEdit("inputs", { wires: [...row.querySelectorAll("input")].map(({ value }) => value).filter(Boolean).join(",") });
  const row = el("span.nb-wires", {}, Array.from({ length: count }, (_, place) =>
    el("input", { name: `wire${place}`, value: given[place] ?? "", list: "nb-sources", "aria-label": `${words.inputs} ${place + 1}`, onchange: say, spellcheck: "false", size: 5 })),
    el("button.nb-tool", { "aria-label": words["add-wire"], title: words["add-wire"], onclick: () => sendEdit("inputs", { wires: [...given, "-"].join(",") }) }, "+"),
    el("datalist", { id: "nb-sources" }, form.sources.map((source) => el("option", { value: source }))));
  return el("div.nb-field", {}, el("span.nb-field-name", {}, words.inputs), row, el("p.nb-hint", {}, rich(words["inputs-help"])));
}

function field([name, kind, value, choices, , allowsNone], sendEdit) {
  if (kind === "switch" && !allowsNone)
    return labelled(name, el("input", { type: "checkbox", name, checked: value === "True", onchange: ({ target }) => sendEdit(target.checked ? "True" : "False") }), true);
  if (kind === "switch" || kind === "choice")
    return labelled(name, choice(name, [...(allowsNone ? ["None"] : []), ...(choices.length ? choices : ["True", "False"])], value || "None", sendEdit), true);
  if (kind === "integer") return labelled(name, number(name, value, sendEdit), true);
  return labelled(name, text(name, value, sendEdit, kind === "module"), true);
}

const labelled = (name, control, isCode) => el("label.nb-field", {}, el(`span.nb-field-name${isCode ? ".is-code" : ""}`, {}, name), control);
const text = (name, value, sendEdit, disabled = false) =>
  el("input", { name, value, disabled, spellcheck: "false", autocapitalize: "off", onchange: ({ target }) => sendEdit(target.value) });
const number = (name, value, sendEdit) =>
  el("input", { name, value, type: "number", step: 1, inputmode: "numeric", onchange: ({ target }) => sendEdit(target.value) });
const choice = (name, values, value, sendEdit, shown = (each) => each) => {
  const made = el("select", { name, onchange: ({ target }) => sendEdit(target.value) }, values.map((each) => el("option", { value: each }, shown(each))));
  made.value = value;
  return made;
};
