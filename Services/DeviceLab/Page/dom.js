// Makes and changes elements. Content is always set as text; nothing here accepts markup.

/** An element with attributes, listeners (`on`), data (`data`) and children: elements or strings. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name === 'class') node.className = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Shows a text; setting the same text again changes nothing. */
export function setText(node, text) {
  const wanted = text ?? '';
  if (node.textContent === wanted) return false;
  node.textContent = wanted;
  return true;
}

/** Shows a figure, and lights it up when it differs from an earlier one. */
export function setFigure(node, text) {
  const isFirst = node.textContent === '';
  if (setText(node, text) && !isFirst) flash(node, 'changed');
}

/** Plays a class's animation from its beginning. */
export function flash(node, name) {
  node.classList.remove(name);
  void node.offsetWidth;
  node.classList.add(name);
}

export function setAttribute(node, name, value) {
  // An aria attribute that is absent means something else than one that is false.
  if (value === false && name.startsWith('aria-')) value = 'false';
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Hides or shows an element, also an icon, which has no `hidden` property. */
export function setHidden(node, isHidden) {
  node.toggleAttribute('hidden', isHidden);
}

/**
 * Makes the children of `parent` match `items`, in their order; items that were there keep their elements.
 * `make(item)` returns an element, `update(element, item)` shows an item on it.
 */
export function list(parent, items, key, make, update) {
  const known = parent.listed ?? (parent.listed = new Map());
  const wanted = new Map(items.map((item) => [key(item), item]));
  for (const [id, node] of known) {
    if (wanted.has(id)) continue;
    node.remove();
    known.delete(id);
  }
  let before = null;
  for (const [id, item] of wanted) {
    let node = known.get(id);
    if (!node) known.set(id, (node = make(item)));
    update(node, item);
    const place = before ? before.nextSibling : parent.firstChild;
    if (place !== node) parent.insertBefore(node, place);
    before = node;
  }
}

const numbers = new Intl.NumberFormat('en');
const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A count: 12,345, and from a million on 1.2M. */
export const count = (value) => (value < 1e6 ? numbers : compactNumbers).format(Math.round(value));

/** A time in seconds: "0.42 s", "1.8 s", "12 s". */
export function seconds(ms) {
  if (ms === null || ms === undefined) return '–';
  const value = ms / 1000;
  return `${value < 1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

/** The time of day as a Lock Screen shows it: "14:05". */
export const clock = (ms) => new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
export const clockWithSeconds = (ms) => new Date(ms).toLocaleTimeString('en-GB');
