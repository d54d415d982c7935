// The lab's code editor: CodeMirror 6 as a component of Streamlit. tools/build_editor.sh bundles it.
//
// What it is given: `text` and `version` (another version replaces the text), `marks` (lines with a
// sentence each), `label`. What it tells: `edited`, {text, version, at}, a moment after typing, and
// at once where the visitor leaves it; `asked`, the same on Ctrl+Enter or Cmd+Enter; `ready`.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import {
  bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const PAUSE = 700; // milliseconds without a key before the server is told

// Both themes in one rule: the page says which one is on by its colour scheme.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "light-dark(#8250df, #c792ea)" },
  { tag: [tags.string, tags.special(tags.string)], color: "light-dark(#0a6640, #9fd78a)" },
  { tag: [tags.number, tags.bool, tags.null, tags.self], color: "light-dark(#0550ae, #79b8ff)" },
  { tag: tags.comment, color: "light-dark(#5c6773, #93a0b0)", fontStyle: "italic" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: "light-dark(#7a4100, #f0c27b)",
  },
  { tag: [tags.definition(tags.variableName), tags.className], color: "light-dark(#0b4f9e, #82c4ff)" },
  { tag: tags.meta, color: "light-dark(#5c6773, #93a0b0)" },
]);

const looks = EditorView.theme({
  "&": {
    border: "1px solid var(--tp-line)",
    borderRadius: "10px",
    backgroundColor: "var(--st-code-background-color, var(--st-secondary-background-color))",
    color: "var(--tp-ink)",
    colorScheme: "inherit",
    fontSize: "0.86rem",
  },
  "&.cm-focused": { outline: "2px solid var(--tp-accent)", outlineOffset: "-1px" },
  ".cm-scroller": {
    fontFamily: "var(--st-code-font, ui-monospace, monospace)",
    lineHeight: "1.6",
    borderRadius: "10px",
    minHeight: "19rem",
    maxHeight: "min(70vh, 44rem)",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--tp-ink)", padding: ".6rem 0" },
  ".cm-line": { padding: "0 .7rem 0 .4rem" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--tp-muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { paddingLeft: ".6rem", minWidth: "1.9rem" },
  ".cm-gutter-lint": { width: "1rem" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--tp-ink) 4%, transparent)",
  },
  ".cm-cursor": { borderLeftColor: "var(--tp-ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--tp-accent) 26%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in srgb, var(--tp-accent) 22%, transparent)",
  },
  ".cm-marked": {
    backgroundColor: "color-mix(in srgb, var(--tp-trouble) 13%, transparent)",
    boxShadow: "inset 3px 0 0 var(--tp-trouble)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--tp-paper)",
    color: "var(--tp-ink)",
    border: "1px solid var(--tp-line)",
    borderRadius: "8px",
    maxWidth: "min(34rem, 80vw)",
  },
  ".cm-diagnostic": { padding: ".4rem .7rem", whiteSpace: "pre-wrap", borderLeft: "none" },
  "@media (max-width: 640px)": { ".cm-scroller": { minHeight: "14rem", maxHeight: "52vh" } },
  "@media (pointer: coarse)": { "&": { fontSize: "16px" } }, // a smaller one makes phones zoom in
});

const mark = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    lines = lines.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(mark)) lines = effect.value;
    return lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const editors = new WeakMap(); // by the element that Streamlit gave: it calls again with new data

export default function (given) {
  const known = editors.get(given.parentElement);
  const editor = known ?? open(given);
  if (!known) given.setTriggerValue("ready", true);
  editors.set(given.parentElement, editor);
  editor.take(given);
  return () => editor.leave(given.parentElement);
}

function open(first) {
  let given = first;
  let version = first.data.version;
  let told = first.data.text;
  let marks = "";
  let timer = 0;
  const label = new Compartment();

  const value = () => ({ text: view.state.doc.toString(), version, at: Date.now() });
  const tell = () => {
    clearTimeout(timer);
    timer = 0;
    const now = value();
    if (now.text === told) return;
    told = now.text;
    given.setStateValue("edited", now);
  };
  const ask = () => {
    clearTimeout(timer);
    timer = 0;
    told = view.state.doc.toString();
    given.setTriggerValue("asked", value());
    return true;
  };
  const outside = (event) => {
    if (timer && !view.dom.contains(event.target)) tell();
  };

  const host = document.createElement("div");
  host.className = "tp-editor";
  first.parentElement.append(host);
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: first.data.text,
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(), pythonLanguage, marked, looks,
        syntaxHighlighting(colours), indentUnit.of("    "), EditorState.tabSize.of(4),
        label.of(named(first.data.label)),
        keymap.of([
          { key: "Mod-Enter", run: ask, preventDefault: true, stopPropagation: true },
          { key: "Ctrl-Enter", run: ask, preventDefault: true, stopPropagation: true },
          ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          if (update.transactions.some((each) => each.annotation(Transaction.remote))) return;
          clearTimeout(timer);
          timer = setTimeout(tell, PAUSE);
        }),
        EditorView.domEventHandlers({ blur: () => void (timer && tell()) }),
      ],
    }),
  });
  // A press on a button elsewhere is to find the server informed, also where it takes no focus.
  document.addEventListener("pointerdown", outside, true);
  window.addEventListener("pagehide", tell);

  return {
    take(next) {
      given = next;
      const { data } = next;
      view.dispatch({ effects: label.reconfigure(named(data.label)) });
      if (data.version !== version) {
        version = data.version;
        clearTimeout(timer);
        timer = 0;
        told = data.text;
        if (data.text !== view.state.doc.toString())
          view.dispatch({
            changes: { from: 0, to: view.state.doc.length, insert: data.text },
            selection: { anchor: 0 },
            annotations: Transaction.remote.of(true), // undo brings the text before back
            scrollIntoView: true,
          });
      }
      const wanted = JSON.stringify([data.marks, version]);
      if (wanted !== marks) show(data.marks);
      marks = wanted;
    },
    leave(parent) {
      // Streamlit also says goodbye before it calls again with new data: wait and see.
      queueMicrotask(() => setTimeout(() => {
        if (host.isConnected) return;
        document.removeEventListener("pointerdown", outside, true);
        window.removeEventListener("pagehide", tell);
        editors.delete(parent);
        view.destroy();
      }, 0));
    },
  };

  function show(wanted) {
    const { doc } = view.state;
    const seen = wanted.filter((each) => each.line >= 1 && each.line <= doc.lines);
    const lines = [...new Set(seen.map((each) => each.line))].sort((a, b) => a - b);
    const diagnostics = seen.map((each) => {
      const line = doc.line(each.line);
      const from = Math.min(line.from + Math.max(each.column, 0), line.to);
      const start = from === line.to ? line.from + line.text.search(/\S|$/) : from;
      return { from: start, to: line.to, severity: "error", message: each.sentence };
    });
    view.dispatch(setDiagnostics(view.state, diagnostics));
    view.dispatch({
      effects: mark.of(
        Decoration.set(
          lines.map((line) => Decoration.line({ class: "cm-marked" }).range(doc.line(line).from))
        )
      ),
    });
    if (lines.length)
      view.dispatch({ effects: EditorView.scrollIntoView(doc.line(lines[0]).from, { y: "nearest" }) });
  }
}

function named(label) {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
  });
}
