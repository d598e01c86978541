// The controls of the chosen iPhone: the follow button, the switches, the app; and its log.

import { clockWithSeconds, count, h, list, setAttribute, setHidden, setText } from './dom.js';
import { icon, setIcon } from './icons.js';

const followButtonWords = {
  empty: ['Not following', 'Follow'],
  filled: ['Following', 'Unfollow'],
  filledWithWarning: ['Following, without a Live Activity', 'Unfollow'],
};

const alertLevels = [['all', 'All'], ['key', 'Key moments'], ['none', 'None']];

/** By which way APNs reaches a card. */
const wayWords = (activity) => (activity.channel ? 'card on a channel' : 'card on its own token');

/** A match in the app, with its follow button. */
function followButtonRow(act) {
  let shown = null;
  const title = h('span', { class: 'follow-title' });
  const state = h('span', { class: 'follow-state' });
  const picture = icon('bellLine');
  const warning = h('span', { class: 'follow-warning' }, icon('warning'));
  const button = h(
    'button',
    {
      class: 'follow-button',
      type: 'button',
      on: { click: () => act({ action: shown.state === 'empty' ? 'follow' : 'unfollow', matchId: shown.matchId }) },
    },
    picture,
    warning,
  );
  const levels = h('div', { class: 'segments', role: 'radiogroup' });
  for (const [name, label] of alertLevels) {
    levels.append(
      h('button', { type: 'button', role: 'radio', data: { name }, on: { click: () => act({ action: 'follow', matchId: shown.matchId, alerts: name }) } }, label),
    );
  }
  const alerts = h('div', { class: 'follow-alerts' }, h('span', {}, 'Alerts'), levels);
  return {
    node: h('li', { class: 'follow-row' }, h('div', {}, title, state), button, alerts),
    /** @param activity the match's Live Activity, where there are channels; null for none */
    show(followed, matchTitle, activity) {
      shown = followed;
      const [word, verb] = followButtonWords[followed.state];
      setText(title, matchTitle);
      setText(state, followed.isPending ? 'One moment …' : activity && followed.state === 'filled' ? `${word} · ${wayWords(activity)}` : word);
      setHidden(alerts, followed.state === 'empty');
      setAttribute(levels, 'aria-label', `Alerts of ${matchTitle}`);
      for (const level of levels.children) setAttribute(level, 'aria-checked', level.dataset.name === followed.alerts);
      setIcon(picture, followed.state === 'empty' ? 'bellLine' : 'bell');
      setHidden(warning, followed.state !== 'filledWithWarning');
      button.dataset.state = followed.state;
      button.classList.toggle('pending', followed.isPending);
      setAttribute(button, 'aria-pressed', followed.state !== 'empty');
      setAttribute(button, 'aria-label', `${verb} ${matchTitle}`);
    },
  };
}

function toggle(label, hint, onAction, offAction, act) {
  let isOn = true;
  const knob = h('button', {
    class: 'toggle',
    type: 'button',
    role: 'switch',
    'aria-label': label,
    on: { click: () => act({ action: isOn ? offAction : onAction }) },
  });
  const note = h('span', { class: 'row-hint' }, hint);
  return {
    node: h('li', { class: 'row' }, h('div', {}, h('span', {}, label), note), knob),
    show(value) {
      isOn = value;
      setAttribute(knob, 'aria-checked', value);
    },
  };
}

/** @param act called with an action's body */
export function controls(root, act) {
  const follows = h('ul', { class: 'rows follows' });
  const online = toggle('Network', 'Pushes and calls get through', 'online', 'offline', act);
  const permission = toggle('Live Activities', 'The switch in iOS Settings', 'grantPermission', 'denyPermission', act);
  const frequent = toggle('More frequent updates', 'A larger budget for priority 10', 'grantFrequentPushes', 'denyFrequentPushes', act);
  const button = (text, action, className = '') =>
    h('button', { class: `button ${className}`, type: 'button', on: { click: () => act({ action }) } }, text);
  const appWord = h('span', { class: 'figures' });
  const kill = button('Kill app', 'killApp');
  const open = button('Open app', 'openApp');
  const dismiss = button('Swipe activity away', 'dismiss');
  const numbers = h('p', { class: 'phone-numbers figures' });
  const log = h('ol', { class: 'log', tabindex: '0', 'aria-label': 'What happened on this iPhone' });
  root.append(
    h('div', { class: 'card' }, h('h3', {}, 'In the app'), follows),
    h('div', { class: 'card' }, h('h3', {}, 'Settings'), h('ul', { class: 'rows' }, online.node, permission.node, frequent.node)),
    h(
      'div',
      { class: 'card' },
      h('h3', {}, 'Do something', appWord),
      h('div', { class: 'buttons' }, open, kill, dismiss, button('Switch user', 'switchUser'), button('Reinstall app', 'reinstall', 'danger')),
    ),
    h('div', { class: 'card card-log' }, h('h3', {}, 'What happened', numbers), log),
  );
  const rows = new Map();
  const appWords = { foreground: 'App is open', background: 'App in the background', killed: 'App is not running' };
  return {
    /**
     * @param titles the titles of the matches, by id
     * @param onChannels the ids of the matches that have channels
     */
    show(state, titles, onChannels) {
      list(
        follows,
        state.followButtons,
        (each) => each.matchId,
        (each) => {
          const row = followButtonRow(act);
          rows.set(each.matchId, row);
          return row.node;
        },
        (node, each) => {
          const activity = state.activities.findLast((one) => one.matchId === each.matchId && one.state !== 'ended');
          const isTold = activity && (activity.channel || onChannels.has(each.matchId));
          rows.get(each.matchId).show(each, titles.get(each.matchId) ?? `Match ${each.matchId}`, isTold ? activity : null);
        },
      );
      for (const id of rows.keys()) if (!state.followButtons.some((each) => each.matchId === id)) rows.delete(id);
      online.show(state.isOnline);
      permission.show(state.allowsActivities);
      frequent.show(state.allowsFrequentPushes);
      setText(appWord, appWords[state.app]);
      setAttribute(open, 'disabled', state.app === 'foreground');
      setAttribute(kill, 'disabled', state.app === 'killed');
      setAttribute(dismiss, 'disabled', state.activities.length === 0);
      setText(numbers, `${count(state.pushes.received)} pushes · ${count(state.pushes.alerts)} alerts`);
      list(
        log,
        state.log.map((line, index) => ({ ...line, id: `${line.atMs} ${line.kind} ${line.text} ${state.log.filter((other, place) => place < index && other.atMs === line.atMs && other.text === line.text).length}` })).reverse(),
        (line) => line.id,
        (line) => h('li', { data: { kind: line.kind } }, h('time', {}, clockWithSeconds(line.atMs)), h('span', {}, line.text)),
        () => {},
      );
    },
  };
}
