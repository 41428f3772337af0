import type { About } from '../feed.ts';
import { ApprovalsDialog } from './approvals-dialog.ts';
import { byId, make, onFrame, theOne } from './dom.ts';
import { loadDrawings } from './diagram.ts';
import { Detail } from './detail.ts';
import { setUpDivider } from './divider.ts';
import { follow } from './feed.ts';
import { setUpFigures } from './figures.ts';
import { Filter } from './filter.ts';
import { setUpFilters } from './filter-controls.ts';
import { clock, counted } from './format.ts';
import { setUpKeys } from './keys.ts';
import { linkedCall, linkTo } from './link.ts';
import { type Row, type Run, timesOf } from './run.ts';
import { countUpTo } from './times.ts';
import { Runs } from './runs.ts';
import { Scrubber } from './scrubber.ts';
import { prepareSearch } from './search-text.ts';
import { setUpTheme } from './theme.ts';
import { isTrouble, Timeline } from './timeline.ts';
import type { Numbered, View } from './view.ts';

/** How often a running call's bars are redrawn, in ms. */
const tick = 100;

const runs = new Runs();
const filter = new Filter();

/** What has been received, besides the runs. */
const feed = {
  isConnected: false,
  isLost: false,
  skipped: 0,
  /**
   * The number of the last entry received, of the next one to come, and of the next one when the page was
   * opened.
   */
  last: 0,
  next: 0,
  nextAtOpening: undefined as number | undefined,
};

class PageView implements View {
  readonly runs = runs;
  about: About = { source: 'live', title: '', payloads: false, notices: [], ended: false };
  moment = Infinity;
  selected: Row | undefined;
  focus: Run | undefined;

  get isFollowing(): boolean {
    return this.moment === Infinity;
  }

  get now(): number {
    return this.isLive && runs.running > 0 ? Math.max(runs.to, Date.now()) : runs.to;
  }

  get isLive(): boolean {
    return feed.isConnected && this.about.source === 'live' && !this.about.ended;
  }

  get wanted(): readonly string[] {
    return filter.words;
  }

  get emptyText(): string {
    if (runs.rows.length > 0) return 'No call matches.';
    if (!feed.isConnected) return 'Connecting…';
    if (!this.isLive) return 'Nothing ran.';
    if (this.about.approvals)
      return 'No call has run in this process. Approvals, at the top, lists what waits.';
    return 'Waiting for the first call. It will show up here as it happens.';
  }

  choose(run: Run | undefined, reveal = false): void {
    isChosenByReader = true;
    if (!run) return;
    this.select(run.row);
    linkTo(run.id);
    if (!reveal) return;
    timeline.reveal(run.row);
    if (run !== run.row) this.look(run);
  }

  look(run: Run | undefined, keepsPlace = false): void {
    if (!run) return;
    isChosenByReader = true;
    if (run.row !== this.selected) this.select(run.row);
    this.focus = run;
    linkTo(run.id);
    drawAll();
    if (!keepsPlace) requestAnimationFrame(() => requestAnimationFrame(() => detail.reveal()));
  }

  select(row: Row): void {
    this.selected = row;
    this.focus = row;
    drawAll();
  }

  seek(moment: number): void {
    this.moment = moment >= this.now ? Infinity : Math.max(moment, runs.from);
    drawAll();
  }

  search(text: string): void {
    theOne('input', 'filter-text').value = text;
    filters.apply();
  }
}

let isChosenByReader = false;
let linked = linkedCall(location);

const view = new PageView();
const timeline = new Timeline(view);
const scrubber = new Scrubber(view);
const detail = new Detail(view);
const approvals = new ApprovalsDialog(view);

const filters = setUpFilters(filter, {
  onChange: () => showNew(),
  onSearch: () => prepareSearch(runs.rows),
  onAxis(axis) {
    timeline.axis = axis;
    timeline.draw();
  },
});

function drawAll(): void {
  timeline.draw();
  scrubber.draw();
  detail.draw();
}

/** Shows what is new, once per frame however much has come. */
const showNew = onFrame(() => {
  const rows = filter.rowsOf(runs.rows);
  timeline.show(rows);
  byId('filter-count').textContent = filter.isOn
    ? `${counted(
        rows.reduce((count, row) => count + (row.isCall ? 1 : 0), 0),
        'call',
      )} of ${runs.callCount.toLocaleString('en')}`
    : '';
  openAt(rows);
  showLinked();
  filters.showChoices(runs);
  showStatus();
  drawAll();
});

/** Whether entries that already exist have yet to be received. */
const isReading = (): boolean => feed.next > feed.last + 1;

/** Whether everything shown had already happened when the page was opened. */
const isPast = (): boolean =>
  view.about.source === 'recording' || (view.about.ended && feed.last + 1 === feed.nextAtOpening);

/**
 * While a session is running, its latest call is selected until the reader chooses one. For a finished
 * session, the first call that was denied or failed is selected.
 */
function openAt(rows: readonly Row[]): void {
  const calls = rows.filter(({ isCall }) => isCall);
  const isHidden = filter.isOn && view.selected && timeline.indexOf(view.selected) < 0;
  if (isPast() && isHidden) {
    const first = calls[0] ?? rows.at(-1);
    if (first) view.select(first);
  } else if (!isChosenByReader) {
    const wanted = isPast() ? (rows.find(isTrouble) ?? calls[0]) : calls.at(-1);
    const row = wanted ?? rows.at(-1);
    if (!row || row === view.selected) return;
    view.select(row);
    if (isPast()) timeline.reveal(row);
  }
}

