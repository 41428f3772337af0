import { byId, make, onFrame } from './dom.js';
import { countUpTo, Detail } from './detail.js';
import { setUpDivider } from './divider.js';
import { follow } from './feed.js';
import { Filter } from './filter.js';
import { clock, counted } from './format.js';
import { setUpKeys } from './keys.js';
import { linkedCall, linkTo } from './link.js';
import { isCall, Runs } from './runs.js';
import { Scrubber } from './scrubber.js';
import { setUpTheme } from './theme.js';
import { Timeline } from './timeline.js';

/** How often a running call's bars grow, in ms. */
const tick = 100;

const runs = new Runs();
const filter = new Filter();

/** What the page shows, which all its parts read and only these functions change. */
const view = {
  runs,
  about: { source: 'live', title: '', payloads: false, notices: [], ended: false },
  isConnected: false,
  isLost: false,
  skipped: 0,
  /** The number of the last entry that was received. */
  last: 0,
  /** The moment shown; `Infinity` follows what is latest. */
  moment: Infinity,
  selected: undefined,
  /** The part of the selected call whose machine is shown. */
  focus: undefined,
  get isFollowing() {
    return this.moment === Infinity;
  },
  /** While something runs, time goes on between entries. */
  get now() {
    return this.isLive && runs.running > 0 ? Math.max(runs.to, Date.now()) : runs.to;
  },
  get isLive() {
    return this.isConnected && this.about.source === 'live' && !this.about.ended;
  },
  get emptyText() {
    if (runs.rows.length > 0) return 'No call is like that.';
    if (!this.isConnected) return 'Connecting…';
    if (!this.isLive) return 'Nothing ran.';
    return 'Waiting for the first call. It will show up here as it happens.';
  },
  choose(row, reveal = false) {
    isChosenByReader = true;
    select(row?.row ?? row);
    if (row) linkTo(row.id);
    if (reveal && this.selected) {
      timeline.reveal(this.selected);
      if (row !== this.selected) this.look(row);
    }
  },
  look(run, keepsPlace = false) {
    if (!run) return;
    if (run.row !== this.selected) select(run.row);
    this.focus = run;
    drawAll();
    if (!keepsPlace) requestAnimationFrame(() => requestAnimationFrame(() => detail.reveal()));
    else if (getComputedStyle(byId('detail').querySelector('.drawing')).display === 'none')
      detail.switchTab('diagram');
  },
  seek(moment) {
    this.moment = moment >= this.now ? Infinity : Math.max(moment, runs.from);
    drawAll();
  },
};
let isChosenByReader = false;
let linked = linkedCall();

const timeline = new Timeline(view);
const scrubber = new Scrubber(view);
const detail = new Detail(view);

function select(row) {
  if (!row) return;
  view.selected = row;
  view.focus = row;
  drawAll();
}

function drawAll() {
  timeline.draw();
  scrubber.draw();
  detail.draw();
}

/** Shows what is new, once a frame however much came. */
const showNew = onFrame(() => {
  const rows = filter.rowsOf(runs.rows);
  timeline.show(rows);
  byId('filter-count').textContent = filter.isOn
    ? `${counted(rows.filter(isCall).length, 'call')} of ${runs.callCount.toLocaleString('en')}`
    : '';
  const isHidden = filter.isOn && timeline.indexOf(view.selected) < 0;
  if (view.about.source === 'recording' && isHidden) {
    const first = rows.find(isCall) ?? rows.at(-1);
    if (first) view.selected = view.focus = first;
  } else if (!isChosenByReader) {
    // A running session shows its latest call until the reader chooses one, a recording its first.
    const newest = view.about.source === 'live' ? rows.findLast(isCall) : rows.find(isCall);
    const wanted = newest ?? rows.at(-1);
    if (wanted && (view.about.source === 'live' || !isCall(view.selected ?? {}))) {
      view.selected = wanted;
      view.focus = wanted;
    }
  }
  showLinked();
  showChoices();
  showStatus();
  drawAll();
});

/** Shows the call that the address names as soon as it is there: by its run, or by the id that its result has. */
function showLinked() {
  if (linked === undefined) return;
  const run = runs.byId.get(linked) ?? runs.rows.find(({ callId }) => callId === linked);
  if (!run) return;
  linked = undefined;
  view.choose(run, true);
}

function showStatus() {
  const { about } = view;
  const isReading = about.next > view.last + 1 && !view.isLost;
  const [text, tone] = view.isLost
    ? ['Connection lost', 'fail']
    : !view.isConnected
      ? ['Connecting', 'off']
      : isReading
        ? [`Reading ${Math.floor((100 * view.last) / Math.max(1, about.next - 1))} %`, 'live']
        : about.source === 'recording'
          ? about.ended
            ? ['Recording', 'note']
            : ['Reading', 'live']
          : about.ended
            ? ['Session ended', 'off']
            : ['Live', 'live'];
  const source = byId('source');
  if (source.textContent !== text) source.textContent = text;
  source.className = `pill ${tone}`;
  byId('title').textContent = about.title;
  byId('title').title = about.title;
  byId('counts').textContent =
    runs.callCount > 0
      ? `${counted(runs.sessions.size, 'session')} · ${counted(runs.callCount, 'call')} · ${runs.deniedCount.toLocaleString('en')} denied`
      : '';
  const warnings = byId('warnings');
  warnings.hidden = runs.warningCount === 0;
  warnings.textContent = `⚠ ${counted(runs.warningCount, 'warning')}`;
  byId('payloads').hidden = about.payloads || !view.isConnected;
  byId('payloads').textContent = 'Payloads off';
  showNotices();
}

