// The builder: palette, graph and program of one network, drawn from plain data.
//
// Streamlit mounts this script twice: for the library (words and layers, sent once) and for the
// network. An event carries `before`, the events that the server has not acknowledged yet, since
// of two in quick succession Streamlit may deliver only the second.

import { drag, holdStill, nearest } from "./dragging.js";
import { counted, el, filled, redraw, rich, short, sized } from "./elements.js";
import { Flow, lossCurve } from "./flow.js";
import { openForm, refreshForm } from "./form.js";
import { folded, placed, read } from "./layout.js";
import { likely } from "./likely.js";
import { palette } from "./palette.js";
import { picture, sizeScale } from "./picture.js";
import { program } from "./program.js";
import { readLink } from "./saving.js";
import { toolbar, zooms } from "./toolbar.js";

let library; // of this visit
let waiting = []; // what waits for it

export default function ({ data: [data], parentElement, setTriggerValue }) {
  if (data.library) {
    library = data;
    parentElement.style.display = "none";
    for (const start of waiting.splice(0)) start();
    return () => {};
  }
  const draw = () => {
    parentElement.builder ??= new Builder(parentElement);
    parentElement.builder.update(data, setTriggerValue);
  };
  if (library) draw();
  else waiting.push(draw);
  // Streamlit calls this also where the next data came while these were drawn: the builder is then still there.
  return () => setTimeout(() => parentElement.isConnected || parentElement.builder?.unmount());
}

class Builder {
  constructor(parent) {
    this.words = library.words;
    this.layers = new Map(library.layers.map(([name, group]) => [name, group]));
    this.closed = new Set(); // folded frames
    this.chosen = new Set(); // addresses as JSON
    this.serial = Date.now();
    this.pending = [];
    this.scale = 1;
    this.focus = "";
    this.status = el("div.nb-status", { role: "status" });
    this.bar = el("div.nb-bar", { role: "toolbar", "aria-label": this.words.tools });
    this.notice = el("div.nb-notice", { role: "alert", hidden: true });
    this.task = el("div.nb-task", { hidden: true });
    this.palette = palette(library, this.words, (event) => this.insert(event), (event, label, what) =>
      this.drag(event, label, (edge) => this.send({ type: "insert", ...what, ...this.at(edge) })));
    this.stage = el("div.nb-stage", { class: "nb-scroll" });
    this.zooms = el("div.nb-zooms");
    this.several = el("div.nb-several", { role: "toolbar", "aria-label": this.words.several, hidden: true });
    this.canvas = el("div.nb-canvas", {}, this.stage, this.zooms, this.several,
      el("p.nb-hint", { id: "nb-keys" }, ...rich(this.words.keys)));
    this.totals = el("div.nb-totals");
    this.list = el("ol.nb-list");
    this.side = el("div.nb-side");
    const listed = el("details.nb-listed", {}, el("summary", {}, this.words.list), this.list);
    const graph = el("section.nb-graph", { "aria-label": this.words.graph }, this.notice, this.canvas, this.totals, listed);
    this.root = el("div.nb", { lang: library.lang }, this.task, this.bar, this.palette.element, graph, this.side, this.status);
    parent.append(this.root);
    this.listen();
  }

  unmount() {
    document.removeEventListener("pointerdown", this.outside);
    this.menu?.remove();
  }

  // Events ------------------------------------------------------------------------------------

  send(event) {
    this.serial = Math.max(this.serial + 1, Date.now());
    const message = { ...event, serial: this.serial };
    this.trigger("event", { ...message, before: this.pending });
    this.pending = [...this.pending, message];
    this.root.dataset.busy = "";
  }

  listen() {
    this.stage.addEventListener("click", (event) => this.click(event));
    this.stage.addEventListener("pointerdown", (event) => this.grab(event));
    holdStill(this.stage);
    this.stage.addEventListener("focusin", ({ target }) => this.note(target.closest("[data-card]")));
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.root.addEventListener("pointerover", ({ target }) => this.light(target));
    this.outside = ({ target }) => this.menu && !this.menu.contains(target) && !target.closest?.("[data-insert]") && this.closeMenu();
    document.addEventListener("pointerdown", this.outside);
  }