/**
 * Shows the call that the address names once it has arrived. It is found by its run's id or by its call id.
 */
function showLinked(): void {
  if (linked === undefined) return;
  const run = runs.byId.get(linked) ?? runs.rows.find(({ started }) => started?.callId === linked);
  if (!run) return;
  linked = undefined;
  view.choose(run, true);
}

function showStatus(): void {
  const { about } = view;
  const [text, tone] = sourceOf(about);
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
  byId('payloads').hidden = about.payloads || !feed.isConnected;
  byId('payloads').textContent = 'Payloads off';
  showNotices(about);
}

function sourceOf({ source, ended }: About): readonly [text: string, tone: string] {
  if (feed.isLost) return ['Connection lost', 'fail'];
  if (!feed.isConnected) return ['Connecting', 'off'];
  if (isReading())
    return [`Reading ${Math.floor((100 * feed.last) / Math.max(1, feed.next - 1))} %`, 'live'];
  if (source === 'recording') return ended ? ['Recording', 'note'] : ['Reading', 'live'];
  return ended ? ['Session ended', 'off'] : ['Live', 'live'];
}

let shownNotices = '';
function showNotices(about: About): void {
  const notices = [
    feed.skipped > 0 &&
      `The oldest ${counted(feed.skipped, 'entry', 'entries')} were dropped: only the newest part is kept for this page.`,
    runs.dropped > 0 && `The oldest ${counted(runs.dropped, 'row')} were dropped from this page.`,
    feed.isLost &&
      'The session’s process is gone or cannot be reached. What was received stays readable here.',
    about.source === 'live' &&
      about.ended &&
      'The session has ended. Its page stays readable as long as it is open.',
    ...about.notices,
  ].filter((text) => typeof text === 'string');
  const all = notices.join('\n');
  if (all === shownNotices) return;
  shownNotices = all;
  byId('notices').replaceChildren(...notices.map((text) => make('p', {}, text)));
}

/** Moves the selection by a number of rows. */
function move(by: number): void {
  const { rows } = timeline;
  const at = timeline.indexOf(view.selected);
  goTo(rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]);
}

/** Moves to the next or previous call that was denied or failed. */
function moveToTrouble(by: 1 | -1): void {
  const { rows } = timeline;
  let at = timeline.indexOf(view.selected);
  if (at < 0 && by < 0) at = rows.length;
  do at += by;
  while (at >= 0 && at < rows.length && !isTrouble(rows[at]!));
  goTo(rows[at]);
}

function goTo(row: Row | undefined): void {
  if (!row) return;
  view.choose(row);
  timeline.reveal(row);
}

/** Goes to the previous or next moment at which something happened, in the chosen row or anywhere. */
function step(by: number, row?: Row): void {
  scrubber.pause();
  const ofRow = row ? timesOf(row) : [];
  const times = ofRow.length > 0 ? ofRow : runs.timesOfAll();
  const known = countUpTo(times, view.moment);
  // A step back from a moment after the row's end leads to the one before its last.
  const moment = Math.min(view.moment, times.at(-1) ?? runs.from);
  if (by > 0) return view.seek(times[known] ?? Infinity);
  // Everything that happened at the same moment is one step.
  let at = known - 1;
  while (at >= 0 && times[at]! >= moment) at--;
  view.seek(times[at] ?? runs.from);
}

const open = (id: string) => (): void => theOne('dialog', id).showModal();

function setUpDialogs(): void {
  byId('help').addEventListener('click', open('help-dialog'));
  byId('payloads').addEventListener('click', open('payloads-dialog'));
  byId('warnings').addEventListener('click', () => {
    byId('warning-list').replaceChildren(
      ...runs.warnings
        .slice(-200)
        .map(({ at, text }) => make('li', {}, make('time', {}, clock(at)), text)),
    );
    open('warnings-dialog')();
  });
}

setUpDialogs();
setUpFigures(view);
byId('previous').addEventListener('click', () => moveToTrouble(-1));
byId('next').addEventListener('click', () => moveToTrouble(1));
// The page may have put the chosen call into the address before this event arrives.
addEventListener('hashchange', ({ newURL }) => {
  linked = linkedCall(new URL(newURL));
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
  n: () => moveToTrouble(1),
  p: () => moveToTrouble(-1),
  ' ': () => scrubber.toggle(),
  '/': () => theOne('input', 'filter-text').select(),
  '?': open('help-dialog'),
  d: () => detail.toggleDrawing(),
  z: () => detail.zoom(),
  t: toggleTheme,
});

/** How long the page reads on before it shows what it has read, in ms. */
const pause = 250;
let nextLook = 0;

await loadDrawings();
follow({
  about(about: Numbered) {
    view.about = about;
    feed.next = about.next;
    feed.nextAtOpening ??= about.next;
    feed.isConnected = true;
    feed.isLost = false;
    if (about.approvals) approvals.begin();
    document.title = `${about.title} · hookmachine inspector`;
    if (about.ended) setTimeout(() => prepareSearch(runs.rows));
    showNew();
  },
  entries(sent) {
    feed.last = sent.last;
    runs.add(sent);
    // Someone who opens a long session wants to see its end soon, not every step on the way there.
    const now = performance.now();
    if (isReading() && now < nextLook) return;
    nextLook = now + pause;
    showNew();
  },
  skipped(count) {
    feed.skipped += count;
  },
  lost(isForGood) {
    feed.isConnected = false;
    feed.isLost = isForGood && !view.about.ended;
    showNew();
  },
});

setInterval(() => {
  if (view.isLive && view.isFollowing && runs.running > 0) drawAll();
}, tick);
