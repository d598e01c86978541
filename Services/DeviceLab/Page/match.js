// The match as the pipeline knows it: scorecard, last balls, what is at stake.

import { h, list, setFigure, setHidden, setText } from './dom.js';
import { badge, ballRow, phaseChip, rate, story } from './score.js';

export function matchCard(root) {
  const title = h('h3');
  const chip = phaseChip();
  const subtitle = h('p', { class: 'match-subtitle' });
  const innings = h('ul', { class: 'match-innings' });
  const stake = h('p', { class: 'match-story' });
  const balls = ballRow(12);
  const batters = h('tbody');
  const bowler = h('tbody');
  const event = h('p', { class: 'match-event' });
  const table = h('table', { class: 'card-table' }, batters, bowler);
  const card = h(
    'div',
    { class: 'card card-match' },
    h('header', {}, title, chip.node),
    subtitle,
    innings,
    stake,
    table,
    balls.node,
    event,
  );
  root.append(card);
  const sides = new WeakMap();
  return {
    show(match) {
      const content = match?.content ?? null;
      setText(title, content?.expanded.title ?? match?.title ?? 'No tape is loaded');
      setText(subtitle, content ? `${content.expanded.subtitle} · version ${match.version}` : match ? 'Nobody has a display state yet' : 'Load one below');
      setHidden(chip.node, !content);
      if (content) chip.show('active', content);
      list(
        innings,
        (content?.expanded.innings ?? []).map((side, index) => ({ side, index })),
        ({ index }) => index,
        () => {
          const side = badge();
          const item = h('li', {}, side.node, h('span', { class: 'team' }), h('span', { class: 'runs' }), h('span', { class: 'overs' }));
          sides.set(item, side);
          return item;
        },
        (item, { side }) => {
          sides.get(item).show(side.teamAbbr);
          setText(item.children[1], side.teamAbbr);
          setFigure(item.children[2], side.score);
          setText(item.children[3], side.overs);
        },
      );
      setText(stake, content ? [story(content), content.expanded.status ? '' : rate(content)].filter(Boolean).join(' · ') : '');
      setHidden(table, !content);
      list(
        batters,
        (content?.expanded.batters ?? []).slice(0, 2),
        (batter) => batter.name,
        () => h('tr', {}, h('th', { scope: 'row' }), h('td'), h('td')),
        (row, batter) => {
          setText(row.children[0], batter.name);
          row.classList.toggle('on-strike', batter.onStrike);
          setText(row.children[1], batter.score);
          setText(row.children[2], `SR ${batter.strikeRate}`);
        },
      );
      list(
        bowler,
        content?.expanded.bowler ? [content.expanded.bowler] : [],
        () => 'bowler',
        () => h('tr', { class: 'bowling' }, h('th', { scope: 'row' }), h('td'), h('td')),
        (row, shown) => {
          setText(row.children[0], shown.name);
          setText(row.children[1], shown.figures);
          setText(row.children[2], `Econ ${shown.economy}`);
        },
      );
      balls.show(content?.expanded.recentBalls);
      const last = content?.expanded.lastEvent;
      setHidden(event, !last);
      setText(event, last?.text);
      event.dataset.kind = last?.kind ?? '';
    },
  };
}
