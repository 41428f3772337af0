import { clockAxis, lengthAxis, ticksOf } from './axis.js';
import { byId, make, onFrame } from './dom.js';
import { clock, counted, duration, words } from './format.js';
import { runTone, statusAt, toneOf, workOf } from './moment.js';
import { isCall, partsOf } from './runs.js';

export const rowHeight = 32;

/** Rows drawn above and below what is seen, so that a scroll shows no gap. */
const spare = 6;

/** Hook bars of more rows than these share the lowest one. */
const mostTracks = 4;

/** Room for the text of a tick, in px. */
const tickWidth = 74;

/**
 * The list of calls, each with its lane. Only the rows in sight are in the document, and the time
 * axis fits them.
 */
export class Timeline {
  #view;
  #box = byId('rows');
  #space = byId('space');
  #ticks = byId('ticks');
  #empty = byId('empty');
  #rows = [];
  #index;
  #drawn = new Map();
  axis = 'clock';

  /** @param {{ moment: number, now: number, selected: object, runs: object, choose(row: object): void }} view */
  constructor(view) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#box.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.#box);
    this.#box.addEventListener('click', ({ target }) => {
      const row = this.#rows[Number(target.closest('.row')?.dataset.index)];
      if (row) view.choose(row);
    });
  }

  get rows() {
    return this.#rows;
  }

  /** Shows these rows. */
  show(rows) {
    const isAtEnd = this.isAtEnd;
    this.#rows = rows;
    this.#index = undefined;
    this.#space.style.height = `${rows.length * rowHeight}px`;
    if (isAtEnd && this.#view.isFollowing) this.#box.scrollTop = this.#box.scrollHeight;
    this.draw();
  }

  get isAtEnd() {
    return this.#box.scrollTop + this.#box.clientHeight > this.#box.scrollHeight - rowHeight;
  }

  /** Where a row stands, or -1. */
  indexOf(row) {
    this.#index ??= new Map(this.#rows.map((each, index) => [each, index]));
    return this.#index.get(row) ?? -1;
  }

  /** How many rows are in sight. */
  get page() {
    return Math.max(1, Math.floor(this.#box.clientHeight / rowHeight) - 1);
  }

  /** Scrolls until a row is in sight. */
  reveal(row) {
    const index = this.indexOf(row);
    if (index < 0) return;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top - rowHeight;
    else if (top + rowHeight > scrollTop + clientHeight)
      this.#box.scrollTop = top + 2 * rowHeight - clientHeight;
    this.draw();
  }

  #draw() {
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
    for (const [row, element] of this.#drawn)
      if (!wanted.has(row)) {
        element.remove();
        this.#drawn.delete(row);
      }
    for (const [at, row] of shown.entries()) this.#drawRow(row, first + at, axis);
    this.#drawTicks(axis);
    const { selected } = this.#view;
    const chosen = this.#drawn.get(selected);
    if (chosen) this.#box.setAttribute('aria-activedescendant', chosen.id);
    else this.#box.removeAttribute('aria-activedescendant');
    this.#empty.hidden = this.#rows.length > 0;
    this.#empty.textContent = this.#view.emptyText;
  }

  /** The axis that the seen calls take, all together or the longest of them. */
  #axisOf(seen) {
    const { now } = this.#view;
    const plain = seen.filter(({ lanes }) => lanes.length === 0);
    const measured = plain.length > 0 ? plain : seen.filter(({ level }) => level > 1);
    return this.axis === 'length'
      ? lengthAxis(measured.reduce((most, row) => Math.max(most, endOf(row, now) - row.at), 1))
      : clockAxis(measured.map((row) => ({ from: row.at, to: endOf(row, now) })));
  }

  #drawRow(row, index, axis) {
    const { moment, now, selected } = this.#view;
    const status = statusAt(row, moment);
    // What a row says changes seldom, where its bars stand often.
    const look = `${index} ${row.version} ${status} ${row.lanes.length} ${row.callCount ?? ''}`;
    let element = this.#drawn.get(row);
    if (element?.look !== look) {
      const drawn = this.#makeRow(row, index, status);
      drawn.look = look;
      if (element) element.replaceWith(drawn);
      else this.#space.append(drawn);
      this.#drawn.set(row, drawn);
      element = drawn;
    }
    element.classList.toggle('chosen', row === selected);
    element.setAttribute('aria-selected', String(row === selected));
    const origin = this.axis === 'length' ? row.at : 0;
    const percent = (at) => axis.percent(at - origin);
    for (const { bar, start, end } of element.bars) {
      const left = percent(start);
      bar.style.left = `${left}%`;
      bar.style.width = `${Math.max(0, percent(end ?? Math.min(now, moment)) - left)}%`;
    }
    const isPast = moment < now;
    element.veil.hidden = !isPast;
    if (isPast) element.veil.style.left = `${Math.min(100, Math.max(0, percent(moment)))}%`;
    const end = row.end ?? (row.machine === 'session' ? undefined : Math.min(now, moment));
    element.length.textContent =
      row.machine === 'session' || status === 'later' ? '' : duration(end - row.at);
  }

  #makeRow(row, index, status) {
    const { moment, now } = this.#view;
    const isHead = row.machine === 'session' || row.machine === 'agentTurn';
    const lane = make('div', { class: 'lane' });
    const bars = [];
    const add = (kind, start, end, run) => {
      const bar = make('i', {
        class: kind,
        title: run && `${run.name}: ${words(statusAt(run, moment))}`,
        data: run ? { run: run.id } : {},
      });
      lane.append(bar);
      bars.push({ bar, start, end });
      return bar;
    };
    if (row.machine !== 'session') {
      add('whole', row.at, row.end);
      if (isCall(row))
        for (const [start, end] of workOf(row, undefined)) add(`work ${row.machine}`, start, end);
      const tracks = [];
      for (const part of partsOf(row)) {
        if (part.machine !== 'hookProcess') continue;
        const free = tracks.findIndex((end) => end <= part.at);
        const track = free >= 0 ? free : Math.min(tracks.length, mostTracks - 1);
        tracks[track] = part.end ?? Infinity;
        const bar = add(
          `hook ${runTone(part, Math.max(moment, part.at))}`,
          part.at,
          part.end,
          part,
        );
        bar.dataset.track = String(track);
      }
    }
    const veil = make('div', { class: 'veil', hidden: true });
    lane.append(veil);
    const length = make('span', { class: 'length' });
    const element = make(
      'div',
      {
        class: `row ${row.machine} ${isHead ? 'head' : ''} ${status === 'later' ? 'later' : ''}`,
        id: `row-${index}`,
        role: 'treeitem',
        'aria-level': row.level,
        'aria-setsize': this.#rows.length,
        'aria-posinset': index + 1,
        'aria-label': labelOf(row, status),
        data: { index, level: row.level },
      },
      make(
        'div',
        { class: 'name' },
        make('i', {
          class: `dot ${isHead && status === 'running' ? '' : rowTone(row, moment, now)}`,
        }),
        make('span', { class: 'kind' }, kindOf(row)),
        make('span', { class: 'what' }, nameOf(row)),
        // What came of it is not shown before it happened.
        ...(row.machine === 'session' || !['later', 'running'].includes(status) || moment >= now
          ? badges(row)
          : []
        ).map(([tone, text]) => make('span', { class: `badge ${tone}` }, text)),
        length,
      ),
      lane,
    );
    element.style.transform = `translateY(${index * rowHeight}px)`;
    return Object.assign(element, { bars, veil, length });
  }

  #drawTicks(axis) {
    const origin = this.axis === 'length' ? 0 : this.#view.runs.from;
    const closest = (tickWidth / Math.max(1, this.#ticks.clientWidth)) * 100;
    const ticks = [];
    for (const { left, text, isAfterPause } of ticksOf(axis, origin, closest)) {
      const tick = make('span', { class: isAfterPause && 'pause' }, text);
      tick.style.left = `${left}%`;
      ticks.push(tick);
    }
    this.#ticks.replaceChildren(...ticks);
  }
}

