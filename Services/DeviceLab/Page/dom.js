// Making and changing elements. Whatever is shown comes in as text and stays text: nothing here takes markup.

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

/** Shows a text; the same text again changes nothing. */
export function setText(node, text) {
  const wanted = text ?? '';
  if (node.textContent === wanted) return false;
  node.textContent = wanted;
  return true;
}

/** Shows a figure, and lights it up when it is not the first and another than before. */
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
  // A state that is not there is another thing than one that is false.
  if (value === false && name.startsWith('aria-')) value = 'false';
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Also of an icon, which has no property for it. */
export function setHidden(node, isHidden) {
  node.toggleAttribute('hidden', isHidden);
}

/**
 * Makes the children of `parent` be those of `items`, in their order, keeping the elements of items that were there.
 * `make(item)` gives an element, `update(element, item)` shows an item on it.
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

/** 12,345, and 1.2M from a million on. */
export const count = (value) => (value < 1e6 ? numbers : compactNumbers).format(Math.round(value));

/** "0.42 s", "1.8 s", "12 s" */
export function seconds(ms) {
  if (ms === null || ms === undefined) return '–';
  const value = ms / 1000;
  return `${value < 1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

/** "14:05", as a Lock Screen has it. */
export const clock = (ms) => new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
export const clockWithSeconds = (ms) => new Date(ms).toLocaleTimeString('en-GB');
