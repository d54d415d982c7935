// The lab's code editor: CodeMirror 6 as a component of Streamlit. tools/build_editor.sh bundles it.
//
// What it is given: `text` and `version` (another version replaces the text), `marks` (see marks.js;
// they belong to `text`), `label`, `phrases` (the editor's own words in the visitor's language). What
// it tells: `edited`, {text, version, at}, a moment after typing, and at once where the visitor leaves
// it; `asked`, the same on Ctrl+Enter or Cmd+Enter; `ready`.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  crosshairCursor, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap,
  lineNumbers, rectangularSelection,
} from "@codemirror/view";
import { assistance } from "./assistance.js";
import { looks } from "./looks.js";
import { marks, show } from "./marks.js";

const PAUSE = 700; // milliseconds without a key before the server is told

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
  let marked = "";
  let spoken = JSON.stringify([first.data.label, first.data.phrases]);
  let timer = 0;
  const words = new Compartment();

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
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
        highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), pythonLanguage,
        EditorState.allowMultipleSelections.of(true), rectangularSelection(), crosshairCursor(),
        search({ top: true }), marks, looks, assistance, indentUnit.of("    "), EditorState.tabSize.of(4),
        words.of(named(first.data)),
        keymap.of([
          { key: "Mod-Enter", run: ask, preventDefault: true, stopPropagation: true },
          { key: "Ctrl-Enter", run: ask, preventDefault: true, stopPropagation: true },
          ...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap,
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
      const said = JSON.stringify([data.label, data.phrases]);
      if (said !== spoken) view.dispatch({ effects: words.reconfigure(named(data)) });
      spoken = said;
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
      if (data.text !== view.state.doc.toString()) return; // the marks of this text are to come
      const wanted = JSON.stringify([data.marks, version, data.text]);
      if (wanted !== marked) show(view, data.marks);
      marked = wanted;
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
}

function named({ label, phrases }) {
  return [
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({
      "aria-label": label,
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
    }),
  ];
}
