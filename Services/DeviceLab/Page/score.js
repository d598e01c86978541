// How parts of a content state look wherever they are shown. All texts come ready; nothing is worked out here.

import { h, list, setFigure, setHidden, setText } from './dom.js';

/** A side's colour: the same for the same name, told apart from others' by its place on the wheel. */
export function hue(abbr) {
  let sum = 7;
  for (const letter of abbr ?? '') sum = (sum * 31 + letter.codePointAt(0)) % 360;
  return sum;
}

/** A side's badge. */
export function badge() {
  const node = h('span', { class: 'badge', 'aria-hidden': 'true' });
  return {
    node,
    show(abbr) {
      setText(node, (abbr ?? '').slice(0, 4));
      node.style.setProperty('--hue', hue(abbr));
    },
  };
}

const ballKinds = { W: 'wicket', 4: 'four', 6: 'six', '•': 'dot', wd: 'extra', nb: 'extra', b: 'extra', lb: 'extra' };

/** The last balls, newest last; as many as `max`. */
export function ballRow(max) {
  const node = h('ol', { class: 'balls', 'aria-label': 'Last balls' });
  return {
    node,
    show(balls) {
      const shown = (balls ?? []).slice(-max);
      setHidden(node, shown.length === 0);
      list(
        node,
        shown.map((ball, index) => ({ ball, index })),
        ({ index }) => index,
        () => h('li', { class: 'ball' }),
        (item, { ball, index }) => {
          setText(item, ball);
          item.dataset.kind = ballKinds[ball] ?? 'runs';
          item.classList.toggle('newest', index === shown.length - 1);
        },
      );
    },
  };
}

/** What the state is in a word, and its colour. */
export function phase(activityState, content) {
  if (activityState === 'stale') return ['stale', 'Not live'];
  const state = content?.matchDisplayState;
  if (activityState === 'ended' || state === 'completed') return ['done', 'Result'];
  switch (state) {
    case 'live': return content.expanded.status ? ['pause', 'Live'] : ['live', 'Live'];
    case 'scheduled': return ['soon', 'Soon'];
    case 'inningsBreak': return ['pause', 'Break'];
    case 'suspended': return ['pause', 'Stopped'];
    case 'abandoned': return ['done', 'Off'];
    default: return ['pause', 'Live'];
  }
}

export function phaseChip() {
  const node = h('span', { class: 'chip' });
  return {
    node,
    show(activityState, content) {
      const [kind, text] = phase(activityState, content);
      node.dataset.kind = kind;
      setText(node, text);
    },
  };
}

/** "MI 87/6 (12.3)" in parts of their own, so that figures stand still. */
export function scoreLine(className) {
  const team = h('span', { class: 'team' });
  const score = h('span', { class: 'runs' });
  const overs = h('span', { class: 'overs' });
  const node = h('div', { class: `score ${className}` }, team, score, overs);
  return {
    node,
    show(side) {
      setHidden(node, !side);
      if (!side) return;
      setText(team, side.teamAbbr);
      setFigure(score, side.score);
      setText(overs, side.overs ? `(${side.overs})` : '');
    },
  };
}

/** The side at the crease, or the one that is to bat first. */
export function batting(content) {
  const innings = content.expanded.innings;
  return innings.at(-1) ?? { teamAbbr: content.compactLeading.teamAbbr, score: content.compactLeading.score, overs: '' };
}

/** The innings before, if there is one. */
export function earlier(content) {
  return content.expanded.innings.at(-2) ?? null;
}

/** What is at stake: why nothing moves, or what is needed. */
export function story(content) {
  const { status, equation, target } = content.expanded;
  return status ?? equation ?? (target ? `Target ${target}` : '');
}

/** The rate that counts: the one that is required, else the one so far. */
export function rate(content) {
  const { requiredRunRate } = content.expanded;
  if (requiredRunRate) return `RRR ${requiredRunRate}`;
  return content.expanded.innings.length ? `CRR ${content.compactTrailing.runRate}` : '';
}

/** "Rohit Sharma" → "R Sharma" where there is little room. */
export function shortName(name) {
  const words = (name ?? '').split(' ').filter(Boolean);
  if (words.length < 2) return name ?? '';
  const first = words[0];
  return `${first === first.toUpperCase() && first.length <= 3 ? first : first[0]} ${words.slice(1).join(' ')}`;
}
