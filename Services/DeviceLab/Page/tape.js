// The tape's controls: play, pause, step, the next wicket, a slider over the overs, speed, faults, another tape.

import { count, h, list, setAttribute, setHidden, setText } from './dom.js';
import { icon, setIcon } from './icons.js';
import { get } from './stream.js';

const speeds = [1, 2, 5, 10, 20, 40, 100];
/** The most marks on a slider; more do not help. */
const marksMax = 160;

const faults = [
  ['provider', 'Provider down: 503, three times', () => ({ kind: '503', count: 3 })],
  ['provider', 'Provider refuses: 429, three times', () => ({ kind: '429', count: 3, retryAfter: 5 })],
  ['provider', 'Provider 5 s late, three times', () => ({ kind: 'slow', count: 3, delayMs: 5000 })],
  ['provider', 'Provider never answers, twice', () => ({ kind: 'timeout', count: 2 })],
  ['provider', 'Half of the JSON, three times', () => ({ kind: 'cut', count: 3 })],
  ['provider', 'Torn frames: balls ahead of the score, five times', () => ({ kind: 'torn', count: 5 })],
  ['apns', 'APNs refuses every fifth push for 20 s', () => ({ match: { share: 0.2, forMs: 20000 }, reason: 'TooManyRequests' })],
  ['apns', 'APNs answers 1 s late for 20 s', () => ({ match: { forMs: 20000 }, delayMs: 1000 })],
  ['apns', 'APNs closes a connection', () => ({ match: { event: 'update' }, goaway: 'Shutdown' })],
  ['apns', 'Ten tokens die', () => ({ match: { event: 'update', count: 10 }, reason: 'Unregistered', timestamp: Date.now() })],
  ['apns', 'Five pushes get no answer', () => ({ match: { event: 'update', count: 5 }, mute: true })],
];

const ordinals = { S1: '1st innings', S2: '2nd innings', S3: '3rd innings', S4: '4th innings' };

/** The parts of a label: "S1 12.3 87/6" → ["1st innings", "12.3", "87/6"]. */
function read(label) {
  const match = /(?:^|\s)(S\d) (\d+\.\d+) (\S+)$/.exec(label);
  return match ? [ordinals[match[1]] ?? match[1], match[2], match[3]] : [label || 'Before the first frame', '', ''];
}

