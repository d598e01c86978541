// The chosen iPhone's Lock Screen, with its Live Activities.

import { clock, flash, h, list, setAttribute, setHidden, setText } from './dom.js';
import { icon } from './icons.js';
import { cardView } from './card.js';

/** Milliseconds for which an alert stays on the screen. */
export const alertMs = 7000;

/** A Live Activity as the Lock Screen shows it. `onDismiss` is called with it when the user swipes it away. */
function liveActivity(onDismiss) {
  let shown = null;
  const card = cardView('lockScreen');
  const dismiss = h(
    'button',
    { class: 'la-dismiss', type: 'button', 'aria-label': 'Clear this Live Activity', on: { click: () => onDismiss(shown) } },
    icon('close'),
  );
  const node = h('article', { class: 'la' }, card.node, dismiss);
  return {
    node,
    show(activity, drawing) {
      shown = activity;
      node.dataset.state = activity.state;
      setAttribute(node, 'aria-label', drawing.spoken);
      card.show(drawing);
    },
  };
}

/** @param actions `dismiss(activity)`, `next()`, `previous()` */
export function lockScreen(root, actions, announce) {
  const time = h('p', { class: 'ls-time' });
  const date = h('p', { class: 'ls-date' });
  const carrier = h('span', { class: 'ls-carrier' });
  const flight = icon('plane');
  const signal = icon('signal');
  const alertTitle = h('strong');
  const alertBody = h('span');
  const alertWhen = h('time');
  const alert = h(
    'div',
    { class: 'ls-alert' },
    h('span', { class: 'app-icon', 'aria-hidden': 'true' }),
    h('div', {}, h('header', {}, alertTitle, alertWhen), alertBody),
  );
  alert.hidden = true;
  const activities = h('div', { class: 'ls-activities' });
  const empty = h('p', { class: 'ls-empty' });
  const phone = h(
    'div',
    { class: 'iphone device' },
    h('span', { class: 'side-button', 'aria-hidden': 'true' }),
    h(
      'div',
      { class: 'screen' },
      h('div', { class: 'ls-status' }, carrier, h('span', { class: 'ls-icons' }, flight, signal, icon('battery'))),
      h('div', { class: 'pill', 'aria-hidden': 'true' }),
      date,
      time,
      h('div', { class: 'ls-stack' }, alert, activities, empty),
      h(
        'div',
        { class: 'ls-buttons', 'aria-hidden': 'true' },
        h('span', {}, icon('torch')),
        h('span', {}, icon('camera')),
      ),
      h('div', { class: 'home-bar', 'aria-hidden': 'true' }),
    ),
  );
  const name = h('h2', { class: 'phone-name' });
  const user = h('p', { class: 'phone-user' });
  root.append(
    h(
      'div',
      { class: 'phone-head' },
      h('button', { class: 'round', type: 'button', 'aria-label': 'Previous phone', on: { click: actions.previous } }, icon('previous')),
      h('div', {}, name, user),
      h('button', { class: 'round', type: 'button', 'aria-label': 'Next phone', on: { click: actions.next } }, icon('next')),
    ),
    phone,
  );
  const cards = new Map();
  let shownPhone = null;
  let shownAlert = 0;
  let alertTimer = null;

  function tick() {
    const now = new Date();
    setText(time, clock(now));
    setText(date, now.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }));
  }
  tick();
  setInterval(tick, 1000);

  function showAlert(state, skewMs) {
    const isAnother = state.id !== shownPhone;
    const newest = state.alert?.id ?? 0;
    const isNew = isAnother ? newest > 0 : newest > shownAlert;
    if (isAnother) hideAlert();
    shownPhone = state.id;
    shownAlert = newest;
    if (!isNew || Date.now() + skewMs - state.alert.atMs > alertMs) return;
    setText(alertTitle, state.alert.title);
    setText(alertBody, state.alert.body);
    setText(alertWhen, 'now');
    // An alert of a Live Activity is the card itself, which lights up; its words are for the Watch.
    const isCard = state.alert.kind === 'activity';
    setHidden(alert, isCard);
    if (isCard) activities.firstElementChild?.classList.add('lit');
    else flash(alert, 'arriving');
    phone.classList.toggle('with-sound', state.alert.hasSound);
    flash(phone, 'buzzing');
    announce(`${state.alert.title}. ${state.alert.body}`);
    clearTimeout(alertTimer);
    alertTimer = setTimeout(hideAlert, alertMs);
  }

  function hideAlert() {
    clearTimeout(alertTimer);
    setHidden(alert, true);
    phone.classList.remove('buzzing', 'with-sound');
    for (const node of activities.children) node.classList.remove('lit');
  }

  return {
    /** @param skewMs milliseconds by which the lab's clock is ahead of the browser's */
    show(state, skewMs) {
      setText(name, state.name);
      setText(user, `signed in as ${state.user}`);
      setText(carrier, state.isOnline ? 'Sightscreen' : 'No service');
      setHidden(flight, state.isOnline);
      setHidden(signal, !state.isOnline);
      const shown = onScreen(state);
      list(
        activities,
        shown,
        (activity) => activity.id,
        (activity) => {
          const card = liveActivity(actions.dismiss);
          cards.set(activity.id, card);
          return card.node;
        },
        (node, activity) => cards.get(activity.id).show(activity, state.cards[activity.id]),
      );
      for (const id of cards.keys()) if (!shown.some((activity) => activity.id === id)) cards.delete(id);
      setHidden(empty, shown.length > 0);
      setText(empty, emptyText(state));
      showAlert(state, skewMs);
    },
  };
}

/** The activities that the Lock Screen has room for, the most relevant first. */
function onScreen(state) {
  const { primary } = state.island;
  return [...state.activities].sort((a, b) => (b.id === primary) - (a.id === primary)).slice(0, 3);
}

/** The activity of an action that names none: the chosen match's, otherwise the first that is shown. */
export function meantActivity(state, match) {
  const shown = onScreen(state);
  return shown.find((activity) => activity.matchId === match) ?? shown[0] ?? null;
}

function emptyText(state) {
  if (!state.allowsActivities) return 'Live Activities are off in Settings';
  return state.followButtons.some((each) => each.state !== 'empty') ? 'Waiting for the Live Activity' : 'Not following: tap the follow button';
}