let shownNotices = '';
function showNotices() {
  const { about } = view;
  const notices = [
    view.skipped > 0 &&
      `The oldest ${counted(view.skipped, 'entry', 'entries')} fell off: only the newest part is kept for this page.`,
    runs.dropped > 0 && `The oldest ${counted(runs.dropped, 'row')} fell off this page.`,
    view.isLost &&
      'The session’s process is gone or cannot be reached. What was received stays readable here.',
    about.source === 'live' &&
      about.ended &&
      'The session has ended. Its page stays readable as long as it is open.',
    ...about.notices,
  ].filter(Boolean);
  const all = notices.join('\n');
  if (all === shownNotices) return;
  shownNotices = all;
  byId('notices').replaceChildren(...notices.map((text) => make('p', {}, text)));
}

const choices = { event: '', tool: '', decision: '' };
const decisions = [
  'denied',
  'refused',
  'asked',
  'allowed',
  'stopped',
  'changed',
  'conflict',
  'failed',
  'timed out',
  'untrusted',
  'skipped',
  'cancelled',
];

function showChoices() {
  fill('event', 'Any event', sorted(runs.events.keys()));
  fill('tool', 'Any tool', sorted(runs.tools.keys()));
  fill('decision', 'Any decision', decisions);
}

const sorted = (names) => [...names].toSorted((a, b) => a.localeCompare(b));

function fill(name, any, values) {
  const all = values.join('\n');
  if (choices[name] === all && byId(`filter-${name}`).length > 0) return;
  choices[name] = all;
  const field = byId(`filter-${name}`);
  const { value } = field;
  field.replaceChildren(
    make('option', { value: '' }, any),
    ...values.map((each) => make('option', { value: each }, each)),
  );
  field.value = value;
}

function applyFilters() {
  filter.set({
    text: byId('filter-text').value.trim(),
    event: byId('filter-event').value,
    tool: byId('filter-tool').value,
    decision: byId('filter-decision').value,
  });
  byId('filter-clear').hidden = !filter.isOn;
  for (const name of Object.keys(choices))
    byId(`filter-${name}`).classList.toggle('on', filter[name] !== '');
  showNew();
}

function setUpFilters() {
  const form = byId('filters');
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'axis') {
      timeline.axis = target.value;
      timeline.draw();
    } else applyFilters();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('filter-clear').addEventListener('click', () => {
    form.reset();
    timeline.axis = 'clock';
    applyFilters();
    byId('rows').focus();
  });
}

/** To the row so many rows on. */
function move(by) {
  const { rows } = timeline;
  if (rows.length === 0) return;
  const at = timeline.indexOf(view.selected);
  const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
  isChosenByReader = true;
  select(rows[next]);
  linkTo(rows[next].id);
  timeline.reveal(rows[next]);
}

/** To the previous or next thing that happened, in the chosen row or anywhere. */
function step(by, row) {
  scrubber.pause();
  const times = runs.timesOf(row?.times.length > 0 ? row : undefined);
  const known = countUpTo(times, view.moment);
  // From after the row's end, the step back is the one before its last.
  const moment = Math.min(view.moment, times.at(-1) ?? runs.from);
  if (by > 0) return view.seek(times[known] ?? Infinity);
  // What happened at once is one step.
  let at = known - 1;
  while (at >= 0 && times[at] >= moment) at--;
  view.seek(times[at] ?? runs.from);
}

function setUpDialogs() {
  byId('help').addEventListener('click', () => byId('help-dialog').showModal());
  byId('payloads').addEventListener('click', () => byId('payloads-dialog').showModal());
  byId('warnings').addEventListener('click', () => {
    byId('warning-list').replaceChildren(
      ...runs.warnings
        .slice(-200)
        .map(({ at, text }) => make('li', {}, make('time', {}, clock(at)), text)),
    );
    byId('warnings-dialog').showModal();
  });
}

setUpFilters();
setUpDialogs();
addEventListener('hashchange', () => {
  linked = linkedCall();
  showLinked();
});
setUpDivider();
const toggleTheme = setUpTheme(drawAll);
setUpKeys({
  ArrowUp: () => move(-1),
  ArrowDown: () => move(1),
  PageUp: () => move(-timeline.page),
  PageDown: () => move(timeline.page),
  ArrowLeft: () => step(-1, view.selected),
  ArrowRight: () => step(1, view.selected),
  'Shift+ArrowLeft': () => step(-1),
  'Shift+ArrowRight': () => step(1),
  Home: () => view.seek(runs.from),
  End: () => view.seek(Infinity),
  '[': () => detail.step(-1),
  ']': () => detail.step(1),
  ' ': () => scrubber.toggle(),
  '/': () => byId('filter-text').select(),
  '?': () => byId('help-dialog').showModal(),
  d: () => detail.switchTab(),
  z: () => detail.zoom(),
  t: toggleTheme,
});

follow({
  about(about) {
    view.about = about;
    view.isConnected = true;
    view.isLost = false;
    document.title = `${about.title} · hookmachine inspector`;
    showNew();
  },
  entries(entries, last) {
    view.last = last;
    runs.add(entries);
    showNew();
  },
  skipped(count) {
    view.skipped += count;
  },
  lost(isForGood) {
    view.isConnected = false;
    view.isLost = isForGood && !view.about.ended;
    showNew();
  },
});

setInterval(() => {
  if (view.isLive && view.isFollowing && runs.running > 0) drawAll();
}, tick);
