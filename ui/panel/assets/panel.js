// The program panel: draws a step from plain data, and tells the server what the visitor does.
//
// Streamlit calls the default export again with each data. The first call mounts the panel, every
// further call patches what differs. Of two events in quick succession Streamlit may deliver only
// the second; an event therefore carries `before`, the events since the last one that the server
// has acknowledged (`data.acknowledged`). The server handles every serial above the last that it has handled.

import { dress, textsOf } from "./code.js";
import { patchChildren } from "./elements.js";
import { glow, isStill } from "./motion.js";
import { clicked } from "./points.js";
import { blocks } from "./program.js";
import { read, write } from "./storage.js";

const COMMIT_MS = 250; // a number waits, since each arrow key is a change of its own
const COPIED_MS = 2000;

export default function ({ data: [data], parentElement, setTriggerValue }) {
  parentElement.panel ??= new Panel(parentElement);
  parentElement.panel.update(data, setTriggerValue);
  // Streamlit calls this also where the next data came while these were drawn: the panel is then still there.
  return () => setTimeout(() => parentElement.isConnected || parentElement.panel.unmount());
}

class Panel {
  constructor(parent) {
    this.root = Object.assign(document.createElement("div"), { className: "pp" });
    this.body = document.createElement("div");
    // The status is there before its content: only so do screen readers read the content.
    this.status = Object.assign(document.createElement("div"), { className: "pp-status" });
    this.status.setAttribute("role", "status");
    this.root.append(this.body, this.status);
    this.serial = Date.now(); // grows from mount to mount
    this.pending = []; // events
    this.waiting = new Map(); // by field: {value, timer} of a change that is not sent yet
    hideUntilStyled(this.root, parent, () => this.shown());
    parent.append(this.root);
    this.listen();
  }

  listen() {
    const { root } = this;
    const isField = ({ target }) => target.setting;
    root.addEventListener("click", (event) => {
      this.point(event);
      this.click(event.target.closest("[data-event], [data-do]"));
    });
    root.addEventListener("change", (event) => isField(event) && this.change(event.target));
    root.addEventListener("input", (event) => isField(event) && dress(event.target));
    for (const type of ["mouseover", "focusin", "mouseout", "focusout"]) {
      root.addEventListener(type, ({ target }) =>
        this.nameStep(target.closest(".pp-dot"), /over|in/.test(type)),
      );
    }
    this.keydown = (event) => this.press(event);
    document.addEventListener("keydown", this.keydown);
    this.leaveAddress = () => clearInterval(this.putting);
    this.travel = () => this.goBack();
    addEventListener("popstate", this.travel);
  }

  unmount() {
    document.removeEventListener("keydown", this.keydown);
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    removeEventListener("popstate", this.travel);
    this.leaveAddress();
  }

  // What the visitor does ---------------------------------------------------------------------

  send(event) {
    this.serial = Math.max(this.serial + 1, Date.now());
    const message = { ...event, serial: this.serial };
    this.trigger("event", { ...message, before: this.pending });
    this.pending = [...this.pending, message];
    this.last = event.type;
    if ("acknowledged" in this.data) this.root.dataset.busy = "";
  }

  click(button) {
    if (!button) return;
    this.commit();
    const { event, do: own } = button.dataset;
    if (own === "copy") this.copyLink(button);
    else if (own === "copy-printed") this.copyPrinted(button);
    else if (own === "fold") this.fold();
    else if (event !== this.clicked) this.send(JSON.parse((this.clicked = event))); // once
  }

  /** A point of the visitor's own is placed or removed; what is not acknowledged yet counts. */
  point(event) {
    const { points } = this.data;
    if (!points) return;
    const label = event.target.closest("[data-class]")?.dataset.class;
    if (label !== undefined) this.label = Number(label);
    if (label !== undefined) return this.draw();
    const sent = this.pending.findLast(({ field }) => field === points.field)?.value;
    const value = clicked(event, sent ?? points.value, this.label ?? 0);
    if (value !== null) this.send({ type: "change", field: points.field, value });
  }

  change(field) {
    dress(field);
    if (!field.validity.valid) return;
    const name = field.dataset.field;
    clearTimeout(this.waiting.get(name)?.timer);
    const isNumber = field.setting.kind === "number";
    const timer = isNumber && setTimeout(() => this.commit(), COMMIT_MS);
    this.waiting.set(name, { value: field.value, timer });
    if (!isNumber) this.commit();
  }

