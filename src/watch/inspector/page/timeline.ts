import { type Axis, clockAxis, lengthAxis, ticksOf } from './axis.ts';
import { byId, make, onFrame } from './dom.ts';
import { clock, counted, duration, words } from './format.ts';
import { runTone, statusAt, toneOf, type Tone, workOf } from './moment.ts';
import { classOf, kindOf, labelOf, nameOf } from './names.ts';
import { isSession, partsOf, type Row, type Run } from './run.ts';
import { subjectOf } from './subject.ts';
import type { View } from './view.ts';

export const rowHeight = 32;

/** Rows drawn above and below the visible ones, so that scrolling shows no gap. */
const spare = 6;

/** The most tracks of hook bars in a lane; further bars share the last one. */
const mostTracks = 4;

/** The width of a tick's text, in px. */
const tickWidth = 74;

/** A row in the document. */
interface Drawn {
  readonly element: HTMLElement;
  /** Describes the state that it was drawn for. */
  readonly look: string;
  readonly bars: readonly Bar[];
  readonly veil: HTMLElement;
  readonly length: HTMLElement;
}

interface Bar {
  readonly bar: HTMLElement;
  readonly start: number;
  readonly end: number | undefined;
}

/**
 * The list of calls, each with its lane. Only the visible rows are in the document, and the time axis fits
 * them.
 */
export class Timeline {
  readonly #view: View;
  readonly #box = byId('rows');
  readonly #space = byId('space');
  readonly #ticks = byId('ticks');
  readonly #empty = byId('empty');
  readonly #drawn = new Map<Row, Drawn>();
  readonly draw: () => void;
  /** Measured in advance: reading it while rows are drawn would force their layout. */
  #ticksWidth = this.#ticks.clientWidth;
  #rows: readonly Row[] = [];
  #index: Map<Row, number> | undefined;
  axis: 'clock' | 'length' = 'clock';

