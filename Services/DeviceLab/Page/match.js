// The match as the pipeline knows it: the card of its newest state, its ball, and its broadcast channels.

import { cardView } from './card.js';
import { clockWithSeconds, count, h, list, setHidden, setText } from './dom.js';

const audienceWords = { all: 'All alerts', key: 'Key moments', none: 'No alerts' };

function channelWords(channel) {
  if (channel.state === 'asked') return 'APNs is asked for it';
  if (channel.state === 'lost') return 'APNs no longer has it';
  const published = `${count(channel.publishes ?? 0)} published`;
  if (channel.state === 'ending') return `${published} · only the end still is`;
  if (channel.restsUntilMs) return `${published} · rests until ${clockWithSeconds(channel.restsUntilMs)}`;
  return `${published} · ${count(channel.lastMinute ?? 0)} of ${channel.perMinuteMax} a minute`;
}

/** The channels of a match; nothing where it has none. */
function channelList() {
  const rows = h('ul');
  const node = h('div', { class: 'channels' }, h('h4', {}, 'Channels: one publish for all who listen'), rows);
  return {
    node,
    show(channels) {
      setHidden(node, channels.length === 0);
      list(
        rows,
        channels,
        (channel) => `${channel.alerts} ${channel.generation}`,
        () => h('li', {}, h('div', {}, h('strong'), h('span', { class: 'figures' })), h('span', { class: 'channel-phones figures' })),
        (row, channel) => {
          row.dataset.state = channel.restsUntilMs ? 'resting' : channel.state;
          setText(row.firstChild.firstChild, audienceWords[channel.alerts]);
          setText(row.firstChild.lastChild, channelWords(channel));
          setText(row.lastChild, channel.listeners === 1 ? '1 phone' : `${count(channel.listeners)} phones`);
        },
      );
    },
  };
}

export function matchCard(root) {
  const title = h('h3');
  const ball = h('span', { class: 'match-ball figures' });
  const subtitle = h('p', { class: 'match-subtitle' });
  const hold = h('p', { class: 'match-hold', role: 'status' });
  const card = cardView('lockScreen');
  const channels = channelList();
  root.append(h('div', { class: 'card card-match' }, h('header', {}, title, ball), subtitle, hold, card.node, channels.node));
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
      channels.show(match?.channels ?? []);
    },
  };
}
