// A small Lock Screen for every phone. There are hundreds: each is one button with four texts, and only those that have
// changed are touched.

import { count, flash, h, setAttribute, setText } from './dom.js';

const filters = [
  ['all', 'All', () => true],
  ['behind', 'Behind', (tile) => tile.kind === 'behind'],
  ['none', 'No activity', (tile) => tile.kind === 'none' || tile.kind === 'denied'],
  ['offline', 'Offline', (tile) => tile.kind === 'offline'],
];

/** A tile's content: the chosen match's activity, otherwise the most relevant, with its kind and a mark. */
function reading(phone, newest, match) {
  const first = phone.shown.find((activity) => activity.matchId === match) ?? phone.shown[0];
  const score = first?.score ?? '';
  const known = first ? (newest.get(first.matchId) ?? 0) : 0;
  const behind = first && first.state !== 'ended' ? known - first.version : 0;
  if (!phone.isOnline) return { kind: 'offline', mark: 'offline', score, first };
  if (!first) {
    if (!phone.allowsActivities) return { kind: 'denied', mark: 'not allowed', score, first };
    return { kind: 'none', mark: phone.follows.length ? 'waiting' : '', score, first };
  }
  if (first.state === 'stale') return { kind: 'stale', mark: 'stale', score, first };
  if (first.state === 'ended') return { kind: 'ended', mark: 'ended', score, first };
  if (behind > 0) return { kind: 'behind', mark: `−${behind}`, score, first };
  return { kind: 'fresh', mark: '', score, first };
}

/** @param actions `choose(id)`, `all(body)`, `counted(behind)` */
export function wall(root, actions) {
  const tiles = new Map();
  let order = [];
  let newest = new Map();
  let match = null;
  let chosen = null;
  let filter = 'all';
  const grid = h('div', { class: 'tiles', role: 'listbox', 'aria-label': 'Phones' });
  const tabs = h('div', { class: 'segments', role: 'radiogroup', 'aria-label': 'Which phones' });
  const tabCounts = new Map();
  for (const [name, label] of filters) {
    const number = h('span', { class: 'figures' });
    tabCounts.set(name, number);
    tabs.append(
      h('button', { type: 'button', role: 'radio', 'aria-checked': name === filter, data: { name }, on: { click: () => choose(name) } }, label, ' ', number),
    );
  }
  const button = (text, action) => h('button', { class: 'button', type: 'button', on: { click: () => actions.all({ action }) } }, text);
  const none = h('p', { class: 'note wall-none' }, 'No such phone now.');
  root.append(
    h(
      'header',
      { class: 'wall-head' },
      h('h2', {}, 'All phones'),
      tabs,
      h('div', { class: 'buttons inline' }, button('All follow', 'follow'), button('All unfollow', 'unfollow'), button('All offline', 'offline'), button('All online', 'online')),
    ),
    grid,
    none,
  );

  grid.addEventListener('click', (event) => {
    const node = event.target.closest('.tile');
    if (node) actions.choose(node.dataset.id);
  });
  grid.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(), ArrowUp: -columns(), Home: -1e9, End: 1e9 }[event.key];
    if (!step) return;
    event.preventDefault();
    const shown = order.filter((id) => !tiles.get(id).node.hidden);
    const place = shown.indexOf(document.activeElement?.dataset.id);
    const next = shown[Math.max(0, Math.min(shown.length - 1, place + step))];
    if (next) {
      actions.choose(next);
      tiles.get(next).node.focus();
    }
  });

  function columns() {
    return getComputedStyle(grid).gridTemplateColumns.split(' ').length;
  }

  function choose(name) {
    filter = name;
    for (const tab of tabs.children) setAttribute(tab, 'aria-checked', tab.dataset.name === name);
    refresh();
  }

  function make(phone) {
    const score = h('span', { class: 'tile-score' });
    const overs = h('span', { class: 'tile-overs' });
    const name = h('span', { class: 'tile-name' });
    const mark = h('span', { class: 'tile-mark' });
    const node = h('button', { class: 'tile', type: 'button', role: 'option', tabindex: '-1', 'aria-selected': 'false', data: { id: phone.id } }, name, score, overs, mark);
    const tile = { node, score, overs, name, mark, phone, kind: '', alert: phone.alertId };
    tiles.set(phone.id, tile);
    return tile;
  }

  function show(tile) {
    const { phone } = tile;
    const told = reading(phone, newest, match);
    if (tile.kind !== told.kind) {
      tile.kind = told.kind;
      tile.node.dataset.kind = told.kind;
    }
    setText(tile.name, phone.name);
    setText(tile.score, told.score);
    setText(tile.overs, told.first ? `${told.first.team} ${told.first.overs}` : '');
    setText(tile.mark, told.mark);
    tile.node.classList.toggle('on-channel', Boolean(told.first?.channel));
    setAttribute(tile.node, 'aria-label', [phone.name, told.first ? `${told.first.team} ${told.score}` : 'no Live Activity', told.first?.channel ? 'on a channel' : '', told.mark].filter(Boolean).join(', '));
    if (phone.alertId > tile.alert) flash(tile.node, 'buzzed');
    tile.alert = phone.alertId;
  }

  function refresh() {
    const test = filters.find(([name]) => name === filter)[2];
    const sums = new Map(filters.map(([name]) => [name, 0]));
    let visible = 0;
    for (const id of order) {
      const tile = tiles.get(id);
      for (const [name, , matches] of filters) if (matches(tile)) sums.set(name, sums.get(name) + 1);
      const isHidden = !test(tile);
      if (tile.node.hidden !== isHidden) tile.node.hidden = isHidden;
      if (!isHidden) visible += 1;
    }
    for (const [name, number] of tabCounts) setText(number, count(sums.get(name)));
    none.hidden = visible > 0 || order.length === 0;
    actions.counted(sums.get('behind'));
  }

  return {
    get order() {
      return order;
    },
    /** Takes all phones, or those that have changed. */
    take({ whole, phones }) {
      if (whole) {
        const ids = new Set(phones.map((phone) => phone.id));
        for (const [id, tile] of tiles) {
          if (ids.has(id)) continue;
          tile.node.remove();
          tiles.delete(id);
        }
        order = phones.map((phone) => phone.id);
      }
      const fresh = [];
      for (const phone of phones) {
        const known = tiles.get(phone.id);
        const tile = known ?? make(phone);
        tile.phone = phone;
        show(tile);
        if (!known) fresh.push(tile.node);
      }
      if (whole) grid.append(...order.map((id) => tiles.get(id).node));
      else grid.append(...fresh);
      refresh();
      this.choose(chosen);
    },
    /** Takes the newest version of each match, by id, and the chosen match. */
    know(versions, chosenMatch) {
      const isSame = match === chosenMatch && versions.size === newest.size && [...versions].every(([id, version]) => newest.get(id) === version);
      if (isSame) return;
      newest = versions;
      match = chosenMatch;
      for (const tile of tiles.values()) show(tile);
      refresh();
    },
    choose(id) {
      const before = tiles.get(chosen);
      if (before && chosen !== id) {
        setAttribute(before.node, 'aria-selected', 'false');
        before.node.tabIndex = -1;
      }
      chosen = id;
      const tile = tiles.get(id);
      if (tile) {
        setAttribute(tile.node, 'aria-selected', 'true');
        tile.node.tabIndex = 0;
      }
    },
  };
}
