// The page's state, the views that show it, and the actions of its buttons.

import { count, h, setAttribute, setText } from './dom.js';
import { icon } from './icons.js';
import { Stream, post, Refusal } from './stream.js';
import { lockScreen, meantActivity } from './lockscreen.js';
import { surfaces } from './island.js';
import { controls } from './controls.js';
import { matchCard } from './match.js';
import { latencyCard, pipelineCard } from './pipeline.js';
import { tapeBar } from './tape.js';
import { wall } from './wall.js';

const part = (id) => document.getElementById(id);
const store = { lab: null, phone: null, match: null, skewMs: 0 };

// MARK: - Messages

const toasts = part('toasts');

function showMessage(words, kind = 'problem') {
  const text = words instanceof Refusal ? words.message : words instanceof Error ? 'The lab cannot be reached.' : words;
  const node = h('p', { class: 'toast', data: { kind } }, text);
  toasts.append(node);
  while (toasts.children.length > 3) toasts.firstChild.remove();
  setTimeout(() => node.remove(), 5000);
}

function announce(text) {
  setText(part('announcer'), text);
}

// MARK: - Light and dark

const themes = [['auto', 'As the system', 'auto'], ['light', 'Light', 'sun'], ['dark', 'Dark', 'moon']];

// A card's colours come with it, by appearance.
function redraw() {
  if (store.lab) showLab();
}
for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)']) matchMedia(query).addEventListener('change', redraw);

function setTheme(name) {
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  for (const button of part('theme').children) setAttribute(button, 'aria-checked', button.dataset.name === name);
  redraw();
  try {
    localStorage.setItem('theme', name);
  } catch {
    // Without storage the theme is chosen again on each visit.
  }
}

for (const [name, label, picture] of themes) {
  part('theme').append(h('button', { type: 'button', role: 'radio', 'aria-label': label, title: label, data: { name }, on: { click: () => setTheme(name) } }, icon(picture)));
}
let theme = 'auto';
try {
  theme = localStorage.getItem('theme') ?? 'auto';
} catch {
  // Without storage the theme is chosen again on each visit.
}
setTheme(themes.some(([name]) => name === theme) ? theme : 'auto');

// MARK: - Actions

async function act(body) {
  if (!store.phone) return;
  const action = { ...body };
  if (!action.matchId && action.action === 'dismiss') action.matchId = meantActivity(store.phone, store.match?.id)?.matchId;
  else if (!action.matchId && store.match && ['follow', 'unfollow'].includes(action.action)) action.matchId = store.match.id;
  try {
    // The stream brings the result. The answer has the phone as it was before, and may arrive after newer updates.
    await post(`api/phones/${encodeURIComponent(store.phone.id)}/actions`, action);
  } catch (problem) {
    showMessage(problem);
  }
}

async function actOnAll(body) {
  try {
    const { done, refused } = await post('api/phones/actions', store.match ? { ...body, matchId: store.match.id } : body);
    showMessage(refused ? `${count(done)} phones did, ${count(refused)} could not` : `${count(done)} phones did`, 'word');
  } catch (problem) {
    showMessage(problem);
  }
}

async function sendTape(body, words) {
  try {
    const match = await post('api/tape', body);
    if (body.command === 'load') {
      store.chosenMatch = match.id;
      // A match without a follow would not show on the phone.
      store.followWhenKnown = match.id;
      words = `${words}. ${store.phone?.name ?? 'The phone'} follows it as soon as the API knows it; “All follow” lets the others, too.`;
    }
    else if (match && store.lab) {
      const known = store.lab.matches.find((entry) => entry.id === match.id);
      if (known) known.tape = match.tape;
      showLab();
    }
    if (words) showMessage(words, 'word');
  } catch (problem) {
    showMessage(problem);
  }
}

async function choose(id) {
  if (!id || id === stream.phone) return;
  phones.choose(id);
  history.replaceState(null, '', `#${encodeURIComponent(id)}`);
  try {
    await stream.watch(id);
  } catch {
    // The next stream asks for this phone.
  }
}

function neighbour(step) {
  const { order } = phones;
  const place = order.indexOf(stream.phone ?? store.phone?.id);
  if (order.length) choose(order[(place + step + order.length) % order.length]);
}

