// Completion, the signature of the call around the cursor, and documentation on hover.
import {
  acceptCompletion, autocompletion, completionKeymap, completionStatus, selectedCompletionIndex,
  startCompletion,
} from "@codemirror/autocomplete";
import { indentLess, indentMore } from "@codemirror/commands";
import { localCompletionSource } from "@codemirror/lang-python";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";
import { programOf, treeOf } from "./program.js";

const MAX_DETAIL = 44;
const PAUSE = 40, MAX_TRIES = 25; // milliseconds between two looks at a search, and how many
const KEYWORDS = (
  "and as assert break class continue def del elif else except False finally for from global if " +
  "import in is lambda None nonlocal not or pass raise return self True try while with yield"
).split(" ");
// Offered first among those that begin alike: what the first chapters of a course use.
const COMMON = new Set((
  "shape dtype device sum mean max argmax reshape view item to backward grad detach numpy T zeros ones rand randn " +
  "tensor arange manual_seed matmul cat stack Linear ReLU Sequential Module parameters named_parameters train eval " +
  "state_dict zero_grad step no_grad relu cross_entropy mse_loss print range len plot show"
).split(" "));
const QUIET = new Set(["String", "FormatString", "Comment"]);

let names; // of names.json, once they have arrived
let asked;

// Asks for the names once; without them the editor completes the program's own names alone.
function load() {
  asked ??= fetch(new URL("names.json", import.meta.url))
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .then((table) => (names = table), () => undefined);
  return asked;
}

function typeOf(name, text, isMember) {
  if (/^(class|def)$/.test(text)) return "keyword";
  if (/^[A-Z]\w*[a-z]/.test(name)) return "class";
  if (text.startsWith("(")) return isMember ? "method" : "function";
  return isMember ? "property" : "variable";
}

function option(name, text, { owner = "", isMember = false, boost = 0 } = {}) {
  const [signature, sentence] = text.split("\n");
  const detail = signature.length > MAX_DETAIL ? `${signature.slice(0, MAX_DETAIL - 1)}…` : signature;
  return {
    label: name, type: typeOf(name, text, isMember), detail,
    boost: boost + (COMMON.has(name) ? 2 : 0) - (name.endsWith("_") ? 1 : 0),
    ...(text ? { info: () => described({ name: owner ? `${owner}.${name}` : name, signature, sentence }) } : {}),
  };
}

function described({ name, signature, sentence }, active = -1) {
  const box = document.createElement("div");
  box.className = "cm-described";
  const head = document.createElement("code");
  const pieces = signature ? cut(signature) : [];
  head.append(name.replace(/^torch\.nn\.functional\./, "F.").replace(/^torch\.nn\./, "nn."));
  for (const { text, at } of pieces) {
    const part = document.createElement(at >= 0 && at === active ? "b" : "span");
    part.textContent = text;
    head.append(part);
  }
  box.append(head);
  if (sentence) {
    const line = document.createElement("div");
    line.textContent = sentence;
    box.append(line);
  }
  return box;
}

// Cut "(a, b=(1, 2)) -> Tensor" into its parameters (`at` is the place) and what is around them (-1).
function cut(signature) {
  const pieces = [{ text: "(", at: -1 }];
  let depth = 0, start = 1, at = 0;
  for (let place = 0; place < signature.length; place++) {
    const each = signature[place];
    if ("([{".includes(each)) depth++;
    else if (")]}".includes(each)) depth--;
    if ((each === "," && depth === 1) || (each === ")" && depth === 0)) {
      pieces.push({ text: signature.slice(start, place), at: at++ }, { text: each, at: -1 });
      start = place + 1;
      if (depth === 0) break;
    }
  }
  pieces.push({ text: signature.slice(start), at: -1 });
  return pieces;
}

function parametersOf(signature) {
  return cut(signature).filter(({ at }) => at >= 0).map(({ text }) => text.trim());
}

// The topmost expression that ends where a dot stands.
function before(state, dot) {
  let node = treeOf(state).resolveInner(dot, -1);
  while (node.parent && node.parent.to === dot && node.parent.name !== "ExpressionStatement") node = node.parent;
  return node.to === dot ? node : undefined;
}

