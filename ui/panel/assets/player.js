// Play, pause, step and scrub through the frames of a picture; all frames are in its SVG.

import { h } from "./elements.js";

const FRAME = ".pp-frame", MILLISECONDS = 180;

/** The controls of a picture with several frames; null without. */
export function player(svg, words) {
  const count = (svg.match(/class="pp-frame"/g) ?? []).length;
  if (count < 2) return null;
  const button = (kind, sign) => h(`button.pp-quiet.pp-${kind}`, { "aria-label": words[kind], title: words[kind] }, sign);
  const scrub = h("input.pp-scrub", { type: "range", min: 0, max: count - 1, "aria-label": words.scrub });
  scrub.value = count - 1;
  const box = h("div.pp-player", { role: "group", key: `player-${count}` }, button("step_back", "‹"), button("play", "▶\uFE0E"), button("step_on", "›"), scrub);
  box.addEventListener("input", (event) => {
    event.stopPropagation(); // it is no setting
    stop(box, words);
    show(box);
  });
  box.addEventListener("click", ({ target }) => {
    const kind = target.closest("button")?.className;
    if (!kind) return;
    if (kind.includes("pp-play")) return box.timer ? stop(box, words) : play(box, words);
    stop(box, words);
    scrub.value = Number(scrub.value) + (kind.includes("step_on") ? 1 : -1);
    show(box);
  });
  return box;
}

/** Show the frame that the slider is at, and no other. */
function show(box) {
  const frames = box.parentNode?.querySelectorAll(FRAME) ?? [];
  const { value } = box.querySelector("input");
  frames.forEach((frame, number) => frame.setAttribute("visibility", number === Number(value) ? "visible" : "hidden"));
}

function play(box, words) {
  const scrub = box.querySelector("input");
  if (scrub.value === scrub.max) scrub.value = 0;
  show(box);
  label(box, "❚❚", words.pause);
  box.timer = setInterval(() => {
    if (!box.isConnected || scrub.value === scrub.max) return stop(box, words);
    scrub.value = Number(scrub.value) + 1;
    show(box);
  }, MILLISECONDS);
}

function stop(box, words) {
  clearInterval(box.timer);
  box.timer = 0;
  label(box, "▶\uFE0E", words.play);
}

function label(box, sign, words) {
  const button = box.querySelector(".pp-play");
  button.textContent = sign;
  button.title = words;
  button.setAttribute("aria-label", words);
}