const screen = lockScreen(part('phone'), { dismiss: (activity) => act({ action: 'dismiss', matchId: activity.matchId }), next: () => neighbour(1), previous: () => neighbour(-1) }, announce);
const places = surfaces(part('surfaces'));
const phoneControls = controls(part('controls'), act);
const match = matchCard(part('match'));
const latency = latencyCard(part('match'));
const pipeline = pipelineCard(part('match'));
const tape = tapeBar(part('tape'), { tape: sendTape, showMessage, choose: (id) => { store.chosenMatch = id; showLab(); } });
const phones = wall(part('wall'), { choose, all: actOnAll, counted: (behind) => tally('behind', behind) });

// MARK: - State

function currentMatch() {
  const { matches } = store.lab;
  const isOn = (entry) => entry.content && !['completed', 'abandoned', 'scheduled'].includes(entry.content.matchDisplayState);
  return (
    matches.find((entry) => entry.id === store.chosenMatch) ??
    matches.findLast((entry) => entry.tape.isPlaying && isOn(entry)) ??
    matches.findLast(isOn) ??
    matches.findLast((entry) => entry.tape.isPlaying) ??
    matches.findLast((entry) => !entry.tape.isLast) ??
    matches.at(-1) ??
    null
  );
}

const tallies = new Map();
for (const [name, label] of [['all', 'phones'], ['showing', 'showing'], ['behind', 'behind'], ['stale', 'stale']]) {
  const value = h('b', { class: 'figures' });
  tallies.set(name, value);
  part('tallies').append(h('li', { data: { name } }, value, h('span', {}, label)));
}

function tally(name, number) {
  const value = tallies.get(name);
  setText(value, count(number));
  value.parentElement.classList.toggle('some', number > 0);
}

function showLab() {
  if (!store.lab) return;
  store.match = currentMatch();
  match.show(store.match, store.lab.cards[store.match?.id] ?? null, heldWords());
  latency.show(store.lab.latency);
  pipeline.show(store.lab, store.match);
  tape.show(store.lab, store.match);
  phones.know(new Map(store.lab.matches.map((entry) => [entry.id, entry.version])), store.match?.id ?? null);
  // The wall counts the phones that are behind, so that both show the same number.
  for (const name of tallies.keys()) if (name !== 'behind') tally(name, store.lab.phones[name]);
  setText(part('headline'), store.match?.title ?? '');
  if (store.phone) showPhone(store.phone);
}

/** The operator's holds, in words. */
function heldWords() {
  const counts = store.lab.stages.find((stage) => stage.name === 'la-coordinator')?.counts ?? [];
  const of = (label) => counts.find((entry) => entry.label === label)?.value ?? 0;
  if (of('pushes held') > 0) return 'Held by the operator: no push goes out';
  return of('alerts held') > 0 ? 'Held by the operator: pushes go out without alerts' : null;
}

/** Follows a match that was just loaded, once the API knows it, and shows a message. */
function followLoaded(state) {
  const wanted = store.followWhenKnown;
  if (!wanted || !store.lab?.matches.some((entry) => entry.id === wanted && entry.content)) return;
  store.followWhenKnown = null;
  if (state.followButtons.some((each) => each.matchId === wanted && each.state !== 'empty')) return;
  act({ action: 'follow', matchId: wanted });
}

function showPhone(state) {
  store.phone = state;
  stream.phone = state.id;
  phones.choose(state.id);
  const titles = new Map((store.lab?.matches ?? []).map((entry) => [entry.id, entry.content?.expanded.title ?? entry.title]));
  // A match that the phone does not list can still be followed.
  const missing = store.match && !state.followButtons.some((each) => each.matchId === store.match.id) ? [{ matchId: store.match.id, state: 'empty', isPending: false, alerts: 'all' }] : [];
  screen.show(state, store.skewMs);
  places.show(state, store.skewMs);
  followLoaded(state);
  const onChannels = new Set((store.lab?.matches ?? []).filter((entry) => entry.channels.length).map((entry) => entry.id));
  phoneControls.show({ ...state, followButtons: [...missing, ...state.followButtons] }, titles, onChannels);
  document.body.classList.add('ready');
}

const stream = new Stream({
  link(isUp) {
    part('link').dataset.up = isUp;
    setText(part('link'), isUp ? 'Connected' : 'Connecting …');
  },
  lab(state) {
    store.lab = state;
    store.skewMs = state.atMs - Date.now();
    showLab();
  },
  phones: (news) => phones.take(news),
  phone: showPhone,
}, wantedPhone());

/** The phone in the page's address, so that a reload shows the same one. */
function wantedPhone() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null;
  }
}
