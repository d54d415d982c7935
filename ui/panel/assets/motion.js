// What moves in the panel: a word that has changed glows, the marks of a picture glide.

const GLIDE = { duration: 300, easing: "cubic-bezier(.3, 0, .2, 1)" };
const GLOW_MS = 1000;

/** Whether the visitor wants things to stand still. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Highlight a word for a second. */
export function glow(word) {
  const colour = "color-mix(in srgb, var(--pp-accent) 32%, transparent)";
  const ring = (ink) => ({ backgroundColor: ink, boxShadow: `0 0 0 .2em ${ink}` });
  const easing = isStill() ? "steps(1, end)" : "ease-in";
  word.animate([ring(colour), ring("transparent")], { duration: GLOW_MS, easing });
}

/** Exchange a picture: what has the same data-id moves to its new place, the rest fades. */
export function glide(from, to) {
  const old = marksOf(from);
  from.replaceChildren(...to.childNodes);
  const svg = from.querySelector("svg");
  if (isStill() || !svg) return;
  const scale = svg.getScreenCTM().a;
  for (const [id, { mark, x, y, path }] of marksOf(from)) {
    const before = old.get(id);
    old.delete(id);
    if (!before) {
      mark.animate({ opacity: [0, 1] }, GLIDE);
    } else if (path) {
      mark.animate({ d: [`path("${before.path}")`, `path("${path}")`] }, GLIDE);
    } else if (Math.hypot(before.x - x, before.y - y) > 1) {
      const start = `${(before.x - x) / scale}px ${(before.y - y) / scale}px`;
      mark.animate({ translate: [start, "0 0"] }, GLIDE);
    }
  }
  for (const { mark } of old.values()) {
    svg.append(mark);
    mark.animate({ opacity: [1, 0] }, GLIDE).finished.then(() => mark.remove());
  }
}

/** The marks of a picture by their data-id: their centre in the picture, and their path. */
function marksOf(picture) {
  const origin = picture.getBoundingClientRect();
  const places = [...picture.querySelectorAll("[data-id]")].map((mark) => {
    const box = mark.getBoundingClientRect();
    const x = box.x + box.width / 2 - origin.x;
    const y = box.y + box.height / 2 - origin.y;
    return [mark.dataset.id, { mark, x, y, path: mark.getAttribute("d") }];
  });
  return new Map(places);
}
