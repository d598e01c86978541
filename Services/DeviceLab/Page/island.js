// The other places in which a Live Activity is seen: the Dynamic Island's three forms, Watch and CarPlay.

import { clock, flash, h, setFigure, setHidden, setText } from './dom.js';
import { icon } from './icons.js';
import { badge, ballRow, batting, earlier, hue, rate, scoreLine, shortName, story } from './score.js';

/** The top of an iPhone, with an island in it. */
function top(title, ...children) {
  const time = h('span', { class: 'top-time' });
  const node = h(
    'figure',
    { class: 'surface' },
    h(
      'div',
      { class: 'phone-top device' },
      h('div', { class: 'top-status', 'aria-hidden': 'true' }, time, h('span', {}, icon('signal'), icon('battery'))),
      ...children,
    ),
    h('figcaption', {}, title),
  );
  const tick = () => setText(time, clock(Date.now()));
  tick();
  setInterval(tick, 1000);
  return node;
}

function compact() {
  const side = badge();
  const score = h('span', { class: 'figures' });
  const overs = h('span', { class: 'figures' });
  const island = h('div', { class: 'island compact' }, h('div', { class: 'leading' }, side.node, score), h('div', { class: 'trailing' }, overs));
  return {
    node: top('Dynamic Island, compact', island),
    island,
    show(activity) {
      island.classList.toggle('empty', !activity);
      island.dataset.state = activity?.state ?? '';
      const leading = activity?.content.compactLeading;
      side.show(leading?.teamAbbr);
      setFigure(score, leading ? leading.score || leading.teamAbbr : '');
      setText(overs, activity?.content.compactTrailing.overs);
    },
  };
}

function minimal() {
  const otherTeam = h('span', { class: 'figures' });
  const otherIcon = icon('timer');
  const island = h('div', { class: 'island beside' }, h('div', { class: 'leading' }, otherIcon, otherTeam), h('div', { class: 'trailing' }));
  const team = h('span', { class: 'minimal-team' });
  const score = h('span', { class: 'minimal-score figures' });
  const circle = h('div', { class: 'island circle' }, team, score);
  const node = top('Minimal', h('div', { class: 'island-pair' }, island, circle));
  const caption = node.querySelector('figcaption');
  return {
    node,
    /** @param primary what has the island when both are of this app; without it, another app has */
    show(activity, primary) {
      circle.classList.toggle('empty', !activity);
      const shown = activity?.content.minimal ?? activity?.content.compactLeading;
      circle.style.setProperty('--hue', hue(shown?.teamAbbr));
      setText(team, (shown?.teamAbbr ?? '').slice(0, 4));
      setFigure(score, (shown?.score ?? '').split('/')[0]);
      setHidden(otherIcon, Boolean(primary));
      setText(otherTeam, primary ? `${primary.content.compactLeading.teamAbbr} ${primary.content.compactLeading.score}` : '12:00');
      setText(caption, primary ? 'Minimal, beside a match that is closer' : 'Minimal, beside another app');
    },
  };
}

function expanded() {
  const side = badge();
  const now = scoreLine('now');
  const title = h('span', { class: 'ex-title' });
  const pace = h('span', { class: 'ex-rate figures' });
  const other = scoreLine('before');
  const batters = h('span', { class: 'ex-batters' });
  const balls = ballRow(7);
  const stake = h('p', { class: 'ex-story' });
  const island = h(
    'div',
    { class: 'island expanded' },
    h('div', { class: 'ex-row' }, h('div', { class: 'ex-leading' }, side.node, now.node), h('div', { class: 'ex-trailing' }, pace, other.node)),
    h('div', { class: 'ex-row' }, title, batters),
    h('div', { class: 'ex-row' }, balls.node, stake),
  );
  return {
    node: top('Expanded, on touch or with an alert', island),
    island,
    show(activity) {
      island.classList.toggle('empty', !activity);
      island.dataset.state = activity?.state ?? '';
      const content = activity?.content;
      side.show(content && batting(content).teamAbbr);
      now.show(content ? batting(content) : null);
      other.show(content ? earlier(content) : null);
      setText(pace, content ? rate(content) : '');
      setText(title, content?.expanded.title);
      setText(batters, content?.expanded.batters.map((batter) => `${shortName(batter.name)} ${batter.score}`).slice(0, 1).join(''));
      balls.show(content?.expanded.recentBalls);
      setText(stake, content ? story(content) : 'No Live Activity');
    },
  };
}

function small(kind) {
  const side = badge();
  const now = scoreLine('now');
  const stake = h('p', { class: 'small-story' });
  const stale = h('p', { class: 'small-stale' }, icon('clock'), h('span'));
  const card = h('div', { class: 'small' }, h('div', { class: 'small-row' }, side.node, now.node), stake, stale);
  const time = h('span', { class: 'figures' });
  const tick = () => setText(time, clock(Date.now()));
  tick();
  setInterval(tick, 1000);
  const screen =
    kind === 'watch'
      ? h('div', { class: 'watch' }, h('div', { class: 'watch-screen' }, h('header', {}, time), card))
      : h('div', { class: 'car' }, h('aside', {}, time, icon('car'), icon('signal')), card);
  return {
    node: h('figure', { class: 'surface' }, screen, h('figcaption', {}, kind === 'watch' ? 'Apple Watch' : 'CarPlay')),
    show(activity) {
      card.classList.toggle('empty', !activity);
      card.dataset.state = activity?.state ?? '';
      const content = activity?.content;
      side.show(content && batting(content).teamAbbr);
      now.show(content ? batting(content) : null);
      const last = content?.expanded.lastEvent;
      setText(stake, content ? (content.expanded.status ?? content.expanded.equation ?? last?.text ?? story(content)) : 'No Live Activity');
      setHidden(stale, activity?.state !== 'stale');
      setText(stale.lastChild, activity ? clock(activity.shownAtMs) : '');
    },
  };
}

export function surfaces(root) {
  const parts = { compact: compact(), minimal: minimal(), expanded: expanded(), watch: small('watch'), car: small('car') };
  root.append(
    parts.compact.node,
    parts.minimal.node,
    parts.expanded.node,
    h('div', { class: 'surface-pair' }, parts.watch.node, parts.car.node),
  );
  let shownPhone = null;
  let shownAlert = 0;
  return {
    show(state) {
      const find = (id) => state.activities.find((activity) => activity.id === id) ?? null;
      // What has ended or is dismissed has left the island, not the Lock Screen.
      const primary = find(state.island.primary);
      const second = find(state.island.minimal);
      parts.compact.show(primary);
      parts.minimal.show(second ?? primary, second ? primary : null);
      parts.expanded.show(primary);
      parts.watch.show(primary);
      parts.car.show(primary);
      const alert = state.alert?.id ?? 0;
      if (state.id === shownPhone && alert > shownAlert) {
        flash(parts.compact.island, 'alerting');
        flash(parts.expanded.island, 'alerting');
        flash(parts.watch.node, 'alerting');
      }
      shownPhone = state.id;
      shownAlert = alert;
    },
  };
}
