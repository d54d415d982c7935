// The colours and the measures of the editor.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

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

const theme = EditorView.theme({
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
    boxShadow: "0 4px 14px color-mix(in srgb, var(--tp-ink) 14%, transparent)",
    maxWidth: "min(38rem, 88vw)",
    zIndex: "200",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--st-code-font, ui-monospace, monospace)",
    fontSize: ".86rem",
    maxHeight: "15rem",
    maxWidth: "min(34rem, 88vw)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".15rem .5rem", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "color-mix(in srgb, var(--tp-accent) 20%, transparent) !important",
    color: "var(--tp-ink) !important",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--tp-accent)" },
  ".cm-completionDetail": { color: "var(--tp-muted)", fontStyle: "normal", fontSize: ".92em" },
  ".cm-completionIcon": { opacity: ".75", width: "1.1em", paddingRight: ".5em" },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "min(24rem, 80vw)", padding: "0" },
  ".cm-described": { padding: ".45rem .7rem", lineHeight: "1.5", overflowWrap: "anywhere" },
  ".cm-described code": { fontFamily: "var(--st-code-font, ui-monospace, monospace)", fontSize: ".95em" },
  ".cm-described code b": { color: "var(--tp-accent)" },
  ".cm-described div": { fontFamily: "var(--st-font)", color: "var(--tp-muted)", marginTop: ".15rem" },
  ".cm-panels": {
    backgroundColor: "var(--tp-paper)",
    color: "var(--tp-ink)",
    borderColor: "var(--tp-line) !important",
    borderRadius: "10px 10px 0 0",
  },
  ".cm-panel.cm-search": { padding: ".5rem 2rem .5rem .6rem", fontFamily: "var(--st-font)" },
  ".cm-panel.cm-search label": { fontSize: ".86rem", margin: "0 .5rem" },
  ".cm-textfield": {
    backgroundColor: "var(--st-background-color)",
    color: "var(--tp-ink)",
    border: "1px solid var(--tp-line)",
    borderRadius: "6px",
    padding: ".3rem .5rem",
    fontSize: ".86rem",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--st-background-color)",
    color: "var(--tp-ink)",
    border: "1px solid var(--tp-line)",
    borderRadius: "6px",
    padding: ".3rem .6rem",
    fontSize: ".86rem",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--tp-ink)", fontSize: "1.2rem", right: ".5rem" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--tp-accent) 22%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--tp-accent) 45%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--tp-accent) 12%, transparent)" },
  ".cm-diagnostic": { padding: ".4rem .7rem", whiteSpace: "pre-wrap", borderLeft: "none" },
  "@media (max-width: 640px)": { ".cm-scroller": { minHeight: "14rem", maxHeight: "52vh" } },
  "@media (pointer: coarse)": { "&, .cm-textfield": { fontSize: "16px" } }, // a smaller one makes phones zoom in
});

export const looks = [theme, syntaxHighlighting(colours)];
