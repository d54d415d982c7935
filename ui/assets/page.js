// The script of every page: what Streamlit leaves out of the document around the pages.
//
// Data: `lang`, the language of the page; `page`, its path; `target`, a `selector` to scroll to, and a
// `count` that grows each time; `phase` of the teacher's poll when the page was drawn.
const NARROW = "(max-width: 768px)";
const PAGES = '[data-testid="stSidebarNavItems"]';
const UNGROUPED = `${PAGES}:not([role]), ${PAGES} > div:not([role]), ${PAGES} li:not([role])`;
const COLLAPSE = '[data-testid="stSidebarCollapseButton"] button';
const RUN = ":is(.st-key-lab-run, .st-key-lab-check) button";
const RESULT = ".st-key-lab-right";
const NEWS = ".tp-outcome, .tp-waiting, .st-key-lab-waiting p"; // said aloud when it comes
const NEWS_MS = 300; // until what came together is there
const MAX_NEWS = 600; // characters
const POPOVER = '[data-testid="stPopoverBody"]';
const STOPS = "a[href], button, input, select, textarea";
const TRIES = 50; // until the target is there, 0.1 s apart
const LIVE_MS = 2000; // between two questions for the poll
const IDLE_MS = 4000; // while nothing is asked
const HIDDEN_MS = 60000; // of a tab that nobody sees
const SWITCH_MS = 2000; // between the two entries of one switch of pages
const CLICK_MS = 700; // after a click, which may have been a vote
const OWN = ["lang", "panel_plain", "plan", "hide"]; // parameters that say nothing about the state
const REFUSED = [401, 403];
const TEACHERS = ["teacher", "projector"]; // their pages need no banner, and are no student's
// The visitor may have chosen another page before this script came.
let shown = new URL(performance.getEntriesByType("navigation")[0].name).pathname.slice(1);
let scrolled = 0;
let announced = ""; // the news that were said last
let announcing; // the timer of the next
let poll = null; // what the server said last
let timer;
let page; // the last data, and how to send to the server

function scrollTo(selector, tries) {
  const found = document.querySelector(selector);
  if (found) found.scrollIntoView({ block: "start" });
  else if (tries > 0) return setTimeout(scrollTo, 100, selector, tries - 1);
  if (!found || !tries) return; // the focus stays on the button of a run
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
}

/** Say a new result or the place in a queue aloud: a region is read out only if it was there before its words. */
function announce() {
  announcing ??= setTimeout(() => {
    announcing = undefined;
    const shown = [...document.querySelectorAll(NEWS)].filter((each) => each.checkVisibility());
    const newest = shown[shown.length - 1];
    const text = newest?.innerText.trim().slice(0, MAX_NEWS) ?? "";
    const kind = newest?.matches(".tp-outcome") ? text : text.replace(/\d+/g, ""); // not each second
    const region = document.getElementById("tp-news");
    if (region && kind !== announced) region.textContent = text;
    announced = kind;
  }, NEWS_MS);
}

/** A popover that the keyboard opened gets the focus; Streamlit puts it to the end of the document. */
function enterPopover(tries) {
  const body = document.querySelector(POPOVER);
  const stop = [...(body?.querySelectorAll(STOPS) ?? [])].find((each) => !each.disabled && each.checkVisibility());
  if (stop) stop.focus();
  else if (tries > 0) setTimeout(enterPopover, 50, tries - 1);
}

/**
 * Of the pages in the sidebar Streamlit makes a list with sections in it, which is none: they become groups, also
 * where Streamlit draws the sidebar again.
 */
function groupPages() {
  for (const element of document.querySelectorAll(`${PAGES}, ${PAGES} li`)) element.role = "presentation";
  for (const section of document.querySelectorAll(`${PAGES} > div`)) {
    section.role = "group";
    section.ariaLabel = section.querySelector("header p")?.textContent ?? "";
  }
}

/** Whether the page shows exactly the state that the poll asks about. */
function isHere({ path, query }) {
  const given = new URLSearchParams(location.search);
  for (const name of OWN) given.delete(name);
  const names = Object.keys(query);
  const isSame = names.every((name) => given.get(name) === query[name]);
  return location.pathname === path && isSame && [...given].length === names.length;
}

