// The time from ball to Lock Screen, and the stages that a ball passes.

import { count, h, list, seconds, setAttribute, setFigure, setHidden, setText } from './dom.js';

const names = {
  'mock-sportmonks': ['Provider', 'mock-sportmonks'],
  'score-poller': ['Score poller', 'score-poller'],
  'event-bus': ['Event bus', 'event-bus'],
  'la-coordinator': ['Coordinator', 'la-coordinator'],
  'apns-simulator': ['APNs', 'apns-simulator'],
  phones: ['Lock Screens', 'device-lab'],
  'api-gateway': ['API', 'api-gateway'],
  orchestrator: ['Orchestrator', 'orchestrator'],
};

const healthWords = { ready: 'ready', notReady: 'not ready', down: 'does not answer' };

export function latencyCard(root) {
  const figure = (label) => {
    const value = h('dd', { class: 'figures' });
    return { node: h('div', {}, h('dt', {}, label), value), value };
  };
  const half = figure('half within');
  const most = figure('95 % within');
  const worst = figure('slowest');
  const bars = h('ol', { class: 'bars', 'aria-hidden': 'true' });
  const note = h('p', { class: 'note figures' });
  root.append(
    h('div', { class: 'card card-latency' }, h('h3', {}, 'From ball to Lock Screen'), h('dl', { class: 'latency' }, half.node, most.node, worst.node), bars, note),
  );
  return {
    show(latency) {
      setFigure(half.value, seconds(latency.p50Ms));
      setFigure(most.value, seconds(latency.p95Ms));
      setFigure(worst.value, seconds(latency.maxMs));
      const top = Math.max(1, ...latency.buckets.map((bucket) => bucket.count));
      list(
        bars,
        latency.buckets.map((bucket, index) => ({ bucket, index })),
        ({ index }) => index,
        () => h('li', {}, h('span', { class: 'bar' }), h('span', { class: 'edge figures' })),
        (item, { bucket, index }) => {
          item.firstChild.style.setProperty('--share', bucket.count / top);
          item.classList.toggle('empty', bucket.count === 0);
          const edge = bucket.ms === null || bucket.ms === undefined ? `> ${latency.buckets[index - 1].ms / 1000}` : `${bucket.ms / 1000}`;
          setText(item.lastChild, edge);
        },
      );
      setText(note, latency.count ? `${count(latency.count)} Lock Screens measured, in seconds` : 'Nothing measured yet');
    },
  };
}

export function pipelineCard(root) {
  const way = h('ol', { class: 'stages' });
  const beside = h('ul', { class: 'stages beside' });
  root.append(h('div', { class: 'card card-pipeline' }, h('h3', {}, 'Pipeline'), way, beside));
  const make = () =>
    h(
      'li',
      { class: 'stage' },
      h('span', { class: 'lamp', role: 'img' }),
      h('div', { class: 'stage-name' }, h('strong'), h('span')),
      h('ul', { class: 'stage-counts figures' }),
      h('p', { class: 'stage-missing' }),
    );
  const update = (node, stage) => {
    const [lamp, name, counts, missing] = node.children;
    const [title, program] = names[stage.name] ?? [stage.name, ''];
    node.dataset.health = stage.health;
    node.classList.toggle('moving', stage.counts.some((entry) => entry.rate > 0));
    setAttribute(lamp, 'aria-label', healthWords[stage.health]);
    setText(name.children[0], title);
    setText(name.children[1], stage.processes > 1 ? `${program} × ${stage.processes}` : program);
    list(
      counts,
      stage.counts,
      (entry) => entry.label,
      () => h('li', {}, h('b'), h('span'), h('i')),
      (item, entry) => {
        setText(item.children[0], count(entry.value));
        setText(item.children[1], entry.label);
        setText(item.children[2], entry.rate ? `${entry.rate < 10 ? entry.rate.toFixed(1) : count(entry.rate)}/s` : '');
      },
    );
    setHidden(missing, stage.missing.length === 0 && stage.health === 'ready');
    setText(missing, stage.health === 'down' ? healthWords.down : stage.missing.join(', '));
  };
  return {
    show(lab, match) {
      const stages = lab.stages.map((stage) => (stage.name === 'mock-sportmonks' ? withTape(stage, lab, match) : stage.name === 'apns-simulator' ? withFaults(stage, lab) : stage));
      const last = stages.findIndex((stage) => stage.name === 'apns-simulator') + 1;
      const phones = {
        name: 'phones', health: 'ready', missing: [], processes: 1,
        counts: [{ label: 'phones', value: lab.phones.all }, { label: 'showing', value: lab.phones.showing }, { label: 'behind', value: lab.phones.behind }],
      };
      list(way, [...stages.slice(0, last), phones], (stage) => stage.name, make, update);
      list(beside, stages.slice(last), (stage) => stage.name, make, update);
    },
  };
}

function withTape(stage, lab, match) {
  const counts = match ? [{ label: `of ${count(match.tape.frames)} frames`, value: match.tape.cursor }] : [];
  if (lab.faults.provider) counts.push({ label: 'faults wait', value: lab.faults.provider });
  return { ...stage, counts };
}

function withFaults(stage, lab) {
  return lab.faults.apns ? { ...stage, counts: [...stage.counts, { label: 'faults wait', value: lab.faults.apns }] } : stage;
}