async function complete(context) {
  const { state, pos } = context;
  const word = context.matchBefore(/\w*$/);
  const line = state.doc.lineAt(pos);
  const start = state.sliceDoc(line.from, pos);
  if (QUIET.has(treeOf(state).resolveInner(pos, -1).name)) return null;
  const isDot = state.sliceDoc(word.from - 1, word.from) === ".";
  if (!isDot && word.from === word.to && !context.explicit) return null;
  if (/^\d/.test(word.text)) return null;
  await load();
  if (context.aborted) return null;
  const found = (options) => (options.length ? { from: word.from, options, validFor: /^\w*$/ } : null);
  const local = localCompletionSource(context)?.options ?? [];
  if (!names) return isDot ? null : found(local);
  const program = programOf(state, names);
  const imported = /^\s*from\s+([\w.]+)\s+import\s[\w,\s()]*$/.exec(start);
  if (imported) return found(membersOf(imported[1]));
  const path = /^\s*(?:from|import)\s+(?:[\w.]+\s*(?:as\s+\w+)?,\s*)?([\w.]*)$/.exec(start);
  if (path) return found(modulesUnder(path[1]));
  if (isDot) return found(attributesAt(state, program, word.from - 1));
  return found([...keywordArguments(state, program, pos), ...here(program, local)]);
}

function membersOf(module) {
  const parts = (names.parts[module] ?? "").split(" ").filter(Boolean);
  return [
    ...parts.map((name) => ({ label: name, type: "namespace", boost: 2 })),
    ...Object.entries(names.modules[module] ?? {}).map(([name, text]) => option(name, text, { owner: module })),
  ];
}

function modulesUnder(path) {
  const above = path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "";
  const start = above ? `${above}.` : "";
  const parts = Object.keys(names.modules)
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length).split(".")[0]);
  return [...new Set(parts)].map((label) => ({ label, type: "namespace" }));
}

function attributesAt(state, program, dot) {
  const node = before(state, dot);
  const chain = node && program.chainOf(node);
  const [module, member] = chain ? program.memberOf(chain) : [];
  if (module && !member) return membersOf(module);
  const kind = node && program.kindOf(node);
  const offered = ([name, text, owner]) => option(name, text, { owner, isMember: true, boost: owner ? 0 : 5 });
  if (kind) return program.attributesOf(kind).map(offered);
  const both = ["Tensor", "Module"].flatMap((each) => program.attributesOf(each));
  const seen = new Map(both.map((each) => [each[0], offered(each)]));
  for (const each of program.classes.values())
    for (const name of each.attributes) seen.set(name, offered([name, "", ""]));
  return [...seen.values()];
}

function here(program, local) {
  const own = local.map((each) => ({ ...each, boost: 3 }));
  const taken = new Set(own.map((each) => each.label));
  const more = [
    ...[...program.roots].map(([label, module]) => ({ label, type: "namespace", detail: module, boost: 2 })),
    ...[...program.members].map(([name, [module, member]]) =>
      option(name, names.modules[module][member], { owner: module, boost: 1 })),
    ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
    ...Object.entries(names.builtins).map(([name, text]) => option(name, text)),
  ];
  return [...own, ...more.filter((each) => !taken.has(each.label))];
}

// The call around a place: {args, called, at, named}, where `at` is the place of the argument.
function callAround(state, pos) {
  for (let node = treeOf(state).resolveInner(pos, -1); node; node = node.parent) {
    if (node.name === "Body") return undefined;
    if (node.name !== "ArgList" || node.parent?.name !== "CallExpression") continue;
    const isClosed = node.lastChild?.name === ")";
    if (pos <= node.from || (isClosed ? pos >= node.to : pos > node.to)) continue;
    let at = 0, begin = node.from + 1;
    for (let each = node.firstChild; each && each.from < pos; each = each.nextSibling)
      if (each.name === ",") (at += 1), (begin = each.to);
    const named = /^\s*(\w+)\s*=(?!=)/.exec(state.sliceDoc(begin, Math.max(begin, pos)))?.[1];
    return { args: node, called: node.parent.firstChild, at, named };
  }
  return undefined;
}

function keywordArguments(state, program, pos) {
  const call = callAround(state, pos);
  if (!call || call.named) return [];
  const found = program.describe(call.called);
  const given = state.sliceDoc(call.args.from, call.args.to);
  return parametersOf(found?.signature ?? "")
    .map((each) => /^(\w+)\s*(?::[^=]*)?=/.exec(each)?.[1])
    .filter((name) => name && !name.startsWith("_") && !new RegExp(`\\b${name}\\s*=`).test(given))
    .map((name) => ({ label: `${name}=`, type: "property", boost: 4 }));
}

