// The program beside the graph: torch's answer at its line, fixes, and the field for code.

import { el, filled, redraw, rich } from "./elements.js";

const TOKENS = /(#.*$)|("[^"]*"|'[^']*')|\b(import|from|class|def|return|for|in|range|super|self|None|True|False|lambda)\b|\b(\d[\d.]*)\b/gm;

/** Draw the program into the side; the text field stays while it is open. */
export function program(side, data, words, send) {
  if (side.editing) {
    const notice = side.querySelector(".nb-edit-notice");
    if (notice) notice.replaceChildren(...rich(side.isSent && data.is_refused ? data.notice : ""));
    if (data.is_refused || !side.isSent) return;
    side.editing = null; // the program was built
  }
  const scroll = side.querySelector(".nb-lines")?.scrollTop ?? 0;
  const at = answerLine(data);
  const lines = data.lines.map(([text, path], place) => {
    const row = el("li.nb-line", { "data-path": path ?? null, class: place === at && !data.answer.ok ? "is-failing" : "" }, el("code", {}, ...coloured(text)));
    return place === at ? [row, answer(data, words, send)] : row;
  });
  const style = data.is_class ? null : el("span.nb-style", { role: "group", "aria-label": words.style },
    [[false, "nn.Sequential"], [true, "class"]].map(([value, label]) =>
      el("button.nb-tool", { "aria-pressed": `${data.as_class === value}`, onclick: () => send({ type: "choose", name: "as_class", value }) }, label)));
  const text = data.lines.map(([each]) => each).join("\n");
  const open = el("button.nb-tool", { onclick: () => edit(side, data, text, words, send) }, words.edit);
  const wasEditing = side.querySelector(".nb-code")?.parentElement.contains(document.activeElement);
  redraw(side, () => side.replaceChildren(
    el("div.nb-side-head", {}, el("strong", {}, words.program), style,
      el("button.nb-tool", { onclick: (event) => copy(event.target, text, words) }, words.copy), open),
    el("ol.nb-lines", { tabindex: 0, "aria-label": words.program }, lines)));
  if (wasEditing) open.focus({ preventScroll: true });
  side.querySelector(".nb-lines").scrollTop = scroll;
}

function answerLine({ lines, answer }) {
  if (answer.ok) return lines.length - 1;
  const places = lines.map(([, path], place) => (path === answer.path ? place : -1)).filter((place) => place >= 0);
  return places.length ? places[places.length - 1] : lines.length - 1;
}

function answer(data, words, send) {
  const { ok, text, why, asks } = data.answer;
  if (asks)
    return el("li.nb-answer.is-asked", {}, el("p", {}, words.ask),
      el("button.nb-tool.is-main", { onclick: () => send({ type: "show" }) }, words.show));
  if (ok) return el("li.nb-answer.is-ok", {}, el("strong", {}, "Y"), ` ${text}`);
  const fixes = data.fixes.map(([said, shape], number) =>
    el("button.nb-fix", { class: number ? "" : "is-first", onclick: () => send({ type: "fix", number }) },
      el("span", {}, rich(said)), el("small", {}, shape ? ` → (${shape})` : ` ${words["fix-further"]}`)));
  return el("li.nb-answer.is-refused", {},
    el("div.nb-why", {}, rich(why)), el("pre", {}, text),
    fixes.length ? el("div.nb-fixes", {}, el("strong", {}, words.fixes), fixes) : null);
}

function* coloured(text) {
  let from = 0;
  for (const found of text.matchAll(TOKENS)) {
    yield text.slice(from, found.index);
    const kind = ["comment", "string", "word", "number"][found.slice(1).findIndex((each) => each !== undefined)];
    yield el(`span.is-${kind}`, {}, found[0]);
    from = found.index + found[0].length;
  }
  yield text.slice(from) || " ";
}

async function copy(button, text, words) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = words.copied;
    setTimeout(() => (button.textContent = words.copy), 1500);
  } catch {
    getSelection().selectAllChildren(button.closest(".nb-side").querySelector(".nb-lines"));
  }
}

/** A field for a program or a class of one's own; the sandbox builds it. */
function edit(side, data, text, words, send) {
  side.editing = data.link;
  const field = el("textarea.nb-code", { spellcheck: "false", autocapitalize: "off", "aria-label": words.program, value: text });
  side.isSent = false;
  const build = () => {
    side.isSent = true;
    send({ type: "program", text: field.value });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) build();
  });
  side.replaceChildren(
    el("div.nb-side-head", {}, el("strong", {}, words.program),
      el("button.nb-tool.is-main", { onclick: build }, words.build),
      el("button.nb-tool", { onclick: () => { side.editing = null; program(side, data, words, send); } }, words.cancel)),
    el("p.nb-hint", {}, filled(words["edit-help"], {})), el("p.nb-edit-notice", { role: "alert" }), field);
  field.focus();
}