function drawBanner() {
  let banner = document.getElementById("tp-live");
  if (!banner) {
    banner = Object.assign(document.createElement("div"), { id: "tp-live" });
    const text = Object.assign(document.createElement("span"), { role: "status" });
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.addEventListener("click", () => page.send("poll", { type: "go", at: Date.now() }));
    banner.append(text, button);
    document.querySelector('[data-testid="stApp"]')?.append(banner);
  }
  const [text, button] = banner.children;
  const isAt = poll && isHere(poll);
  const words = poll ? (isAt ? poll.here : poll.away) : "";
  if (text.textContent !== words) text.textContent = words;
  button.textContent = poll?.action ?? "";
  button.hidden = isAt;
  banner.hidden = !words;
}

async function ask() {
  clearTimeout(timer);
  if (TEACHERS.includes(page.path)) return plan(IDLE_MS);
  const before = poll;
  try {
    const answer = await fetch(`/api/poll?lang=${page.lang.slice(0, 2)}`);
    if (REFUSED.includes(answer.status)) return; // the visitor has left
    if (answer.ok) poll = answer.status === 200 ? await answer.json() : null;
  } catch {
    // The server does not answer: it is asked again.
  }
  drawBanner();
  const phase = poll?.phase ?? "";
  const isNew = phase !== page.phase;
  const asked = poll ?? before; // its end reveals nothing, and gives the page back
  page.phase = phase;
  if (isNew && asked && isHere(asked)) page.send("poll", { type: "draw", at: Date.now() });
  plan(document.hidden ? HIDDEN_MS : poll ? LIVE_MS : IDLE_MS);
}

/** Ask after a while, which varies: a class that came together does not ask at once. */
function plan(pause) {
  clearTimeout(timer);
  timer = setTimeout(ask, pause * (0.8 + 0.4 * Math.random()));
}

/**
 * Streamlit adds an entry to the history for each parameter that a script writes, and each of them would take one
 * press of Back: such a parameter is part of the page's own entry. A script that switches to another page writes the
 * parameters of that page at the old page's address first, which gets its own back.
 */
function keepHistory() {
  const push = history.pushState;
  let before; // the last address that was replaced: {address, search, at}
  history.pushState = function (state, title, url) {
    const target = new URL(url, location.href);
    if (target.pathname === location.pathname) {
      before = { address: location.href, search: target.search, at: Date.now() };
      return history.replaceState(state, title, url);
    }
    const isSwitch = before && before.search === target.search && Date.now() - before.at < SWITCH_MS;
    if (isSwitch && target.search) history.replaceState(history.state, "", before.address);
    before = undefined;
    return push.call(history, state, title, url);
  };
}

function begin() {
  document.body.append(Object.assign(document.createElement("div"), { id: "tp-news", role: "status" }));
  new MutationObserver(() => {
    if (document.querySelector(UNGROUPED)) groupPages();
    announce();
  }).observe(document.body, { childList: true, subtree: true });
  keepHistory();
  document.addEventListener("visibilitychange", () => document.hidden || plan(0));
  document.addEventListener("click", ({ target, detail }) => {
    if (poll) plan(CLICK_MS);
    if (!detail && target.closest('[data-testid="stPopover"]')) enterPopover(10);
    if (target.closest(RUN) && matchMedia(NARROW).matches) scrollTo(RESULT, 0); // it is below the editor
  });
  plan(CLICK_MS);
}

export default function ({ data: [data], setTriggerValue }) {
  document.documentElement.lang = data.lang;
  groupPages();
  const isFirst = !page;
  page = { lang: data.lang, path: data.page, phase: data.phase ?? "", send: setTriggerValue };
  if (isFirst) begin();
  else if (poll) drawBanner();
  const isOther = shown !== data.page;
  shown = data.page;
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (isOther && matchMedia(NARROW).matches && sidebar?.dataset.collapsed === "false") {
    sidebar.querySelector(COLLAPSE)?.click();
  }
  if (data.target && data.target.count !== scrolled) {
    scrolled = data.target.count;
    scrollTo(data.target.selector, TRIES);
  }
}
