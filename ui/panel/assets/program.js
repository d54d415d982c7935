// The blocks of the panel, made from the data of a step.
// Strings named html, *_html and svg come escaped from the server; every other string becomes text.

import { code, columnsOf, deviceClass, word } from "./code.js";
import { h } from "./elements.js";
import { glide } from "./motion.js";
import { player } from "./player.js";
import { tools } from "./points.js";

const COPIED_LINES = 3; // what is longer has a button that copies it
const SIGNS = { ok: "✓", refused: "✗", failed: "✗", silent: "⚠\uFE0E" };
const HIDDEN = { "aria-hidden": "true" };

const markup = (name, html) => html && h(`div.pp-${name}`, { key: name, html });
/** A text in which backticks enclose code. */
const rich = (text) => text.split("`").map((part, nth) => (nth % 2 ? h("code", part) : part));
const plain = (text) => text.replaceAll("`", "");
const quiet = (key, label, event, more = {}) =>
  h("button.pp-quiet", { key, event, ...more }, label);

/** All blocks. `ui` has words, before (texts of the last program), pending and isUnfolded. */
export function blocks(data, ui) {
  const { words } = ui;
  const heading = `h${data.level ?? 1}.pp-title`;
  const title = data.title && h(heading, { tabindex: "-1", key: "title" }, rich(data.title));
  const card = [
    (data.lines.length > 0 || data.picture) && stage(data, ui),
    data.question && question(data.question, words),
  ].filter(Boolean);
  return [
    data.rail && rail(data.rail, words),
    data.overline && h("p.pp-overline", { key: "overline" }, data.overline),
    title,
    markup("prose", data.prose_html),
    data.row?.length > 0 && settings(data.row, ui),
    card.length > 0 && h("div.pp-card", { key: "card" }, card),
    markup("table", data.table_html),
    markup("reason", data.reason_html),
    markup("recorded", data.recorded_html),
    markup("idea", data.idea_html),
    data.challenges?.length > 0 && challenges(data.challenges, words),
    footer(data, words),
    data.rail && stepList(data.rail, words),
  ].filter(Boolean);
}

// The lesson's steps --------------------------------------------------------------------------

const nameOf = (step, index) => `${index + 1}. ${step.title}`;

/** Attributes of a button that leads to a step. */
function leadsTo(step, index, words) {
  const isCurrent = step.state === "current";
  return {
    event: isCurrent ? undefined : { type: "step", id: step.id },
    "aria-current": isCurrent && "step",
    "aria-label": plain(nameOf(step, index)) + (step.state === "done" ? ` (${words.done})` : ""),
  };
}

function rail(steps, words) {
  const at = Math.max(
    0,
    steps.findIndex(({ state }) => state === "current"),
  ); // reached by Tab
  const dots = steps.map((step, index) => {
    const tabindex = index === at ? "0" : "-1";
    const own = {
      ...leadsTo(step, index, words),
      tabindex,
      "data-title": plain(nameOf(step, index)),
    };
    const sign = step.state === "done" ? "✓" : String(index + 1);
    return h("li", { class: `is-${step.state}` }, h("button.pp-dot", own, sign));
  });
  return h("nav.pp-rail", { "aria-label": words.steps, key: "rail" }, h("ol", dots));
}

function stepList(steps, words) {
  const items = steps.map((step, index) => {
    const sign = step.state === "done" && h("span.pp-sign", "✓");
    return h(
      "li",
      h("button.pp-quiet", leadsTo(step, index, words), rich(nameOf(step, index)), sign),
    );
  });
  return h("details.pp-steps", { key: "steps" }, h("summary", words.steps), h("ol", items));
}

// Settings, program, picture ------------------------------------------------------------------

function settings(controls, ui) {
  const labels = controls.map((control) =>
    h("label", { key: control.field }, h("span", HIDDEN, control.label), word(control, ui)),
  );
  return h("div.pp-row", { role: "group", "aria-label": ui.words.settings, key: "row" }, labels);
}

