// A program's lines: tokens with their colours, words that are native controls, words that changed.

import { h } from "./elements.js";

const KEYWORDS =
  "and as assert async await break class continue def del elif else except False finally for " +
  "from global if import in is lambda None nonlocal not or pass raise return True try while " +
  "with yield";
const KINDS = ["comment", "string", "keyword", "call", "number"];
const TOKEN = new RegExp(
  [
    "(?<comment>#.*)",
    "(?<string>[bfruBFRU]{0,2}(?<quote>[\"'])(?:\\\\.|(?!\\k<quote>).)*\\k<quote>?)",
    `(?<keyword>\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b)`,
    "(?<call>[A-Za-z_]\\w*(?=\\())",
    "(?<name>@?[A-Za-z_]\\w*)",
    "(?<number>\\d[\\d_]*\\.?\\d*(?:e[+-]?\\d+)?)",
  ].join("|"),
  "g",
);
const BREAK = /(?<=[([.])/; // where a line that is too long may break
const WIDE = /[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/g;

/** The class that brings the colours of a device; see ui/theme.py. */
export const deviceClass = (name) => `tp-${name.replace(":", "-")}`;

const breakable = (text) => (/[([.]$/.test(text) ? [text, h("wbr")] : text);

/** Cut the parts of a line into tokens: {text, kind}, or {text, control}. */
function tokensOf(parts) {
  return parts.flatMap((part) => {
    if (part.field) return [{ text: `${part.field}=${part.value}`, control: part }];
    const tokens = [];
    let end = 0;
    for (const match of part.text.matchAll(TOKEN)) {
      if (match.index > end) tokens.push({ text: part.text.slice(end, match.index) });
      tokens.push({ text: match[0], kind: KINDS.find((kind) => match.groups[kind]) });
      end = match.index + match[0].length;
    }
    if (end < part.text.length) tokens.push({ text: part.text.slice(end) });
    return tokens;
  });
}

/** The texts of a program's tokens, line by line, to compare the next program with. */
export const textsOf = (lines) => lines.map(({ parts }) => tokensOf(parts).map(({ text }) => text));

/** Mark the tokens between what a line has in common with its former text at both its ends. */
function markChanged(tokens, old) {
  let [start, end] = [0, 0];
  const most = Math.min(old.length, tokens.length);
  while (start < most && old[start] === tokens[start].text) start += 1;
  while (end < most - start && old.at(-1 - end) === tokens.at(-1 - end).text) end += 1;
  for (const token of tokens.slice(start, tokens.length - end)) token.isChanged = true;
}

/**
 * The code of a line. `index` is its place in the program, `before` what textsOf gave for the last
 * program; a line that stood anywhere in that one has not changed.
 */
export function code(parts, ui, index = 0, before = undefined) {
  const tokens = tokensOf(parts);
  const text = JSON.stringify(tokens.map((token) => token.text));
  if (before && !before.some((old) => JSON.stringify(old) === text)) {
    markChanged(tokens, before[index] ?? []);
  }
  const indent = tokens[0]?.text.match(/^ */)[0].length ?? 0;
  const seen = {};
  const words = tokens.map(({ text, kind, control, isChanged }) => {
    const changed = { "data-changed": isChanged };
    if (control) {
      const nth = (seen[control.field] = (seen[control.field] ?? 0) + 1);
      return word(control, ui, { key: `${control.field} ${nth}`, ...changed });
    }
    if (!kind && !isChanged) return text.split(BREAK).map(breakable);
    return h("span", { class: kind && `pp-tok-${kind}`, ...changed }, text);
  });
  return h("code.pp-code", { style: `--hang: ${indent + 4}ch` }, words);
}

/** How many columns the widest line can take: a control counts with its longest value. */
export function columnsOf(lines) {
  const longest = ({ options, value }) =>
    Math.max(...(options ?? [{ value }]).map((option) => (option.shown ?? option.value).length));
  const length = (part) => part.text?.length ?? longest(part) + 3;
  const lengths = lines.map(({ parts }) => parts.reduce((sum, part) => sum + length(part), 0));
  return Math.max(0, ...lengths);
}

/** A control, with the quotes that stand around it in the program. */
export function word(control, ui, attributes = {}) {
  const quote = (text) => text && h("span.pp-tok-string", text);
  const field = fieldOf(control);
  field.setting = control;
  field.value = control.value;
  field.adopt = (from) => adopt(from, field, ui.pending.has(control.field));
  const { prefix, suffix } = control;
  const whole = h("span.pp-word", attributes, quote(prefix), field, quote(suffix));
  dress(field);
  return whole;
}

function fieldOf({ field, label, kind, options, least, most, increment, max_length: maxlength }) {
  const common = { "data-field": field, "aria-label": label };
  if (kind === "select") {
    const items = options.map(({ value, shown }) => h("option", { value }, shown ?? value));
    return h("select", common, items);
  }
  const plain = { ...common, autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  if (kind === "text") return h("input", { ...plain, type: "text", maxlength });
  const bounds = { min: least, max: most, step: increment ?? "any" };
  return h("input", { ...plain, ...bounds, type: "number", inputmode: "decimal" });
}

/** Take over a new value, unless one is being typed, or was sent and is not acknowledged yet. */
function adopt(from, to, isPending) {
  const isSame = from.setting.value === to.setting.value;
  const isActive = from === document.activeElement && from.tagName === "INPUT";
  const isTyped = isActive && isSame && from.value !== from.setting.value;
  from.setting = to.setting;
  if (!isPending && !isTyped && from.value !== to.value) from.value = to.value;
  dress(from);
}

/** Give a field the width of its value, a device its colour, a number out of bounds its mark. */
export function dress(field) {
  const { kind, is_device: isDevice, least, most } = field.setting;
  const shown = field.selectedOptions?.[0]?.text ?? field.value;
  const width = shown.length + (shown.match(WIDE)?.length ?? 0);
  field.style.setProperty("--width", Math.max(width, 1));
  field.className = `pp-field ${isDevice ? deviceClass(field.value) : ""}`;
  const isOut = kind === "number" && !field.validity.valid;
  const range = `${least ?? "−∞"} … ${most ?? "∞"}`;
  for (const [element, name, value] of [
    [field, "aria-invalid", "true"],
    [field, "title", range],
    [field.parentElement, "data-range", range],
  ]) {
    if (isOut) element.setAttribute(name, value);
    else element.removeAttribute(name);
  }
}
