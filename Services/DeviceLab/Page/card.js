// Draws a card as the client library laid it out: rows of pieces, with their texts, lengths, sizes and inks.

import { clock, setAttribute } from './dom.js';

const weights = { regular: 400, semibold: 600, bold: 700 };
const points = (value) => `calc(${value} * var(--pt))`;
const ink = (name) => `var(--ink-${name.replace(/[^a-zA-Z0-9]/g, (sign) => `_${sign.codePointAt(0)}_`)})`;
const appearances = ['light', 'dark', 'lightContrast', 'darkContrast', 'island'];

/** The card's appearance that matches the page's theme. */
export function appearance() {
  const wanted = document.documentElement.dataset.theme;
  const isDark = wanted ? wanted === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const isContrast = matchMedia('(prefers-contrast: more)').matches;
  return isContrast ? (isDark ? 'darkContrast' : 'lightContrast') : isDark ? 'dark' : 'light';
}

function piece(entry) {
  const node = document.createElement('span');
  node.className = `card-piece ${entry.shape}`;
  node.dataset.role = entry.role;
  node.textContent = entry.time === undefined ? entry.text : clock(entry.time * 1000);
  const { style } = node;
  style.fontSize = points(entry.size);
  style.fontWeight = weights[entry.weight];
  style.color = ink(entry.ink);
  if (entry.shape === 'line') {
    style.width = points(entry.width);
    style.background = ink(entry.ink);
    node.textContent = '';
  }
  if (entry.field) {
    style.background = ink(entry.field);
    style.width = points(entry.width);
    if (entry.shape === 'circle') style.height = points(Math.ceil(1.75 * entry.size));
  }
  node.dataset.width = entry.width;
  return node;
}

function end(pieces, name) {
  const node = document.createElement('div');
  node.className = `card-end card-${name}`;
  pieces.forEach((entry, index) => {
    const child = piece(entry);
    if (index > 0) child.style.marginLeft = points(entry.space);
    node.append(child);
  });
  return node;
}

function row(entry) {
  const node = document.createElement('div');
  node.className = 'card-row';
  node.classList.toggle('middle', !entry.isOnBaseline);
  node.classList.toggle('centred', entry.isCentred);
  node.classList.toggle('beside-camera', entry.isBesideCamera);
  node.style.height = points(entry.height);
  node.style.marginTop = points(entry.gap);
  node.append(end(entry.leading, 'leading'), end(entry.trailing, 'trailing'));
  return node;
}

/** An element that shows one presentation of a card. */
export function cardView(presentation, className = '') {
  const node = document.createElement('div');
  node.className = `card-view ${className}`;
  node.dataset.presentation = presentation;
  let drawn = '';
  return {
    node,
    /** @param look one of the card's appearances; null for the page's */
    show(card, look = null) {
      node.toggleAttribute('hidden', !card);
      if (!card) {
        drawn = '';
        return;
      }
      const layout = card.layouts[presentation];
      const shown = look ?? appearance();
      const text = JSON.stringify([layout, shown]);
      if (text === drawn) return;
      drawn = text;
      node.dataset.appearance = shown;
      for (const [name, colours] of Object.entries(card.colours)) {
        node.style.setProperty(ink(name).slice(4, -1), colours[shown]);
      }
      node.style.setProperty('--tint', card.colours[card.tint]?.[shown] ?? 'transparent');
      node.style.width = points(layout.width);
      node.style.height = points(layout.height);
      node.style.padding = `${points(layout.marginAbove)} ${points(layout.margin)} ${points(layout.marginBelow)}`;
      node.replaceChildren(...layout.rows.map(row));
      setAttribute(node, 'aria-label', card.spoken);
      setAttribute(node, 'role', 'img');
    },
  };
}

export { appearances };
