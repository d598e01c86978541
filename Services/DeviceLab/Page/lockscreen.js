// The chosen iPhone's Lock Screen, with its Live Activities.

import { clock, flash, h, list, setAttribute, setHidden, setText } from './dom.js';
import { icon } from './icons.js';
import { badge, ballRow, batting, earlier, phaseChip, rate, scoreLine, shortName, story } from './score.js';

/** How long an alert stays on the screen. */
const alertMs = 7000;

/** A Live Activity as the Lock Screen shows it. `onDismiss` is called with it when it is swiped away. */
function liveActivity(onDismiss) {
  let shown = null;
  const sides = badge();
  const title = h('span', { class: 'la-title' });
  const subtitle = h('span', { class: 'la-subtitle' });
  const chip = phaseChip();
  const now = scoreLine('now');
  const before = scoreLine('before');
  const batters = h('ul', { class: 'la-batters' });
  const bowler = h('p', { class: 'la-bowler' });
  const bowlerName = h('span', { class: 'who' });
  const figures = h('span', { class: 'figures' });
  bowler.append(bowlerName, figures);
  const balls = ballRow(7);
  const stake = h('p', { class: 'la-story' });
  const pace = h('p', { class: 'la-rate figures' });
  const event = h('p', { class: 'la-event' });
  const staleness = h('p', { class: 'la-stale' }, icon('clock'), h('span'));
  const dismiss = h(
    'button',
    { class: 'la-dismiss', type: 'button', 'aria-label': 'Clear this Live Activity', on: { click: () => onDismiss(shown) } },
    icon('close'),
  );
  const node = h(
    'article',
    { class: 'la' },
    h('header', {}, sides.node, h('div', { class: 'la-titles' }, title, subtitle), chip.node, dismiss),
    h('div', { class: 'la-scores' }, now.node, before.node),
    h('div', { class: 'la-people' }, batters, bowler),
    h('div', { class: 'la-foot' }, balls.node, h('div', {}, stake, pace)),
    event,
    staleness,
  );
  return {
    node,
    show(activity) {
      shown = activity;
      const { content } = activity;
      const side = batting(content);
      node.dataset.state = activity.state;
      node.dataset.phase = content.matchDisplayState;
      node.dataset.sentiment = content.matchSentiment;
      setAttribute(node, 'aria-label', content.expanded.spoken ?? content.expanded.title);
      sides.show(side.teamAbbr);
      setText(title, content.expanded.title);
      setText(subtitle, content.expanded.subtitle);
      chip.show(activity.state, content);
      now.show(side);
      before.show(earlier(content));
      list(
        batters,
        content.expanded.batters.slice(0, 2),
        (batter) => batter.name,
        () => h('li', {}, h('span', { class: 'who' }), h('span', { class: 'figures' })),
        (item, batter) => {
          setText(item.children[0], shortName(batter.name));
          setText(item.children[1], batter.score);
          item.classList.toggle('on-strike', batter.onStrike);
        },
      );
      const bowling = content.expanded.bowler;
      setHidden(bowler, !bowling);
      setText(bowlerName, bowling ? shortName(bowling.name) : '');
      setText(figures, bowling?.figures);
      balls.show(content.expanded.recentBalls);
      setText(stake, story(content));
      setText(pace, content.expanded.status ? '' : rate(content));
      const last = content.expanded.lastEvent;
      setHidden(event, !last || last.text === content.expanded.status);
      setText(event, last?.text);
      event.dataset.kind = last?.kind ?? '';
      setHidden(staleness, activity.state !== 'stale');
      setText(staleness.lastChild, `Last update ${clock(activity.shownAtMs)}`);
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
    const isNews = isAnother ? newest > 0 : newest > shownAlert;
    if (isAnother) hideAlert();
    shownPhone = state.id;
    shownAlert = newest;
    if (!isNews || Date.now() + skewMs - state.alert.atMs > alertMs) return;
    setText(alertTitle, state.alert.title);
    setText(alertBody, state.alert.body);
    setText(alertWhen, 'now');
    alert.dataset.kind = state.alert.kind;
    setHidden(alert, false);
    flash(alert, 'arriving');
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
  }

  return {
    /** @param skewMs how much later it is at the lab than here */
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
        (node, activity) => cards.get(activity.id).show(activity),
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

/** The one that is meant when none is named: the chosen match's, else the first that is shown. */
export function meantActivity(state, match) {
  const shown = onScreen(state);
  return shown.find((activity) => activity.matchId === match) ?? shown[0] ?? null;
}

function emptyText(state) {
  if (!state.allowsActivities) return 'Live Activities are off in Settings';
  return state.bells.some((bell) => bell.state !== 'empty') ? 'Waiting for the Live Activity' : 'No Live Activity';
}
