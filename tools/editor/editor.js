// The lab's code editor: CodeMirror 6 as a component of Streamlit. tools/bundle.sh bundles it.
//
// What it is given: `text` and `version` (another version replaces the text), `marks` (see marks.js;
// they belong to `text`), `label`, `phrases` (the editor's own words in the visitor's language),
// `words` (of the strip), `link` (a query with the text, or empty). Where `has_programs` is set, there
// is a tab for each program: `document`, `name` and `original` say what the text is, `opened` counts
// the texts that were opened, `is_first` says that the visitor has asked for none yet.
//
// What it tells: `edited`, {text, version, at}, a moment after typing, and at once where the visitor
// leaves it; `asked`, the same on Ctrl+Enter or Cmd+Enter; `switched`, the same with `document` and
// `original`, where another program was chosen; `ready`.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyField, historyKeymap, isolateHistory } from "@codemirror/commands";
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
import { Programs } from "./programs.js";
import { Strip } from "./strip.js";

const PAUSE = 700; // milliseconds without a key before the text is sent to the server

const editors = new WeakMap(); // by the element that Streamlit gave: it calls again with new data

export default function (component) {
  const given = { ...component, data: component.data[0] };
  const known = editors.get(given.parentElement);
  const editor = known ?? new Editor(given);
  if (!known) given.setTriggerValue("ready", true);
  editors.set(given.parentElement, editor);
  editor.take(given);
  return () => editor.leave(given.parentElement);
}

class Editor {
  constructor(given) {
    const { data, parentElement } = given;
    this.given = given;
    this.version = data.version;
    this.opened = data.opened;
    this.sent = data.text;
    this.marked = this.spoken = "";
    this.timer = 0;
    this.isLinkWanted = false;
    this.states = new Map(); // by program
    this.words = new Compartment();
    this.extensions = this._extensions();
    this.programs = data.has_programs ? new Programs() : undefined;
    this.host = document.createElement("div");
    this.host.className = "tp-editor";
    this.view = new EditorView({ state: EditorState.create({ doc: data.text, extensions: this.extensions }) });
    this.strip = new Strip(this.view, this.programs, {
      open: (program) => this._switch(program),
      add: () => this._switch(this.programs.add({ document: "", name: "", original: "", text: "" }), true),
      close: (program) => this._close(program),
      reopen: () => this._switch(this.programs.reopen(), true),
      copy: () => this._copy(),
    });
    this.host.append(this.strip.dom, this.view.dom);
    parentElement.append(this.host);
    this.strip.draw(data.words);
    if (this.programs) this._open(data);
    // A press on a button elsewhere is to find the server informed, also where it takes no focus.
    this.outside = (event) => this.timer && !this.view.dom.contains(event.target) && this.sendText();
    this.hidden = () => (this._save(), this.sendText()); // what is sent may not arrive
    document.addEventListener("pointerdown", this.outside, true);
    window.addEventListener("pagehide", this.hidden);
  }