  click(event) {
    const target = this.aimedAt(event);
    if (this.isDragged) return (this.isDragged = false); // the end of a drag is no press
    const fold = target.closest("[data-fold]");
    if (fold) return this.fold(fold.dataset.fold);
    const plus = target.closest("[data-insert]");
    if (plus) return this.openMenu(this.graph.edges[plus.dataset.insert], plus);
    const thumb = target.closest("[data-thumb]");
    if (thumb) return this.flow.enlarge(thumb.dataset.thumb, this.canvas, this.words, () => this.focusCard());
    const hit = target.closest("[data-address]");
    if (!hit) return this.choose(null);
    this.choose(hit.dataset.address, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  /** What is pressed; where areas for fingers overlap, that whose middle is nearest. */
  aimedAt({ target, clientX, clientY }) {
    if (!target.matches(".nb-hit")) return target;
    const far = (hit) => {
      const { x, y, width, height } = hit.getBoundingClientRect();
      return Math.hypot(x + width / 2 - clientX, y + height / 2 - clientY);
    };
    const hits = this.stage.getRootNode().elementsFromPoint(clientX, clientY).filter((each) => each.matches(".nb-hit"));
    return hits.sort((one, two) => far(one) - far(two))[0] ?? target;
  }

  choose(address, isMore = false) {
    if (!isMore) this.chosen.clear();
    if (address) {
      if (isMore && this.chosen.has(address)) this.chosen.delete(address);
      else this.chosen.add(address);
    }
    this.mark();
    const [only] = this.chosen;
    const one = this.chosen.size === 1 ? JSON.parse(only) : null;
    if (JSON.stringify(one) !== JSON.stringify(this.selectionSent ?? null)) this.send({ type: "select", address: one });
    this.selectionSent = one;
    if (!one) this.closeForm();
  }

  /** Close the form; where the focus was in it, the card gets it. */
  closeForm() {
    const hadFocus = this.form?.contains(document.activeElement);
    this.form?.remove();
    if (hadFocus) this.focusCard();
  }

  focusCard() {
    this.stage.querySelector(`[data-card="${CSS.escape(this.focus)}"]`)?.focus({ preventScroll: true });
  }

  mark() {
    for (const element of this.root.querySelectorAll("[data-address]"))
      element.classList.toggle("is-chosen", this.chosen.has(element.dataset.address));
    this.offer();
  }

  /** Several cards are chosen: what can be done with them. */
  offer() {
    const { words } = this;
    this.several.hidden = this.chosen.size < 2;
    const tool = (name, onclick) => el("button.nb-tool", { onclick }, words[name]);
    this.several.replaceChildren(el("strong", {}, filled(words.several, { count: this.chosen.size })),
      tool("group", () => this.send({ type: "group", addresses: this.addresses() })),
      tool("copy", () => this.copy()), tool("remove", () => this.remove()),
      el("button.nb-tool", { "aria-label": words.close, onclick: () => this.choose(null) }, "✕"));
  }

  insert(event) {
    const at = this.insertion;
    if (this.menu) this.focusCard();
    this.closeMenu();
    this.send({ type: "insert", ...event, ...at });
  }

  addresses() {
    return [...this.chosen].map((text) => JSON.parse(text)).sort(inOrder);
  }

  // Dragging -------------------------------------------------------------------------------------

  /** A card, or a frame by its title, to another edge. */
  grab(event) {
    this.isDragged = false;
    const hit = event.target.closest("[data-address]");
    if (!hit || event.target.closest("[data-fold], [data-insert], [data-thumb]")) return;
    const address = JSON.parse(hit.dataset.address);
    this.drag(event, hit.getAttribute("aria-label") ?? "", (edge) => edge.before && this.send({ type: "move", address, to: edge.before }));
  }

  drag(event, label, drop) {
    const isOpen = (edge) => edge.before || edge.isSkip;
    drag(event, label, {
      over: (now) => this.near(now && nearest(this.graph.edges.filter(isOpen), this.svg, this.scale, now)),
      drop: (now) => {
        const edge = nearest(this.graph.edges.filter(isOpen), this.svg, this.scale, now);
        this.isDragged = true;
        this.near(null);
        if (edge) drop(edge);
      },
      stage: this.stage,
    });
  }

  /** Mark the edge on which something would be dropped. */
  near(edge) {
    for (const plus of this.stage.querySelectorAll(".nb-plus"))
      plus.classList.toggle("is-near", plus.dataset.insert === `${edge?.number}`);
  }

  /** Where a layer that is put onto an edge goes. */
  at(edge) {
    if (!edge.isSkip) return { at: edge.before };
    return { at: this.graph.cards.find(({ id }) => id === edge.target).address, skip: true };
  }

  // The keyboard --------------------------------------------------------------------------------

  press(event) {
    const { key, target } = event;
    if (key === "Escape") return this.escape();
    if (target.matches("input, textarea, select")) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const action = isCommand ? this.command(key.toLowerCase(), event.shiftKey) : this.plain(event);
    if (action) {
      event.preventDefault();
      action();
    }
  }

  command(key, isShifted) {
    const [undo, redo] = [() => this.send({ type: "undo" }), () => this.send({ type: "redo" })];
    const has = this.chosen.size > 0;
    return {
      z: isShifted ? redo : undo,
      y: redo,
      c: has && !`${getSelection()}` && (() => this.copy()),
      x: has && (() => this.copy().then(() => this.remove())),
      v: () => this.paste(),
      d: has && (() => this.send({ type: "duplicate", address: this.addresses()[0] })),
      g: has && (() => this.send({ type: "group", addresses: this.addresses() })),
    }[key];
  }

  plain({ key, altKey, target }) {
    if (target.closest("button, summary, a")) return null;
    const has = this.chosen.size > 0;
    if (altKey && has && /^Arrow(Up|Down)$/.test(key))
      return () => this.send({ type: "step", address: this.addresses()[0], down: key === "ArrowDown" });
    if (/^Arrow/.test(key)) return () => this.walk(key);
    return {
      Delete: has && (() => this.remove()),
      Backspace: has && (() => this.remove()),
      Enter: () => this.choose(this.card(this.focus)?.address && JSON.stringify(this.card(this.focus).address)),
      " ": () => this.choose(JSON.stringify(this.card(this.focus)?.address), true),
      a: () => this.openAfter(),
      "+": () => this.openAfter(),
      f: () => this.foldAround(this.card(this.focus)),
      e: () => this.form?.querySelector(".nb-fields :is(input, select)")?.focus(),
      v: () => this.flow?.of({ source: this.focus }) && this.flow.enlarge(this.flow.key({ source: this.focus }), this.canvas, this.words, () => this.focusCard()),
    }[key];
  }

  escape() {
    const large = this.canvas.querySelector(".nb-large");
    if (this.menu) this.closeMenu();
    else if (large) large.remove();
    else if (this.form?.contains(document.activeElement)) this.focusCard();
    else if (this.chosen.size) this.choose(null);
    this.focusCard();
  }

  card(id) {
    return this.graph.cards.find((card) => card.id === id);
  }

  /** Up and down along the edges; left and right to the nearest card of the same height. */
  walk(key) {
    const here = this.card(this.focus) ?? this.graph.cards[0];
    const edges = this.graph.edges.filter(({ call }) => call === 1);
    const next = edges.filter(({ source }) => source === here.id).map(({ target }) => target);
    const last = edges.filter(({ target }) => target === here.id).map(({ source }) => source);
    const side = (way) => this.graph.cards
      .filter(({ x, y }) => (x - here.x) * way > 20 && Math.abs(y - here.y) < 90)
      .sort((one, two) => Math.abs(one.x - here.x) - Math.abs(two.x - here.x)).map(({ id }) => id);
    const [goal] = { ArrowDown: next, ArrowUp: last, ArrowRight: side(1), ArrowLeft: side(-1) }[key];
    if (!goal) return;
    const element = this.stage.querySelector(`[data-card="${CSS.escape(goal)}"]`);
    element?.focus();
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  note(card) {
    if (!card) return;
    this.stage.querySelector('[tabindex="0"][data-card]')?.setAttribute("tabindex", -1);
    card.setAttribute("tabindex", 0);
    this.focus = card.dataset.card;
  }

  /** Copy the chosen cards; a paste that comes at once waits for them. */
  async copy() {
    this.clip = this.chosenNodes();
    navigator.clipboard?.writeText(await this.clip).catch(() => {});
    this.say(this.words.copied);
  }

  async chosenNodes() {
    const addresses = outermost(this.addresses());
    const { network } = await readLink(this.data.link);
    return JSON.stringify(addresses.map((address) =>
      address.reduce((node, place) => node.children[place], network.children ? network : { children: [network] })));
  }

  async paste() {
    const text = (await this.clip) ?? (await navigator.clipboard?.readText().catch(() => ""));
    if (text) this.send({ type: "paste", nodes: text });
  }

  remove() {
    this.send({ type: "remove", addresses: outermost(this.addresses()), keeps: true });
  }

  // Inserting on an edge ------------------------------------------------------------------------

  openAfter() {
    const edge = this.graph.edges.find(({ source, before }) => source === this.focus && before)
      ?? this.graph.edges.find(({ before }) => before);
    const plus = this.stage.querySelector(`[data-insert="${edge?.number}"]`);
    if (plus) this.openMenu(edge, plus);
  }

  openMenu(edge, anchor) {
    this.closeMenu();
    this.insertion = this.at(edge);
    const names = likely(edge.shape).filter((name) => this.layers.has(name));
    const field = el("input.nb-typed", { placeholder: this.words.typed, "aria-label": this.words.typed, list: "nb-names", spellcheck: "false", autocapitalize: "off" });
    const take = () => field.value.trim() && this.insert({ layer: field.value });
    field.addEventListener("keydown", ({ key }) => key === "Enter" && take());
    const blocks = ["residual", "add", "multiply", "concatenate", "tuple", "sequential"];
    this.menu = el("div.nb-menu", { role: "dialog", "aria-label": this.words.insert },
      el("div.nb-menu-title", {}, `${this.words.insert}${edge.shape ? ` · ${edge.shape}` : ""}`),
      el("div.nb-chips", {}, names.map((name) => el("button.nb-chip", { onclick: () => this.insert({ layer: name }) }, name))),
      field,
      edge.isSkip ? null : el("div.nb-chips", {}, blocks.map((kind) =>
        el("button.nb-chip.is-block", { onclick: () => this.insert({ kind }) }, this.words[`kind-${kind}`]))));
    this.place(this.menu, anchor.getBoundingClientRect());
    field.focus({ preventScroll: true });
  }

  closeMenu() {
    this.menu?.remove();
    this.menu = this.insertion = null;
  }

  /** Put a box beside something in the graph, inside the canvas. */
  place(box, { right, top, left }) {
    this.canvas.append(box);
    const outer = this.canvas.getBoundingClientRect();
    const room = this.root.getBoundingClientRect().right;
    const isLeft = right + box.offsetWidth + 16 > room;
    const x = isLeft ? Math.max(8, left - outer.left - box.offsetWidth - 10) : Math.max(8, right - outer.left + 10);
    const most = Math.max(8, outer.height - box.offsetHeight - 8);
    let y = Math.min(Math.max(8, top - outer.top - 6), most);
    const why = this.side.querySelector(".nb-answer.is-refused")?.getBoundingClientRect();
    if (why && outer.left + x + box.offsetWidth > why.left && outer.top + y < why.bottom)
      y = Math.max(8, Math.min(y, why.top - outer.top - box.offsetHeight - 8)); // the fixes stay in sight
    box.style.left = `${x}px`;
    box.style.top = `${y}px`;
  }

  fold(id) {
    if (this.closed.has(id)) this.closed.delete(id);
    else this.closed.add(id);
    this.draw();
  }

  /** Fold the block around a card, or unfold the block that the card is. */
  foldAround({ kind, path, frame }) {
    const id = kind === "frame" ? path : frame;
    if (!id) return;
    this.fold(id);
    this.focus = kind === "frame" ? (this.graph.cards.find((card) => card.frame === id)?.id ?? this.focus) : `${id}/`;
    this.focusCard();
  }

  // Data ----------------------------------------------------------------------------------------

  update(data, trigger) {
    const isFirst = !this.data;
    [this.data, this.trigger] = [data, trigger];
    this.pending = this.pending.filter(({ serial }) => serial > data.acknowledged);
    if (!this.pending.length) delete this.root.dataset.busy;
    if (data.form || !this.pending.length) this.follow(data.form);
    this.stage.classList.toggle("is-arriving", !this.flow); // pictures of a training replace each other
    this.flow = data.flow ? new Flow(data.flow) : null;
    this.draw(isFirst);
    this.tools();
    program(this.side, data, this.words, (event) => this.send(event));
    redraw(this.totals, () => this.sum());
    this.showAnswer(data);
    if (data.form) this.showForm(data.form);
    else this.closeForm();
    this.address(data.link);
    this.goOn(data);
  }

  // Training, part by part ----------------------------------------------------------------------

  train() {
    this.isTraining = !this.isTraining;
    this.send(this.isTraining ? { type: "train", new: true } : { type: "stop" });
    this.tools();
  }

  /** Show the losses so far, and ask for the next steps while nothing else is done. */
  goOn({ training, notice }) {
    const isOver = !training || notice || training.over;
    if (this.isTraining && isOver && !this.pending.length) {
      this.isTraining = false;
      this.tools();
    }
    if (training) this.totals.prepend(lossCurve(training, this.words));
    if (this.isTraining && !this.pending.length) setTimeout(() => this.isTraining && this.send({ type: "train" }), 60);
  }

  /** After an edit the server says which node is selected. */
  follow(form) {
    const address = form ? JSON.stringify(form.address) : null;
    if (this.chosen.size > 1 && !address) return;
    this.chosen = new Set(address ? [address] : []);
    this.selectionSent = form?.address ?? null;
  }

  draw(isFirst = false) {
    const graph = folded(read(this.data.graph), this.closed);
    const hadFocus = this.stage.contains(document.activeElement);
    const middle = isFirst ? this.stage.clientWidth / 2 : this.firstMiddle();
    this.graph = placed(graph, this.flow);
    if (!this.card(this.focus)) this.focus = this.graph.cards[0].id;
    this.svg = picture(this.graph, {
      words: this.words, groups: this.layers, chosen: this.chosen, totals: this.data.totals, focus: this.focus,
      pictures: this.flow, gradients: this.isBackward ? this.flow?.gradients() : null,
    });
    this.stage.replaceChildren(this.svg);
    if (!this.isZoomed) this.fit();
    this.zoom(this.scale);
    this.stage.scrollLeft += this.firstMiddle() - middle; // a wide graph does not move sideways under the reader
    this.listLayers();
    const chosen = this.graph.cards.find(({ address }) => address && this.chosen.has(JSON.stringify(address)));
    if (chosen) this.focus = chosen.id;
    const card = this.stage.querySelector(`[data-card="${CSS.escape(this.focus)}"]`);
    card?.setAttribute("tabindex", 0);
    if (hadFocus) card?.focus({ preventScroll: true });
    if (chosen && !isFirst) this.reveal(card);
  }

  /** The middle of the first card, in px from the left of the view. */
  firstMiddle() {
    const card = this.stage.querySelector(`[data-card="${CSS.escape(this.graph.cards[0].id)}"]`);
    const { left, width } = card.getBoundingClientRect();
    return left + width / 2 - this.stage.getBoundingClientRect().left;
  }

  reveal(card) {
    const [box, view] = [card.getBoundingClientRect(), this.stage.getBoundingClientRect()];
    if (box.bottom > view.bottom - 20) this.stage.scrollTop += box.bottom - view.bottom + 60;
    if (box.top < view.top + 20) this.stage.scrollTop -= view.top - box.top + 60;
  }

  fit() {
    const room = this.stage.clientWidth - 8;
    this.scale = Math.min(1, Math.max(0.5, room / this.graph.width));
  }

  zoom(scale, isAsked = false) {
    this.isZoomed ||= isAsked;
    this.scale = Math.min(1.6, Math.max(0.3, scale));
    this.svg.style.width = `${this.graph.width * this.scale}px`;
    this.svg.style.height = `${this.graph.height * this.scale}px`;
    this.svg.style.setProperty("--nb-reach", `${20 / Math.min(1, Math.max(0.5, this.scale))}px`);
  }

  showForm(form) {
    const key = JSON.stringify(form.address) + form.type;
    if (this.form?.isConnected && this.form.key === key) return refreshForm(this.form, form);
    this.form?.remove();
    this.form = openForm(form, this.words, (event) => this.send(event), () => this.choose(null));
    this.form.key = key;
    const card = this.stage.querySelector(`[data-address="${CSS.escape(JSON.stringify(form.address))}"]`);
    this.place(this.form, (card ?? this.stage).getBoundingClientRect());
  }

  tools() {
    const { data } = this;
    const shown = JSON.stringify([data.link, data.can, data.inputs, data.choices, data.training?.losses.length ?? 0, !!this.flow, this.isTraining, this.isBackward]);
    if (shown === this.barred) return;
    this.barred = shown;
    redraw(this.bar, () => this.bar.replaceChildren(...toolbar(this, library)));
    redraw(this.zooms, () => this.zooms.replaceChildren(...zooms(this)));
  }

  toggleBackward() {
    this.isBackward = !this.isBackward;
    this.draw();
    this.tools();
  }

  foldAll() {
    const all = this.data.graph.frames.map(([id]) => id);
    this.closed = this.closed.size ? new Set() : new Set(all);
    this.draw();
  }

  async upload(field) {
    const [file] = field.files;
    field.value = "";
    if (!file) return;
    if (file.size > 200_000) return this.warn(this.words["too-large"]);
    this.send({ type: "load", text: await file.text() });
  }

  async copyLink(button) {
    const url = new URL(location.href);
    url.search = this.query(this.data.link);
    try {
      await navigator.clipboard.writeText(url.href);
      this.say(this.words.copied);
      button.textContent = "✓";
      setTimeout(() => (button.textContent = "🔗"), 1500);
    } catch {
      this.warn(url.href);
    }
  }

  query(link) {
    const given = new URLSearchParams(location.search);
    given.set("network", link);
    given.delete("start");
    if (!this.data.answer.asks) given.delete("answer");
    return `?${given}`;
  }

  /** Write the address; again after a second, as Streamlit may put an earlier one back late. */
  address(link) {
    const { pathname } = location;
    const put = () => {
      if (!this.root.isConnected || location.pathname !== pathname || this.data.link !== link) return;
      const query = this.query(link);
      if (location.search !== query) history.replaceState(history.state, "", pathname + query + location.hash);
    };
    put();
    clearTimeout(this.putting);
    this.putting = setTimeout(put, 1000);
  }

  sum() {
    const { words, data: { totals, choices } } = this;
    const names = ["parameters", "gradients", "state", "activations", "buffers"];
    const choice = (name, values, place) => {
      const field = el("select", { "aria-label": words[name], onchange: ({ target }) => this.send({ type: "choose", name, value: target.value }) },
        values.map((value) => el("option", { value }, value)));
      field.value = choices[place];
      return field;
    };
    const memory = totals.memory ?? [];
    const whole = memory.reduce((sum, each) => sum + each, 0);
    if (this.data.answer.asks) return this.totals.replaceChildren();
    this.totals.replaceChildren(...[
      el("span", {}, el("strong", {}, counted(totals.parameters)), ` ${words.parameters} · ${sized(totals.bytes)} · `,
        el("strong", {}, short(totals.adds)), ` ${this.data.answer.ok ? words.adds : words["adds-reached"]}`),
      el("span.nb-key", {}, el("i.is-parameters"), words["parameters-short"], el("i.is-adds"), words["adds-short"], sizeScale(), words.scale),
      memory.length ? el("details.nb-memory", {}, el("summary", {}, `${words.training}: `, el("strong", {}, sized(whole))),
        el("div.nb-stack", {}, memory.map((each, place) => each ? el(`i.is-part${place}`, { style: `flex:${each}`, title: `${words[`memory-${names[place]}`]}: ${sized(each)}` }) : null)),
        el("dl", {}, memory.map((each, place) => each ? [el("dt", {}, words[`memory-${names[place]}`]), el("dd", {}, sized(each))] : null)),
        choice("optimizer", library.optimizers, 0), choice("dtype", library.dtypes, 1)) : null].filter(Boolean));
    const open = this.isMemoryOpen;
    const details = this.totals.querySelector("details");
    if (details) {
      details.open = !!open;
      details.addEventListener("toggle", () => (this.isMemoryOpen = details.open));
    }
  }

  /** The list of layers, for screen readers and for those who like lists. */
  listLayers() {
    const rows = this.graph.cards.map((card) => {
      const address = card.address && JSON.stringify(card.address);
      const text = this.stage.querySelector(`[data-card="${CSS.escape(card.id)}"]`).getAttribute("aria-label");
      const label = `${card.path} ${text}`;
      const button = address && el("button", { "data-address": address, class: this.chosen.has(address) ? "is-chosen" : "", "aria-pressed": `${this.chosen.has(address)}`, onclick: () => this.choose(address) }, label);
      return el("li", {}, button ?? label);
    });
    redraw(this.list, () => this.list.replaceChildren(...rows));
  }

  showAnswer(data) {
    const isBeside = this.side.editing && this.side.isSent && data.is_refused; // beside the field
    this.warn(isBeside ? "" : data.notice);
    const { task } = data;
    this.task.hidden = !task;
    if (task) this.task.replaceChildren(el("strong", {}, task.met ? "✓ " : "☐ "), ...rich(task.text));
    this.task.classList.toggle("is-met", !!task?.met);
    const said = data.answer.asks ? this.words.ask : `${data.answer.ok ? "✓" : "✗"} ${data.answer.text}`;
    if (said !== this.said) this.say(said);
    this.said = said;
  }

  warn(text) {
    this.notice.hidden = !text;
    this.notice.replaceChildren(...rich(text ?? ""));
  }

  say(text) {
    this.status.textContent = "";
    requestAnimationFrame(() => (this.status.textContent = text));
  }

  /** A line of the program and its card are marked together. */
  light(target) {
    const line = target.closest?.("[data-path]");
    const card = target.closest?.("[data-card]");
    const path = line?.dataset.path ?? (card && this.card(card.dataset.card)?.path);
    if (path === this.lit) return;
    this.lit = path;
    for (const each of this.root.querySelectorAll(".is-lit")) each.classList.remove("is-lit");
    if (path == null) return;
    for (const each of this.side.querySelectorAll(`[data-path="${CSS.escape(path)}"]`)) each.classList.add("is-lit");
    const own = this.graph.cards.find((each) => each.path === path && each.address);
    if (own) this.stage.querySelector(`[data-card="${CSS.escape(own.id)}"]`)?.classList.add("is-lit");
  }
}

/** The order of the program. */
function inOrder(one, two) {
  const place = one.findIndex((part, index) => part !== two[index]);
  return place < 0 ? one.length - two.length : one[place] - (two[place] ?? -1);
}

/** Without what stands inside another one: it comes with its block. */
function outermost(addresses) {
  const isInside = (one, other) => one.length > other.length && other.every((part, place) => part === one[place]);
  return addresses.filter((one) => !addresses.some((other) => isInside(one, other)));
}
