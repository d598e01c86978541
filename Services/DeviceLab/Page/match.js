// The match as the pipeline knows it: the card of its newest state, and its ball.

import { cardView } from './card.js';
import { h, setHidden, setText } from './dom.js';

export function matchCard(root) {
  const title = h('h3');
  const ball = h('span', { class: 'match-ball figures' });
  const subtitle = h('p', { class: 'match-subtitle' });
  const hold = h('p', { class: 'match-hold', role: 'status' });
  const card = cardView('lockScreen');
  root.append(h('div', { class: 'card card-match' }, h('header', {}, title, ball), subtitle, hold, card.node));
  return {
    /** @param held the operator's holds in words; null for none */
    show(match, drawing, held) {
      const content = match?.content ?? null;
      setText(title, content?.expanded.title || match?.title || 'No tape is loaded');
      setText(ball, content?.expanded.innings.length ? content.compactTrailing.overs : '');
      setText(subtitle, content ? `${content.expanded.subtitle} · version ${match.version}` : match ? 'No display state yet' : 'Load one below');
      setText(hold, held);
      setHidden(hold, !held);
      card.show(drawing);
    },
  };
}
