// Remarks on lines: what a run has said, and what the check finds in a text that was not run yet.
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

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

export const marks = [lintGutter(), marked];

// Each has a line and a column, a sentence, a severity, and whether it is the result of a run: only
// such a line is coloured and scrolled to, since the others change while somebody types.
export function show(view, wanted) {
  const { doc } = view.state;
  const seen = wanted.filter((each) => each.line >= 1 && each.line <= doc.lines);
  const diagnostics = seen.map((each) => {
    const line = doc.line(each.line);
    const from = Math.min(line.from + Math.max(each.column, 0), line.to);
    const start = from === line.to ? line.from + line.text.search(/\S|$/) : from;
    const word = each.is_run ? null : /^\w+/.exec(doc.sliceString(start, line.to));
    const to = word ? start + word[0].length : line.to;
    return { from: start, to, severity: each.severity, message: each.sentence };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
  const ran = seen.filter((each) => each.is_run).map((each) => each.line);
  const lines = [...new Set(ran)].sort((a, b) => a - b);
  const places = lines.map((line) => Decoration.line({ class: "cm-marked" }).range(doc.line(line).from));
  view.dispatch({ effects: mark.of(Decoration.set(places)) });
  if (lines.length)
    view.dispatch({ effects: EditorView.scrollIntoView(doc.line(lines[0]).from, { y: "nearest" }) });
}