function stage(data, ui) {
  const { lines, picture, facts_html: facts } = data;
  const film = picture && [drawn(picture), player(picture.svg, ui.words), data.points && tools(data.points, ui)].filter(Boolean);
  const chart = data.has_chart && h("div.pp-chart", { key: "chart" }); // the page puts the chart there
  const sides = [film && h("div.pp-film", { key: "film" }, film), chart, markup("facts", facts)].filter(Boolean);
  const side = sides.length > 0 && h("div.pp-side", { key: "side" }, h("div.pp-sticky", sides));
  const width = /viewBox="\S+ \S+ ([\d.]+)/.exec(picture?.svg)?.[1] ?? 320;
  const digits = String(lines.at(-1)?.number ?? "").length;
  const style = `--columns: ${columnsOf(lines)}; --digits: ${digits}; --picture: ${width}px`;
  return h("div.pp-stage", { style, key: "stage" }, lines.length > 0 && program(data, ui), side);
}

function drawn({ svg, alt }) {
  const box = h("div.pp-picture", { role: "img", "aria-label": alt, key: "picture", html: svg });
  box.exchange = glide;
  return box;
}

function program({ lines, folded, badge, is_simulated: simulated }, ui) {
  const { words } = ui;
  const rows = lines.map((each, index) => line(each, index, ui));
  if (folded) {
    const isFolded = ({ number }) => number >= folded[0] && number <= folded[1];
    const count = ui.isUnfolded ? 0 : lines.filter(isFolded).length;
    rows.splice(lines.findIndex(isFolded), count, fold(lines.find(isFolded), folded, ui));
  }
  const tools = ["reset", "edit"].filter((type) => words[type]);
  const head = h(
    "div.pp-head",
    h("span.pp-head-title", words.program),
    badge && h("span.pp-badge", { class: simulated && "is-simulated" }, badge),
    h(
      "span.pp-tools",
      tools.map((type) => quiet(type, words[type], { type })),
    ),
  );
  const attributes = { role: "group", "aria-label": words.program, key: "program" };
  return h("div.pp-program", attributes, head, h("div.pp-lines", rows));
}

function fold(first, [from, to], ui) {
  const text = first.parts.map((part) => part.text ?? part.value).join("");
  const attributes = { key: "fold", "data-do": "fold", "aria-expanded": String(ui.isUnfolded) };
  const number = h("span.pp-number", `${from}–${to}`);
  return h("button.pp-fold", attributes, number, h("code.pp-code", `${text} …`));
}

function line(data, index, ui) {
  const { number, parts, mark, notes, printed, warnings = [], remarks_html: remarks = [], answer, fix } = data;
  const tone = mark === "failed" ? mark : (answer?.tone ?? mark);
  const sign = tone in SIGNS && h("span", HIDDEN, SIGNS[tone]);
  return h(
    "div.pp-line",
    { class: tone && `is-${tone}`, key: `line ${number}` },
    h("span.pp-number", String(number), sign),
    h("div.pp-text", code(parts, ui, index, ui.before), notes?.length > 0 && notesOf(notes)),
    h(
      "div.pp-under",
      printed && h("pre.pp-printed", { key: "printed" }, printed),
      printed?.split("\n").length > COPIED_LINES &&
        quiet("copy-printed", ui.words.copy, undefined, { "data-do": "copy-printed" }),
      warnings.map((text, nth) => h("p.pp-warning", { key: `warning ${nth}` }, text)),
      remarks.map((html, nth) => h("p.pp-warning.pp-remark", { key: `remark ${nth}`, html })),
      answer && answerBox(answer),
      fix && fixLine(fix, ui),
    ),
  );
}

function notesOf(notes) {
  const chip = (name) => h("span.pp-device", { class: deviceClass(name) }, name);
  const note = ({ text, devices = [] }) => h("span.pp-note", text, devices.map(chip));
  return h("span.pp-notes", notes.map(note));
}

function answerBox({ tone, title_html: title, text_html: text, said_html: said }) {
  const head = [h("strong", { html: title }), said && h("span.pp-said", { html: said })];
  const quote = text && h("div.pp-quote", { html: text });
  const inner = h("div.pp-answer-inner", h("div.pp-answer-head", head), quote);
  return h(
    "div.pp-answer",
    { class: `is-${tone}`, tabindex: "-1", role: "group", key: "answer" },
    inner,
  );
}