const showSignature = StateEffect.define();

function signatureAt(state) {
  const pos = state.selection.main.head;
  const call = names && state.selection.ranges.length === 1 ? callAround(state, pos) : undefined;
  const found = call && programOf(state, names).describe(call.called);
  if (!found?.signature) return null;
  const parameters = parametersOf(found.signature);
  const star = parameters.findIndex((each) => /^\*\w/.test(each));
  const only = parameters.findIndex((each) => each === "*");
  let active = call.at;
  if (call.named) active = parameters.findIndex((each) => each.split(/[=:]/)[0].trim() === call.named);
  else if (star >= 0 && active > star) active = star;
  else if (only >= 0 && active >= only) active = -1; // a keyword is needed
  return {
    pos: call.args.from, above: true,
    create: () => ({ dom: described(found, active) }),
  };
}

// Shown after typing in a call, or on Ctrl-Shift-Space, until the cursor leaves it or on Escape.
const signature = StateField.define({
  create: () => null,
  update(tip, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(showSignature)) return effect.value ? signatureAt(transaction.state) : null;
    if (transaction.isUserEvent("input.type") || (tip && (transaction.docChanged || transaction.selection)))
      return signatureAt(transaction.state);
    return transaction.docChanged ? null : tip;
  },
  provide: (field) => showTooltip.from(field),
});

const hover = hoverTooltip(async (view, pos, side) => {
  let node = treeOf(view.state).resolveInner(pos, side);
  if (node.name !== "VariableName" && node.name !== "PropertyName") return null;
  const { from, to } = node;
  if (node.name === "PropertyName") node = node.parent;
  await load();
  const found = names && programOf(view.state, names).describe(node);
  if (!found || !(found.signature || found.sentence)) return null;
  return { pos: from, end: to, above: true, create: () => ({ dom: described(found) }) };
});

// Accept what is offered, also where it is still being searched for what was typed last.
function acceptSoon(view, tries = MAX_TRIES) {
  const status = completionStatus(view.state);
  if (status === "active") return acceptCompletion(view);
  if (status === "pending" && tries > 0) setTimeout(() => acceptSoon(view, tries - 1), PAUSE);
  return status === "pending";
}

// Tab accepts what is offered; it completes behind a name, indents at the start of a line or of
// what is selected, and else fills up to the next stop.
function tab(view) {
  if (acceptSoon(view)) return true;
  const { main, ranges } = view.state.selection;
  const line = view.state.doc.lineAt(main.head);
  const start = view.state.sliceDoc(line.from, main.head);
  if (ranges.some((each) => !each.empty) || !start.trim()) return indentMore(view);
  if (/[\w.]$/.test(start)) return startCompletion(view);
  view.dispatch(view.state.replaceSelection(" ".repeat(4 - (start.length % 4))), { userEvent: "input" });
  return true;
}

function hide(view) {
  if (view.state.field(signature, false)) view.dispatch({ effects: showSignature.of(false) });
  return false; // Escape does more than this
}

export const assistance = [
  autocompletion({
    override: [complete], maxRenderedOptions: 60, defaultKeymap: false,
    interactionDelay: 0, // the delay guards Enter, which takes no first choice here
  }),
  signature, hover,
  EditorView.updateListener.of(({ transactions, view }) => {
    if (!names && transactions.some((each) => each.isUserEvent("input.type")))
      load().then(() => view.dispatch({ effects: showSignature.of(true) }));
  }),
  Prec.high(keymap.of([
    { key: "Escape", run: hide },
    ...completionKeymap.filter(({ key }) => key !== "Enter"),
    // Of a list that only came up while typing, Enter takes nothing: it ends the line.
    { key: "Enter", run: (view) => selectedCompletionIndex(view.state) > 0 && acceptCompletion(view) },
    { key: "Tab", run: tab, shift: indentLess },
    {
      key: "Ctrl-Shift-Space",
      run: (view) => (void load().then(() => view.dispatch({ effects: showSignature.of(true) })), true),
    },
  ])),
  EditorView.domEventHandlers({
    focus: () => void load(), // when it is used, not when the page opens
    blur: (_, view) => void hide(view),
  }),
];