  commit() {
    for (const [field, { value, timer }] of this.waiting) {
      clearTimeout(timer);
      this.waiting.delete(field);
      this.send({ type: "change", field, value });
    }
  }

  press(event) {
    const { target, key } = event;
    const isInside = this.root.contains(target);
    if (isInside && target.matches(".pp-dot")) this.walk(event);
    const isOurs = isInside || target === document.body;
    if (!isOurs || event.defaultPrevented || !this.data.question?.is_open) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (key === "Enter" && isCommand) {
      event.preventDefault();
      if (target.setting) target.blur(); // what is typed becomes a change
      this.commit();
      this.send({ type: "run" });
    } else if (/^[1-9]$/.test(key) && !target.setting && !isCommand && !event.altKey) {
      this.click(this.body.querySelectorAll("button.pp-choice")[key - 1]);
    }
  }

  /** Arrow keys, Home and End move in the rail. */
  walk(event) {
    const dots = [...this.body.querySelectorAll(".pp-dot")];
    const at = dots.indexOf(event.target);
    const goals = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: dots.length - 1 };
    if (!(event.key in goals)) return;
    event.preventDefault();
    dots[goals[event.key]]?.focus();
  }

  /** The line above the title names the step under the pointer or the focus. */
  nameStep(dot, isOver) {
    const overline = this.body.querySelector(".pp-overline");
    if (dot && overline) overline.textContent = isOver ? dot.dataset.title : this.data.overline;
  }

  fold() {
    this.isUnfolded = !this.isUnfolded;
    this.draw();
  }

  async copy(button, text) {
    const { words } = this.data;
    const label = (button.dataset.label ??= button.textContent);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = words.copied;
      this.say(words.copied);
      setTimeout(() => (button.textContent = label), COPIED_MS);
      return true;
    } catch {
      return false; // no permission, or no https
    }
  }

  async copyLink(button) {
    const { words, link } = this.data;
    if (await this.copy(button, link)) return;
    const shown = Object.assign(document.createElement("input"), { value: link, readOnly: true });
    shown.className = "pp-link";
    shown.setAttribute("aria-label", words.copy_link);
    shown.addEventListener("blur", () => shown.replaceWith(button));
    button.replaceWith(shown);
    shown.select();
  }

  async copyPrinted(button) {
    const printed = button.parentElement.querySelector(".pp-printed");
    if (!(await this.copy(button, printed.textContent))) {
      getSelection().selectAllChildren(printed);
    }
  }

  // What the server says ----------------------------------------------------------------------

  update(data, trigger) {
    const old = this.data;
    const hadFocus = this.root.contains(document.activeElement);
    [this.data, this.trigger, this.clicked] = [data, trigger, undefined];
    this.pending = this.pending.filter(({ serial }) => serial > (data.acknowledged ?? Infinity));
    if (!this.pending.length) delete this.root.dataset.busy;
    if (data.lang) this.root.lang = data.lang;
    const isNew = old?.key !== data.key;
    if (isNew) {
      this.isUnfolded = false;
      this.texts = this.shape = undefined;
      this.body.replaceChildren();
    }
    this.draw();
    this.texts = textsOf(data.lines);
    if (!old) this.showCurrent();
    else if (isNew) this.enter(hadFocus);
    else this.announce(hadFocus);
    this.signature = this.signed();
    this.remember();
  }

  draw() {
    const { data, body, texts: before, isUnfolded = false } = this;
    const pending = new Set([...this.pending.map(({ field }) => field), ...this.waiting.keys()]);
    patchChildren(body, blocks(data, { words: data.words, before, pending, isUnfolded, label: this.label ?? 0 }));
    this.reserve();
    for (const word of body.querySelectorAll("[data-changed]")) {
      word.removeAttribute("data-changed");
      glow(word);
    }
  }

  /** Keep the tallest shape that the picture of this step has had: nothing below it jumps. */
  reserve() {
    const picture = this.body.querySelector(".pp-picture");
    const box = picture?.querySelector("svg")?.viewBox.baseVal;
    if (!box?.width) return;
    this.shape = Math.max(this.shape ?? 0, box.height / box.width);
    picture.style.aspectRatio = `1 / ${this.shape}`;
  }

  /** Scroll the rail to the current step; the page stays where it is. */
  showCurrent() {
    const current = this.body.querySelector(".pp-dot[aria-current]");
    const rail = current?.closest("ol");
    if (rail) rail.scrollLeft = current.offsetLeft - rail.clientWidth / 2;
  }

  /** Another step: show its top; where the focus was in the panel, its title gets it. */
  enter(hadFocus) {
    this.showCurrent();
    if (hadFocus) this.body.querySelector(".pp-title").focus({ preventScroll: true });
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  /** The answer and the challenges that are met, to see what is new. */
  signed() {
    const { lines, challenges = [] } = this.data;
    const answered = lines.find(({ answer }) => answer);
    const met = challenges.filter(({ is_met: isMet }) => isMet).map(({ id }) => id);
    return { answer: answered ? JSON.stringify([answered.number, answered.answer]) : "", met };
  }

  /** Say what is new aloud; bring the focus to an answer that the visitor has asked for. */
  announce(hadFocus) {
    const { body, signature: old } = this;
    const { answer, met } = this.signed();
    const box = body.querySelector(".pp-answer");
    const isNew = answer !== old.answer;
    const items = met.filter((id) => !old.met.includes(id));
    const ticked = items.map((id) => body.querySelector(`#pp-challenge-${CSS.escape(id)}`));
    const news = [isNew && box, ...ticked].filter(Boolean);
    if (isNew || news.length) this.say(news.map((element) => element.innerText).join("\n"));
    const isAsked = ["answer", "run", "apply"].includes(this.last);
    if (isNew && box && isAsked) {
      this.last = ""; // the next answer may follow an edit elsewhere on the page
      this.lead(box);
    } else if (hadFocus && document.activeElement === document.body) {
      (body.querySelector("button.pp-choice") ?? box ?? body.querySelector(".pp-title"))?.focus();
    }
  }

  /** Focus the answer; scroll it into view once it has grown to its height. */
  lead(box) {
    this.isMissed = this.root.style.visibility === "hidden"; // what is hidden cannot have the focus
    box.focus({ preventScroll: true });
    const motion = box.getAnimations({ subtree: true }).map(({ finished }) => finished);
    const behavior = isStill() ? "auto" : "smooth";
    Promise.allSettled(motion).then(() =>
      box.closest(".pp-line").scrollIntoView({ block: "nearest", behavior }),
    );
  }

  /** The panel can be seen now: the focus goes to an answer that came before. */
  shown() {
    const box = this.body.querySelector(".pp-answer");
    if (this.isMissed && box) this.lead(box);
  }

  say(text) {
    this.status.textContent = "";
    requestAnimationFrame(() => (this.status.textContent = text));
  }

  /** Back and Forward have the last word about the address, and may name another step. */
  goBack() {
    this.leaveAddress();
    const id = stepOf(location.search);
    const isHere = location.pathname === this.pathname;
    const asked = this.pending.findLast(({ type }) => type === "step")?.id ?? stepOf(this.data.query);
    if (!isHere || !id || id === asked) return;
    this.send({ type: "step", id });
    this.last = "";
  }

  /**
   * Write the address, and again whenever Streamlit has put an earlier one back, however late. A step that the
   * visitor has chosen gets an entry of the history of its own; all else is written into the entry of its step.
   */
  address(query) {
    const { pathname } = location;
    this.pathname = pathname;
    const isChosen = this.last === "step" && stepOf(location.search);
    if (isChosen && stepOf(query) !== stepOf(location.search)) {
      History.prototype.pushState.call(history, history.state, "", pathname + query);
      this.last = "";
    }
    const put = () => {
      const isHere = this.root.isConnected && location.pathname === pathname;
      const isLeaving = this.pending.some(({ type }) => type === "step"); // perhaps by Back or Forward
      if (!isHere || isLeaving || this.data.query !== query || location.search === query) return;
      history.replaceState(history.state, "", pathname + query + location.hash);
    };
    put();
    this.leaveAddress();
    this.putting = setInterval(put, 1000);
  }

  /** Keep the address and what is stored in step; send to the server once what was stored. */
  remember() {
    const { query, store } = this.data;
    if (query != null) this.address(query);
    if (store) write(store);
    else if ("acknowledged" in this.data && !this.isRestored) this.send({ type: "restore", stored: read() });
    this.isRestored = true;
  }
}

const stepOf = (query) => new URLSearchParams(query).get("step");

/** The style sheet is a file of its own: show nothing before it is there. */
function hideUntilStyled(root, parent, shown) {
  const sheet = parent.querySelector("link[rel=stylesheet]");
  if (!sheet || sheet.sheet) return;
  root.style.visibility = "hidden";
  for (const type of ["load", "error"])
    sheet.addEventListener(type, () => {
      root.style.visibility = "";
      shown();
    });
}