  constructor(view: View) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#box.addEventListener('scroll', () => this.draw(), { passive: true });
    const resized = new ResizeObserver(() => {
      this.#ticksWidth = this.#ticks.clientWidth;
      this.draw();
    });
    resized.observe(this.#box);
    resized.observe(this.#ticks);
    this.#box.addEventListener('click', ({ target }) => {
      const row = (target as Element).closest<HTMLElement>('.row');
      if (row) view.choose(this.#rows[Number(row.dataset['index'])]);
    });
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Sets the rows to show. */
  show(rows: readonly Row[]): void {
    const isAtEnd = this.#view.isFollowing && this.isAtEnd;
    this.#rows = rows;
    this.#index = undefined;
    this.#space.style.height = `${rows.length * rowHeight}px`;
    if (isAtEnd) this.#box.scrollTop = this.#box.scrollHeight;
    this.draw();
  }

  get isAtEnd(): boolean {
    return this.#box.scrollTop + this.#box.clientHeight > this.#box.scrollHeight - rowHeight;
  }

  /** Returns the position of a row, or -1. */
  indexOf(row: Row | undefined): number {
    if (!row) return -1;
    this.#index ??= new Map(this.#rows.map((each, index) => [each, index]));
    return this.#index.get(row) ?? -1;
  }

  /** How many rows fit into the visible area. */
  get page(): number {
    return Math.max(1, Math.floor(this.#box.clientHeight / rowHeight) - 1);
  }

  /** Scrolls until a row is visible. */
  reveal(row: Row): void {
    const index = this.indexOf(row);
    if (index < 0) return;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top - rowHeight;
    else if (top + rowHeight > scrollTop + clientHeight)
      this.#box.scrollTop = top + 2 * rowHeight - clientHeight;
    this.draw();
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#box;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
    const last = Math.min(
      this.#rows.length,
      Math.ceil((scrollTop + clientHeight) / rowHeight) + spare,
    );
    const shown = this.#rows.slice(first, last);
    const seen = shown.filter((_, at) => {
      const top = (first + at) * rowHeight;
      return top + rowHeight > scrollTop && top < scrollTop + clientHeight;
    });
    const axis = this.#axisOf(seen);
    const wanted = new Set(shown);
    for (const [row, { element }] of this.#drawn)
      if (!wanted.has(row)) {
        element.remove();
        this.#drawn.delete(row);
      }
    for (const [at, row] of shown.entries()) this.#drawRow(row, first + at, axis);
    this.#drawTicks(axis);
    const { selected } = this.#view;
    const chosen = selected && this.#drawn.get(selected);
    if (chosen) this.#box.setAttribute('aria-activedescendant', chosen.element.id);
    else this.#box.removeAttribute('aria-activedescendant');
    this.#empty.hidden = this.#rows.length > 0;
    this.#empty.textContent = this.#view.emptyText;
  }

  /** The axis for the visible calls: long enough for all of them together, or for the longest. */
  #axisOf(seen: readonly Row[]): Axis {
    const { now } = this.#view;
    const plain = seen.filter(({ lanes }) => lanes.length === 0);
    const measured = plain.length > 0 ? plain : seen.filter(({ level }) => level > 1);
    return this.axis === 'length'
      ? lengthAxis(measured.reduce((most, row) => Math.max(most, endOf(row, now) - row.at), 1))
      : clockAxis(measured.map((row) => ({ from: row.at, to: endOf(row, now) })));
  }

  #drawRow(row: Row, index: number, axis: Axis): void {
    const { moment, now, selected } = this.#view;
    const status = statusAt(row, moment);
    // The text of a row changes rarely, the position of its bars often.
    const calls = isSession(row) ? row.callCount : '';
    const look = `${index} ${row.version} ${status} ${row.lanes.length} ${calls} ${moment < now}`;
    let drawn = this.#drawn.get(row);
    if (drawn?.look !== look) {
      const made = this.#makeRow(row, index, status, look);
      if (drawn) drawn.element.replaceWith(made.element);
      else this.#space.append(made.element);
      this.#drawn.set(row, made);
      drawn = made;
    }
    const { element, bars, veil, length } = drawn;
    element.classList.toggle('chosen', row === selected);
    element.setAttribute('aria-selected', String(row === selected));
    const origin = this.axis === 'length' ? row.at : 0;
    const percent = (at: number): number => axis.percent(at - origin);
    for (const { bar, start, end } of bars) {
      const left = percent(start);
      bar.style.left = `${left}%`;
      bar.style.width = `${Math.max(0, percent(end ?? Math.min(now, moment)) - left)}%`;
    }
    const isPast = moment < now;
    veil.hidden = !isPast;
    if (isPast) veil.style.left = `${Math.min(100, Math.max(0, percent(moment)))}%`;
    length.textContent =
      row.kind === 'session' || status === 'later'
        ? ''
        : duration((row.end ?? Math.min(now, moment)) - row.at);
  }

  #makeRow(row: Row, index: number, status: string, look: string): Drawn {
    const { moment, now } = this.#view;
    const isHead = row.kind !== 'call';
    const lane = make('div', { class: 'lane' });
    const bars = row.kind === 'session' ? [] : barsOf(row, moment);
    const veil = make('div', { class: 'veil', hidden: true });
    lane.append(...bars.map(({ bar }) => bar), veil);
    const length = make('span', { class: 'length' });
    const subject = subjectOf(row, moment);
    const hasBadge =
      row.kind === 'session' || !['later', 'running'].includes(status) || moment >= now;
    // The outcome is not shown before it happened.
    const badge = hasBadge ? badgeOf(row) : undefined;
    const tone = isHead && status === 'running' ? '' : rowTone(row, moment);
    const element = make(
      'div',
      {
        class: `row ${classOf(row)} ${isHead ? 'head' : ''} ${status === 'later' ? 'later' : ''}`,
        id: `row-${index}`,
        role: 'treeitem',
        'aria-level': row.level,
        'aria-setsize': this.#rows.length,
        'aria-posinset': index + 1,
        'aria-label': labelOf(row, status, subject),
        data: { index, level: row.level },
      },
      make(
        'div',
        { class: 'name' },
        make('i', { class: `dot ${tone}` }),
        make('span', { class: 'kind' }, kindOf(row)),
        make('span', { class: 'what' }, nameOf(row)),
        make('span', { class: 'subject', title: subject === '' ? undefined : subject }, subject),
        badge && make('span', { class: `badge ${badge.tone}` }, badge.text),
        length,
      ),
      lane,
    );
    element.style.transform = `translateY(${index * rowHeight}px)`;
    return { element, look, bars, veil, length };
  }

  #drawTicks(axis: Axis): void {
    const origin = this.axis === 'length' ? 0 : this.#view.runs.from;
    const closest = (tickWidth / Math.max(1, this.#ticksWidth)) * 100;
    const ticks = [];
    for (const { left, text, isAfterPause } of ticksOf(axis, origin, closest)) {
      const tick = make('span', { class: isAfterPause && 'pause' }, text);
      tick.style.left = `${left}%`;
      ticks.push(tick);
    }
    this.#ticks.replaceChildren(...ticks);
  }
}

const endOf = (row: Row, now: number): number => row.end ?? now;

/** The bars of a lane: the whole run, the work of the tool or the model, and each hook. */
function barsOf(row: Row, moment: number): Bar[] {
  const bars: Bar[] = [];
  const add = (kind: string, start: number, end: number | undefined, run?: Run): HTMLElement => {
    const bar = make('i', {
      class: kind,
      title: run && `${run.name}: ${words(statusAt(run, moment))}`,
      data: run ? { run: run.id } : {},
    });
    bars.push({ bar, start, end });
    return bar;
  };
  add('whole', row.at, row.end);
  if (row.isCall) for (const [start, end] of workOf(row)) add(`work ${row.machine}`, start, end);
  const tracks: number[] = [];
  for (const part of partsOf(row)) {
    if (part.machine !== 'hookProcess') continue;
    const free = tracks.findIndex((end) => end <= part.at);
    const track = free >= 0 ? free : Math.min(tracks.length, mostTracks - 1);
    tracks[track] = part.end ?? Infinity;
    const tone = runTone(part, Math.max(moment, part.at));
    add(`hook ${tone}`, part.at, part.end, part).dataset['track'] = String(track);
  }
  return bars;
}

function rowTone(row: Row, moment: number): Tone | '' {
  if (row.kind === 'session') return '';
  const status = statusAt(row, moment);
  if (status === 'running' || status === 'later') return toneOf(status);
  if (row.decisions.has('denied')) return 'deny';
  const tone = toneOf(status);
  if (tone !== 'ok') return tone;
  return row.decisions.has('failed') || row.decisions.has('timed out') ? 'fail' : 'ok';
}

/** What a badge says about a row, the most important first; only one is shown. */
const badges = [
  ['denied', 'deny'],
  ['refused', 'deny'],
  ['stopped', 'ask'],
  ['timed out', 'fail'],
  ['failed', 'fail'],
  ['asked', 'ask'],
  ['conflict', 'ask'],
  ['cancelled', 'off'],
  ['changed', 'note'],
] as const;

function badgeOf(row: Row): { readonly tone: string; readonly text: string } | undefined {
  if (isSession(row))
    return { tone: 'plain', text: `${counted(row.callCount, 'call')} · ${clock(row.at)}` };
  const weightiest = badges.find(([facet]) => row.decisions.has(facet));
  return weightiest && { tone: weightiest[1], text: weightiest[0] };
}

/** Whether the keys for denied and failed calls stop at a row. */
export const isTrouble = ({ kind, decisions }: Row): boolean =>
  kind === 'call' &&
  ['denied', 'refused', 'stopped', 'failed', 'timed out'].some((facet) => decisions.has(facet));
