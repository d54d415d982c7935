// Drag a row of the builder with the mouse: the rows are Streamlit's own buttons, and stay so.
// Touch is left alone, since it scrolls; the buttons and Alt+arrows do the same everywhere.
// A search field that takes the place of another one also takes its focus.
const FAR = 6;
const MAX_FRAMES = 60; // until the new field is drawn
let search = "";

function passFocus(next) {
  const old = search;
  search = next;
  if (!old || old === next) return;
  const { activeElement, body } = document;
  if (activeElement !== body && !activeElement.closest(`.st-key-${old}`)) return;
  const focus = (frames) => {
    const field = document.querySelector(`.st-key-${next} input`);
    if (field) field.focus();
    else if (frames) requestAnimationFrame(() => focus(frames - 1));
  };
  focus(MAX_FRAMES);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const rows = `[class*="st-key-${data.prefix}"]`;
  const idOf = (row) =>
    [...row.classList].find((name) => name.startsWith(`st-key-${data.prefix}`)).slice(
      `st-key-${data.prefix}`.length
    );
  passFocus(data.search);
  let from = null, onto = null, isAfter = false, isDragging = false, startX = 0, startY = 0;

  const unmark = () => {
    onto?.classList.remove("tp-drop-before", "tp-drop-after");
    onto = null;
  };
  const stop = () => {
    unmark();
    from?.classList.remove("tp-dragged");
    document.body.classList.remove("tp-dragging");
    from = null;
    isDragging = false;
  };
  const press = (event) => {
    if (event.pointerType === "touch" || event.button !== 0) return;
    from = event.target.closest?.(rows) ?? null;
    [startX, startY] = [event.clientX, event.clientY];
  };
  const move = (event) => {
    if (!from) return;
    if (!isDragging && Math.hypot(event.clientX - startX, event.clientY - startY) < FAR) return;
    if (!isDragging) {
      isDragging = true;
      from.classList.add("tp-dragged");
      document.body.classList.add("tp-dragging");
    }
    event.preventDefault();
    unmark();
    const row = document.elementFromPoint(event.clientX, event.clientY)?.closest(rows);
    if (!row || row === from) return;
    const box = row.getBoundingClientRect();
    isAfter = event.clientY > box.top + box.height / 2;
    onto = row;
    row.classList.add(isAfter ? "tp-drop-after" : "tp-drop-before");
  };
  const drop = () => {
    if (isDragging && onto) {
      const moved = { from: idOf(from), to: idOf(onto), after: isAfter };
      setTriggerValue("moved", moved);
    }
    if (isDragging) {
      // The press ends on a button; it was no click.
      const swallow = (event) => { event.stopPropagation(); event.preventDefault(); };
      document.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 0);
    }
    stop();
  };
  const escape = (event) => { if (event.key === "Escape") stop(); };

  document.addEventListener("pointerdown", press);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", drop);
  document.addEventListener("keydown", escape);
  return () => {
    stop();
    document.removeEventListener("pointerdown", press);
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", drop);
    document.removeEventListener("keydown", escape);
  };
}
