// The strip above the text: a tab for each program, undo, redo, and a link to the program.
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { titleOf } from "./programs.js";

export class Strip {
  // `does` has open(program), add(), close(program), reopen(), copy(); without programs, no tabs.
  constructor(view, programs, does) {
    this.view = view;
    this.programs = programs;
    this.does = does;
    this.dom = element("div", "tp-programs");
    this.tabs = element("div", "tp-programs-tabs");
    this.list = element("span", ""); // a list of tabs may own nothing but tabs; buttons stand among them
    this.list.setAttribute("role", "tablist");
    this.tabs.addEventListener("keydown", (event) => this._key(event));
    this.undo = button("tp-programs-quiet", () => this._do(undo));
    this.redo = button("tp-programs-quiet", () => this._do(redo));
    this.copy = button("tp-programs-quiet", () => does.copy());
    this.status = element("span", "tp-programs-status");
    this.status.setAttribute("role", "status");
    this.dom.append(...(programs ? [this.tabs] : []), this.undo, this.redo, ...(programs ? [this.copy] : []), this.status);
  }

  draw(words) {
    this.words = words;
    this.undo.textContent = words.undo;
    this.redo.textContent = words.redo;
    if (!this.isCopied) this.copy.textContent = words.copy_link;
    this.drawDepth();
    if (this.programs) this._drawTabs();
  }

  drawDepth() {
    this.undo.disabled = !undoDepth(this.view.state);
    this.redo.disabled = !redoDepth(this.view.state);
  }

  _drawTabs() {
    const { programs, words } = this;
    this.list.setAttribute("aria-label", words.programs);
    this.list.setAttribute("aria-owns", programs.all.map((_, place) => `tp-program-${place}`).join(" "));
    const hadFocus = this.tabs.contains(document.activeElement);
    const shown = programs.all.flatMap((each, place) => {
      const isActive = each.id === programs.active?.id;
      const title = titleOf(each, place, words);
      const tab = button("tp-programs-tab", () => this.does.open(each), title);
      tab.id = `tp-program-${place}`;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(isActive));
      tab.tabIndex = isActive ? 0 : -1;
      tab.title = title;
      if (!isActive) return [tab];
      const close = button("tp-programs-close", () => this.does.close(each), "×");
      close.setAttribute("aria-label", `${words.close}: ${title}`);
      close.title = words.close;
      return [tab, close];
    });
    const add = button("tp-programs-add", () => this.does.add(), "+");
    add.setAttribute("aria-label", words.add);
    add.title = words.add;
    shown.push(add);
    if (programs.closed)
      shown.push(button("tp-programs-quiet", () => this.does.reopen(), `${words.reopen}: ${titleOf(programs.closed, 0, words)}`));
    this.tabs.replaceChildren(this.list, ...shown);
    const active = this.tabs.querySelector("[aria-selected=true]");
    if (hadFocus) active?.focus();
    if (active) this.tabs.scrollLeft = Math.max(0, active.offsetLeft - this.tabs.offsetLeft - 40);
  }

  _key(event) {
    const { all, active } = this.programs;
    const place = all.findIndex((each) => each.id === active?.id);
    const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.target.getAttribute("role") !== "tab") return;
    if (event.key === "Delete") this.does.close(all[place]);
    else if (to !== undefined && all[to]) this.does.open(all[to]);
    else return;
    event.preventDefault();
    this.tabs.querySelector("[aria-selected=true]")?.focus();
  }

  _do(command) {
    command(this.view);
    this.view.focus();
  }

  async showLink(link) {
    try {
      await navigator.clipboard.writeText(link);
      this.isCopied = true;
      this.copy.textContent = this.status.textContent = this.words.copied;
      setTimeout(() => {
        this.isCopied = false;
        this.status.textContent = "";
        this.copy.textContent = this.words.copy_link;
      }, 2000);
    } catch { // no permission, or no https
      const field = Object.assign(document.createElement("input"), { value: link, readOnly: true, className: "tp-programs-link" });
      field.setAttribute("aria-label", this.words.copy_link);
      field.addEventListener("blur", () => field.replaceWith(this.copy));
      this.copy.replaceWith(field);
      field.select();
    }
  }

  say(text) {
    this.status.textContent = text;
    this.status.classList.toggle("is-shown", Boolean(text));
  }
}

function element(name, className) {
  return Object.assign(document.createElement(name), { className });
}

function button(className, onClick, text = "") {
  const made = Object.assign(element("button", className), { type: "button", textContent: text });
  made.addEventListener("click", onClick);
  return made;
}