/** @param actions `tape(body)`, `choose(matchId)` */
export function tapeBar(root, actions) {
  let match = null;
  let timeline = null;
  let asked = null;
  let dragging = false;
  let holdUntil = 0;

  const playIcon = icon('play');
  const round = (name, label, listener, picture = icon(name)) =>
    h('button', { class: 'round', type: 'button', 'aria-label': label, title: label, on: { click: listener } }, picture);
  const send = (command, more = {}) => match && actions.tape({ command, matchId: match.id, ...more });
  const play = round('play', 'Play', () => send(match?.tape.isPlaying ? 'pause' : 'play'), playIcon);
  play.classList.add('primary');
  const step = round('step', 'Next ball', () => send('step'));
  const wicket = round('wicket', 'Next wicket', () => {
    const next = timeline?.marks.find((mark) => mark.kind === 'wicket' && mark.cursor > match.tape.cursor);
    if (next) send('seek', { cursor: next.cursor });
  });
  // The button is off until the timeline says where the next wicket is.
  wicket.disabled = true;
  const slider = h('input', { type: 'range', min: '1', max: '1', value: '1', step: '1', 'aria-label': 'Ball' });
  const ticks = h('div', { class: 'ticks', 'aria-hidden': 'true' });
  const where = h('span', { class: 'tape-where' });
  const overs = h('span', { class: 'tape-overs figures' });
  const total = h('span', { class: 'tape-total figures' });
  const titles = h('select', { class: 'select', 'aria-label': 'Match', on: { change: () => actions.choose(titles.value) } });
  const speed = h(
    'select',
    { class: 'select figures', 'aria-label': 'Speed', on: { change: () => send('speed', { speed: Number(speed.value) }) } },
    ...speeds.map((value) => h('option', { value: String(value) }, `${value}×`)),
  );
  const waiting = h('span', { class: 'badge-count figures' });
  const faultMenu = h('div', { class: 'menu', id: 'faults', popover: 'auto' }, h('h3', {}, 'Inject a fault'));
  for (const [target, label, body] of faults) {
    faultMenu.append(
      h('button', { type: 'button', on: { click: () => {
        // The fault's effect shows behind the menu.
        faultMenu.hidePopover();
        actions.tape({ command: 'fault', target, fault: body() }, `Asked for: ${label}`);
      } } }, h('span', { class: 'menu-target' }, target === 'apns' ? 'APNs' : 'Provider'), h('span', {}, label)),
    );
  }
  faultMenu.append(h('button', { type: 'button', class: 'menu-last', on: { click: () => actions.tape({ command: 'clearFaults' }, 'Faults that were waiting are gone') } }, 'Take back what still waits'));
  const tapeList = h('div', { class: 'menu-list' });
  const variant = h(
    'select',
    { class: 'select', 'aria-label': 'How the provider behaves' },
    ...['clean', 'batching', 'repeats', 'corrections', 'deletions', 'torn', 'stale', 'late-result', 'gaps', 'flaps', 'storm'].map((name) => h('option', { value: name }, name)),
  );
  const tapeMenu = h('div', { class: 'menu', id: 'tapes', popover: 'auto' }, h('h3', {}, 'Play another match', h('label', { class: 'menu-variant' }, 'Feed ', variant)), tapeList);
  tapeMenu.addEventListener('beforetoggle', async (event) => {
    if (event.newState !== 'open') return;
    try {
      showTapes(await get('api/tapes'));
    } catch (problem) {
      actions.showMessage(problem);
    }
  });
  const faultButton = h('button', { class: 'button with-icon', type: 'button', popovertarget: 'faults', 'aria-haspopup': 'true', 'aria-label': 'Inject a fault' }, icon('bolt'), h('span', {}, 'Fault'), waiting);
  const tapeButton = h('button', { class: 'button with-icon', type: 'button', popovertarget: 'tapes', 'aria-haspopup': 'true', 'aria-label': 'Play another match' }, icon('tape'), h('span', {}, 'Tapes'));

  root.append(
    h('div', { class: 'tape-buttons' }, play, step, wicket),
    h('div', { class: 'tape-line' }, h('div', { class: 'tape-words' }, where, overs, total), h('div', { class: 'tape-slider' }, ticks, slider)),
    h('div', { class: 'tape-more' }, titles, speed, faultButton, tapeButton),
    faultMenu,
    tapeMenu,
  );

  slider.addEventListener('input', () => {
    dragging = true;
    showWords(timeline?.labels[slider.value - 1] ?? '');
    fill();
  });
  slider.addEventListener('change', () => {
    dragging = false;
    holdUntil = Date.now() + 800;
    send('seek', { cursor: Number(slider.value) });
  });

  function showTapes(tapes) {
    list(
      tapeList,
      tapes,
      (tape) => tape.tapeId,
      (tape) =>
        h('button', { type: 'button', on: { click: () => {
          tapeMenu.hidePopover();
          actions.tape({ command: 'load', tapeId: tape.tapeId, speed: Number(speed.value), variant: variant.value, seed: 7 }, `Loading ${tape.title}`);
        } } }, h('span', {}, tape.title), h('span', { class: 'menu-target figures' }, tape.tapeId)),
      () => {},
    );
  }

  function showWords(label) {
    const [words, ball, score] = read(label);
    setText(where, words);
    setText(overs, ball);
    setText(total, score);
    setAttribute(slider, 'aria-valuetext', [words, ball, score].filter(Boolean).join(' '));
  }

  function fill() {
    const span = Math.max(1, Number(slider.max) - 1);
    root.style.setProperty('--done', (Number(slider.value) - 1) / span);
  }

  /** Fetches the marks of overs and wickets when the tape has changed. */
  async function askForTimeline() {
    if (asked === match.id) return;
    asked = match.id;
    timeline = null;
    wicket.disabled = true;
    const id = match.id;
    try {
      const answer = await get(`api/matches/${encodeURIComponent(id)}/timeline`);
      if (asked !== id) return;
      timeline = answer;
      wicket.disabled = false;
      showMarks();
    } catch (problem) {
      if (asked === id) asked = null;
      actions.showMessage(problem);
    }
  }

  function showMarks() {
    const marks = timeline.marks.length > marksMax ? timeline.marks.filter((mark) => mark.kind !== 'over') : timeline.marks;
    const span = Math.max(1, timeline.labels.length - 1);
    ticks.replaceChildren(
      ...marks.slice(0, marksMax * 2).map((mark) => {
        const node = h('span', { data: { kind: mark.kind } });
        node.style.setProperty('--at', (mark.cursor - 1) / span);
        return node;
      }),
    );
  }

  return {
    show(lab, shown) {
      match = shown;
      root.classList.toggle('empty', !match);
      for (const control of [play, step, wicket, slider, speed]) control.disabled = !match;
      list(titles, lab.matches, (entry) => entry.id, (entry) => h('option', { value: entry.id }), (option, entry) => setText(option, entry.title));
      setHidden(titles, lab.matches.length < 2);
      const faultsWaiting = (lab.faults.provider ?? 0) + (lab.faults.apns ?? 0);
      setText(waiting, faultsWaiting ? count(faultsWaiting) : '');
      setHidden(waiting, faultsWaiting === 0);
      if (!match) {
        setText(where, 'No tape is loaded');
        return;
      }
      if (titles.value !== match.id) titles.value = match.id;
      const { tape } = match;
      setIcon(playIcon, tape.isPlaying ? 'pause' : 'play');
      const word = tape.isPlaying ? 'Pause' : 'Play';
      setAttribute(play, 'aria-label', word);
      setAttribute(play, 'title', word);
      play.disabled = tape.isLast && !tape.isPlaying;
      step.disabled = tape.isLast;
      setAttribute(slider, 'max', tape.frames);
      if (!speeds.includes(tape.speed) && ![...speed.options].some((option) => Number(option.value) === tape.speed)) {
        speed.append(h('option', { value: String(tape.speed) }, `${tape.speed}×`));
      }
      if (document.activeElement !== speed) speed.value = String(tape.speed);
      if (!dragging && Date.now() > holdUntil) {
        slider.value = tape.cursor;
        showWords(tape.label);
        fill();
      }
      askForTimeline();
    },
  };
}
