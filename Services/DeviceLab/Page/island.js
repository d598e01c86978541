// The other places that show a Live Activity: the Dynamic Island's three forms, StandBy, Watch and CarPlay.

import { cardView } from './card.js';
import { clock, flash, h, setHidden, setText } from './dom.js';
import { icon } from './icons.js';
import { alertMs } from './lockscreen.js';

function ticking(className) {
  const node = h('span', { class: className });
  const tick = () => setText(node, clock(Date.now()));
  tick();
  setInterval(tick, 1000);
  return node;
}

function figure(title, ...children) {
  return h('figure', { class: 'surface' }, ...children, h('figcaption', {}, title));
}

/** The top of an iPhone, with an island in it. */
function top(title, ...children) {
  const status = h('div', { class: 'top-status', 'aria-hidden': 'true' }, ticking('top-time'), h('span', {}, icon('signal'), icon('battery')));
  return figure(title, h('div', { class: 'phone-top device' }, status, ...children));
}

/** The compact island, which is expanded while an alert shows, as on iOS. */
function compact() {
  const leading = cardView('compactLeading');
  const trailing = cardView('compactTrailing');
  const large = cardView('expanded');
  const island = h('div', { class: 'island compact' }, leading.node, h('span', { class: 'camera' }), trailing.node);
  const grown = h('div', { class: 'island expanded grown' }, large.node);
  const node = top('Dynamic Island; it grows with an alert', island, grown);
  return {
    node,
    island: grown,
    show(card, isAlerting) {
      island.classList.toggle('empty', !card);
      leading.show(card, 'island');
      trailing.show(card, 'island');
      large.show(card, 'island');
      setHidden(grown, !isAlerting || !card);
      setHidden(island, Boolean(isAlerting && card));
    },
  };
}

function minimal() {
  const leading = cardView('compactLeading');
  const otherIcon = icon('timer');
  const otherText = h('span', { class: 'figures' }, '12:00');
  const island = h('div', { class: 'island beside' }, h('div', { class: 'leading' }, otherIcon, otherText, leading.node), h('span', { class: 'camera' }));
  const small = cardView('minimal');
  const node = top('Minimal', h('div', { class: 'island-pair' }, island, h('div', { class: 'island circle' }, small.node)));
  const caption = node.querySelector('figcaption');
  return {
    node,
    /** @param primary the card that has the island when both are of this app; null when another app has it */
    show(card, primary) {
      setHidden(node, !card);
      small.show(card, 'island');
      leading.show(primary, 'island');
      setHidden(otherIcon, Boolean(primary));
      setHidden(otherText, Boolean(primary));
      setText(caption, primary ? 'Minimal, beside a match that is closer' : 'Minimal, beside another app');
    },
  };
}

function expanded() {
  const large = cardView('expanded');
  const node = top('Expanded, on touch', h('div', { class: 'island expanded' }, large.node));
  return {
    node,
    show(card) {
      setHidden(node, !card);
      large.show(card, 'island');
    },
  };
}

function standBy() {
  const large = cardView('standBy');
  const node = figure('StandBy', h('div', { class: 'standby' }, large.node));
  return {
    node,
    show(card) {
      setHidden(node, !card);
      large.show(card, 'island');
    },
  };
}

/** The Watch shows an alert's words, and then the card again. */
function watch() {
  const small = cardView('small');
  const title = h('strong');
  const body = h('p');
  const words = h('div', { class: 'watch-alert' }, title, body);
  const node = figure('Apple Watch', h('div', { class: 'watch' }, h('div', { class: 'watch-screen' }, h('header', {}, ticking('figures')), small.node, words)));
  return {
    node,
    show(card, alert) {
      setHidden(node, !card && alert?.kind !== 'notification');
      setText(title, alert?.title);
      setText(body, alert?.body);
      setHidden(words, !alert);
      small.show(alert ? null : card, 'dark');
    },
  };
}

function car() {
  const small = cardView('small');
  const node = figure('CarPlay', h('div', { class: 'car' }, h('aside', {}, ticking('figures'), icon('car'), icon('signal')), small.node));
  return {
    node,
    show(card) {
      setHidden(node, !card);
      small.show(card, 'dark');
    },
  };
}

export function surfaces(root) {
  const parts = { compact: compact(), minimal: minimal(), expanded: expanded(), standBy: standBy(), watch: watch(), car: car() };
  root.append(
    parts.compact.node,
    parts.expanded.node,
    parts.minimal.node,
    h('div', { class: 'surface-pair' }, parts.watch.node, parts.car.node),
    parts.standBy.node,
  );
  let shownPhone = null;
  let shownAlert = 0;
  let alert = null;
  let timer = null;
  let last = null;

  function draw(state) {
    const card = (id) => (id ? state.cards[id] : null) ?? null;
    // An activity that has ended or is dismissed has left the island, while an ended one stays on the Lock Screen.
    const primary = card(state.island.primary);
    const second = card(state.island.minimal);
    parts.compact.show(primary, alert?.kind === 'activity');
    parts.minimal.show(second ?? primary, second ? primary : null);
    parts.expanded.show(primary);
    parts.standBy.show(primary);
    parts.watch.show(primary, alert);
    parts.car.show(primary);
  }

  return {
    /** @param skewMs milliseconds by which the lab's clock is ahead of the browser's */
    show(state, skewMs) {
      last = state;
      const newest = state.alert?.id ?? 0;
      const isAnother = state.id !== shownPhone;
      const isNew = (isAnother ? newest > 0 : newest > shownAlert) && Date.now() + skewMs - state.alert.atMs <= alertMs;
      if (isAnother) alert = null;
      shownPhone = state.id;
      shownAlert = newest;
      if (isNew) {
        alert = state.alert;
        clearTimeout(timer);
        timer = setTimeout(() => {
          alert = null;
          draw(last);
        }, alertMs);
        flash(parts.compact.island, 'alerting');
        flash(parts.watch.node, 'alerting');
      }
      draw(state);
    },
  };
}
