// Elements made from plain data, and the patch that alters only what differs in the page.

/**
 * Make an element: `h("p.pp-ask", { id: "ask" }, "Why?")`; the attributes may be left out.
 *
 * `html` is markup that the server has escaped; all other children become text. `event` is what a
 * click on the element sends to the server. `key` names the element among its siblings.
 */
export function h(selector, ...content) {
  const [tag, ...classes] = selector.split(".");
  const attributes = content[0]?.constructor === Object ? content.shift() : {};
  const { html, event, key, class: more, ...others } = attributes;
  const element = document.createElement(tag);
  const all = { class: [...classes, more].filter(Boolean).join(" ") || null, ...others };
  for (const [name, value] of Object.entries({ ...all, "data-key": key })) {
    if (value != null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  if (tag === "button") element.type = "button";
  if (event) element.dataset.event = JSON.stringify(event);
  if (html != null) [element.innerHTML, element.markup] = [html, html];
  element.append(...content.flat(9).filter((child) => child != null && child !== false));
  return element;
}

/**
 * Make `from` equal to `to`. Focus, caret, scroll and opened details stay where nothing differs.
 *
 * An element may bring two functions: `adopt(from)` is called after it was patched, and
 * `exchange(from, to)` takes the place of a plain exchange of its markup.
 */
export function patch(from, to) {
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && name !== "open") from.removeAttribute(name);
  }
  if (to.markup === undefined) {
    patchChildren(from, [...to.childNodes]);
  } else if (from.markup !== to.markup) {
    if (to.exchange) to.exchange(from, to);
    else from.replaceChildren(...to.childNodes);
  }
  from.markup = to.markup;
  to.adopt?.(from);
}

/** Children are matched by data-key, those without one by their place. */
export function patchChildren(from, children) {
  const keyOf = (node) => node.dataset?.key;
  const known = new Map([...from.children].map((child) => [keyOf(child), child]));
  const wanted = new Set(children.map(keyOf));
  let place = from.firstChild;
  const removeUntil = (end) => {
    while (place && place !== end && !(end && keyOf(place) && wanted.has(keyOf(place)))) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  };
  for (const child of children) {
    const key = keyOf(child);
    const old = key ? known.get(key) : place && !keyOf(place) ? place : undefined;
    if (key && old) removeUntil(old);
    if (old?.nodeName !== child.nodeName) {
      from.insertBefore(child, place);
      continue;
    }
    if (old === place) place = place.nextSibling;
    else from.insertBefore(old, place);
    patch(old, child);
  }
  removeUntil(null);
}