  _extensions() {
    const ask = () => this.ask();
    return [
      lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
      highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), pythonLanguage,
      EditorState.allowMultipleSelections.of(true), rectangularSelection(), crosshairCursor(),
      search({ top: true }), marks, looks, assistance, indentUnit.of("    "), EditorState.tabSize.of(4),
      this.words.of(named(this.given.data)),
      keymap.of([
        { key: "Mod-Enter", run: ask, preventDefault: true, stopPropagation: true },
        { key: "Ctrl-Enter", run: ask, preventDefault: true, stopPropagation: true },
        ...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap,
      ]),
      EditorView.updateListener.of((update) => this._note(update)),
      EditorView.domEventHandlers({ blur: () => void (this.timer && this.sendText()) }),
    ];
  }

  get text() {
    return this.view.state.doc.toString();
  }

  _value() {
    return { text: this.text, version: this.version, at: Date.now() };
  }

  _note(update) {
    if (!update.docChanged) return;
    this.strip.drawDepth();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this._save(), PAUSE / 2);
    if (update.transactions.some((each) => each.annotation(Transaction.remote))) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendText(), PAUSE);
  }

  _forget() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.sent = this.text;
    if (this.programs) this.programs.active.sent = this.sent;
  }

  sendText() {
    const isNews = this.text !== this.sent;
    this._forget();
    if (!isNews) return;
    this._save(); // before the server may answer with another program
    this.given.setStateValue("edited", this._value());
  }

  ask() {
    this._forget();
    this.given.setTriggerValue("asked", this._value());
    return true;
  }

  _save() {
    clearTimeout(this.saving);
    if (!this.programs) return;
    const { active } = this.programs;
    active.text = this.text;
    const isParted = this.programs.save(active, this.view.state.toJSON({ history: historyField }));
    if (isParted) this.strip.draw(this.given.data.words);
  }

  // The text that the server has opened: it may be in a tab already, with what the visitor made of it.
  _open(data) {
    const found = this.programs.find(data);
    const isFresh = found && data.text === data.original && data.document; // not a text from a link
    if (!found) this._show(this._reused(data) ?? this.programs.add(data));
    else this._show(found);
    if (this.text === data.text && this.programs.active.document === data.document) return this._forget();
    if (this.programs.isKept || isFresh || found?.sent === data.text) this._switched();
    else this._replace(data.text);
  }

  // A program that nobody has changed makes room for the next one.
  _reused(data) {
    const { active } = this.programs;
    if (!active || active.text !== active.original) return undefined;
    this.states.delete(active.id);
    delete active.history;
    return Object.assign(active, { document: data.document, name: data.name, original: data.original, text: data.text });
  }

  _show(program) {
    const { view, programs } = this;
    if (programs.active && programs.active !== program && programs.all.some((each) => each.id === programs.active.id)) {
      this.states.set(programs.active.id, view.state);
      this._save();
    }
    programs.activate(program);
    view.setState(this.states.get(program.id) ?? this._restored(program));
    this.marked = this.spoken = "";
    this.strip.draw(this.given.data.words);
  }

  _restored(program) {
    const { extensions } = this;
    try {
      const known = program.history?.doc === program.text ? program.history : undefined;
      if (known) return EditorState.fromJSON(known, { extensions }, { history: historyField });
    } catch {
      // of another version of the editor
    }
    return EditorState.create({ doc: program.text, extensions });
  }

  _switch(program, takesFocus = false) {
    if (program.id === this.programs.active?.id) return this.view.focus();
    this._show(program);
    this._switched();
    if (takesFocus) this.view.focus();
    return undefined;
  }

  _switched() {
    const { active } = this.programs;
    this._forget();
    this.given.setTriggerValue("switched", { ...this._value(), document: active.document, original: active.original });
  }

  _close(program) {
    this._save();
    const next = this.programs.close(program);
    this.states.delete(program.id);
    this._switch(next ?? this.programs.add({ document: "", name: "", original: "", text: "" }));
    this.strip.draw(this.given.data.words);
  }

  _copy() {
    this.isLinkWanted = true;
    this.sendText();
    this._copyIfKnown();
  }

  _copyIfKnown() {
    const { data } = this.given;
    if (!this.isLinkWanted || data.text !== this.text) return;
    this.isLinkWanted = false;
    if (data.link) this.strip.showLink(new URL(data.link, location.href.split(/[?#]/)[0]).href);
    else this.strip.say(data.words.no_link);
  }

  _replace(text) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: [Transaction.remote.of(true), isolateHistory.of("full")], // undo brings the text before back
      scrollIntoView: true,
    });
    this._forget();
  }

  take(next) {
    this.given = next;
    const { data } = next;
    const said = JSON.stringify([data.label, data.phrases, data.words]);
    if (said !== this.spoken) {
      this.view.dispatch({ effects: this.words.reconfigure(named(data)) });
      this.strip.draw(data.words);
    }
    this.spoken = said;
    const isOpened = data.opened !== this.opened;
    this.opened = data.opened;
    if (data.version !== this.version) {
      this.version = data.version;
      if (isOpened && this.programs) {
        this._save(); // of the program that was shown so far
        this._open(data);
      } else if (data.text !== this.text) this._replace(data.text);
      else this._forget();
    }
    this._copyIfKnown();
    if (data.text !== this.text) return; // the marks of this text are to come
    const wanted = JSON.stringify([data.marks, data.version, data.text]);
    if (wanted !== this.marked) show(this.view, data.marks);
    this.marked = wanted;
  }

  leave(parent) {
    // Streamlit also says goodbye before it calls again with new data: wait and see.
    queueMicrotask(() => setTimeout(() => {
      if (this.host.isConnected) return;
      this._save();
      document.removeEventListener("pointerdown", this.outside, true);
      window.removeEventListener("pagehide", this.hidden);
      editors.delete(parent);
      this.view.destroy();
    }, 0));
  }
}

function named({ label, phrases }) {
  return [
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({
      tabindex: "0", // it has the focus by itself; axe-core wants to read so
      "aria-label": label,
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
    }),
  ];
}