const endOf = (row, now) => row.end ?? now;

const kinds = {
  session: 'Session',
  agentTurn: 'Turn',
  modelCall: 'Model',
  toolCall: 'Tool',
  hookEvent: 'Event',
  hookProcess: 'Hook',
};

export const kindOf = ({ machine }) => kinds[machine] ?? machine;

/** What a row is called. */
export function nameOf(row) {
  if (row.machine === 'session') return shortId(row.name) || 'unnamed';
  if (row.machine === 'agentTurn') return String(row.number);
  return row.name || '(unnamed)';
}

/** Random ids are distinguished by their beginning. */
const shortId = (name) =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/.test(name) ? name.slice(0, 8) : name;

function rowTone(row, moment) {
  if (row.machine === 'session') return '';
  const status = statusAt(row, moment);
  if (status === 'running' || status === 'later') return toneOf(status);
  if (row.decisions.has('denied')) return 'deny';
  const tone = toneOf(status);
  if (tone !== 'ok') return tone;
  return row.decisions.has('failed') || row.decisions.has('timed out') ? 'fail' : 'ok';
}

const badgeOf = [
  ['denied', 'deny'],
  ['refused', 'deny'],
  ['stopped', 'ask'],
  ['timed out', 'fail'],
  ['failed', 'fail'],
  ['asked', 'ask'],
  ['conflict', 'ask'],
  ['cancelled', 'off'],
  ['changed', 'note'],
];

/** What there is to say of a row beside its name: the weightiest thing. */
function badges(row) {
  if (row.machine === 'session')
    return [['plain', `${counted(row.callCount, 'call')} · ${clock(row.at)}`]];
  const weightiest = badgeOf.find(([facet]) => row.decisions.has(facet));
  return weightiest ? [[weightiest[1], weightiest[0]]] : [];
}

const labelOf = (row, status) =>
  [kindOf(row), nameOf(row), words(status), ...row.decisions].join(', ');