function fixLine({ text, note_html: html }, ui) {
  const note = html && h("span.pp-fix-note", { html });
  const apply = h("button.pp-apply", { event: { type: "apply" } }, ui.words.apply);
  const lines = text.split("\n").map((each) => code([{ text: each }], ui));
  return h("div.pp-fix", { key: "fix" }, h("div.pp-fix-lines", lines), note, apply);
}

// Question ------------------------------------------------------------------------------------

function question({ html, answers, said, truth, is_fair: isFair, is_open: isOpen, lightly }, words) {
  const open = ({ id, html: label }, index) => {
    const isSame = lightly && id === said;
    const attributes = { class: isSame && "is-same", event: { type: "answer", id } };
    const digit = index < 9 && h("kbd", HIDDEN, String(index + 1));
    const again = isSame && words.same_again;
    return h("button.pp-choice", attributes, digit, again, h("span", { html: label }));
  };
  const closed = ({ id, html: label }) => {
    const wrong = isFair ? ["is-wrong", "✗"] : ["is-same"];
    const chosen = truth ? wrong : ["is-same", words.same_again]; // not revealed yet
    const [kind, sign] = id === truth ? ["is-truth", "✓"] : id === said ? chosen : [];
    return h(
      "span.pp-choice",
      { class: kind },
      sign && h("span", sign),
      h("span", { html: label }),
    );
  };
  const keys = h("kbd", HIDDEN, navigator.platform.startsWith("Mac") ? "⌘ ⏎" : "Ctrl ⏎");
  const choices = answers.map(isOpen ? open : closed);
  const other = isOpen
    ? words.run && quiet("run", [words.run, keys], { type: "run" })
    : words.again && quiet("again", words.again, { type: "again" });
  const state = [!isOpen && "is-over", lightly && "is-light"].filter(Boolean).join(" ");
  return h(
    "section.pp-question",
    { class: state, key: "question" },
    h("p.pp-ask", { id: "pp-ask", html }),
    h("div.pp-choices", { role: "group", "aria-labelledby": "pp-ask" }, choices, other),
  );
}

// After the answer ----------------------------------------------------------------------------

function challenges(all, words) {
  const items = all.map(({ id, html, is_met: isMet, hint_html: hint }) => {
    const label = `pp-challenge-${id}`;
    const state = { "aria-checked": String(!!isMet), "aria-disabled": "true" };
    const box = h(
      "span.pp-box",
      { role: "checkbox", "aria-labelledby": label, ...state },
      isMet && "✓",
    );
    const more = hint && h("details", h("summary", words.hint), h("div", { html: hint }));
    const text = h("div", h("span", { id: label, html }), more);
    return h("li", { key: id, class: isMet && "is-met" }, box, text);
  });
  return h("ul.pp-challenges", { "aria-label": words.challenges, key: "challenges" }, items);
}

function footer({ lines, next, previous, rounds, link, question: asked }, words) {
  const back =
    previous &&
    quiet(
      "previous",
      rich(`‹ ${previous.label}`),
      { type: "step", id: previous.id },
      { "aria-label": `${words.previous}: ${plain(previous.label)}` },
    );
  const lab = words.lab && lines.length > 0 && quiet("lab", words.lab, { type: "lab" });
  const copy = link && quiet("copy", words.copy_link, undefined, { "data-do": "copy" });
  const forward = [];
  if (rounds?.count > 1 && !asked?.is_open) {
    const event = { type: "round", number: (rounds.now % rounds.count) + 1 };
    const place = h("span.pp-muted", `${rounds.now}/${rounds.count}`);
    forward.push(h("button.pp-button", { key: "round", event }, words.another_round, " ", place));
  }
  if (next) {
    const event = { type: "step", id: next.id };
    const attributes = { key: "next", event, class: next.is_primary && "is-primary" };
    forward.push(
      h("button.pp-button", attributes, h("span", rich(next.label)), h("span", HIDDEN, " →")),
    );
  }
  const ahead = forward.length > 0 && h("span.pp-forward", { key: "forward" }, forward);
  if (!(back || lab || copy || ahead)) return null;
  return h("div.pp-footer", { key: "footer" }, back, lab, copy, ahead);
}
