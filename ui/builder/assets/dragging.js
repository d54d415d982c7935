// Dragging to an edge: at once with a mouse, after a moment's hold with a finger, which else scrolls.

import { el } from "./elements.js";

const FAR = 6; // px that a mouse moves before it drags
const SHAKE = 10; // px that a finger may move while it holds
const HOLD_MS = 350;
const REACH = 140; // px from an edge's label
const RIM = 36; // px of the stage at which it scrolls

let isLifted = false;

/** Keep a finger that drags from scrolling; the browser asks only listeners that were there before. */
export function holdStill(element) {
  element.addEventListener("touchmove", (event) => isLifted && event.preventDefault(), { passive: false });
  element.addEventListener("contextmenu", (event) => isLifted && event.preventDefault());
}

/**
 * Follow a pointer from its `pointerdown` on.
 *
 * `over` gets the pointer's events while it drags, `drop` the last one; `stage` scrolls at its rims.
 */
export function drag(event, label, { over, drop, stage }) {
  if (event.button) return;
  const isTouch = event.pointerType === "touch";
  let ghost, timer;
  let last = event;
  const lift = () => {
    ghost = el("div.nb-ghost", {}, label);
    document.body.append(ghost);
    stage.classList.add("is-dragging");
    isLifted = true;
    if (isTouch) stage.scrollIntoView({ block: "nearest" });
    follow();
  };
  const follow = () => {
    ghost.style.translate = `${last.clientX + 8}px ${last.clientY + (isTouch ? -44 : 8)}px`;
    over(last);
    const { top, bottom } = stage.getBoundingClientRect();
    if (last.clientY < top + RIM) stage.scrollTop -= 14;
    if (last.clientY > bottom - RIM) stage.scrollTop += 14;
  };
  const move = (now) => {
    if (now.pointerId !== event.pointerId) return;
    last = now;
    const moved = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY);
    if (ghost) {
      now.preventDefault();
      follow();
    } else if (isTouch && moved > SHAKE) end();
    else if (!isTouch && moved > FAR) lift();
  };
  const end = (now) => {
    if (now?.pointerId !== undefined && now.pointerId !== event.pointerId) return;
    clearTimeout(timer);
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", leave, true);
    stage.classList.remove("is-dragging");
    isLifted = false;
    ghost?.remove();
    if (!ghost) return;
    if (now?.type === "pointerup") drop(now);
    else over(null);
  };
  const leave = (pressed) => ghost && pressed.key === "Escape" && (pressed.stopPropagation(), end());
  if (isTouch) timer = setTimeout(lift, HOLD_MS);
  addEventListener("pointermove", move, { passive: false });
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
  addEventListener("keydown", leave, true);
}

/** The edge whose label is nearest to a pointer; null if none is near. */
export function nearest(edges, drawn, scale, { clientX, clientY }) {
  const { left, top } = drawn.getBoundingClientRect();
  const [x, y] = [(clientX - left) / scale, (clientY - top) / scale];
  const far = (edge) => Math.hypot(edge.x - x, edge.y - y);
  const [best] = [...edges].sort((one, two) => far(one) - far(two));
  return best && far(best) < REACH ? best : null;
}
