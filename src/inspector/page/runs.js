import { Density } from './density.js';

/** Rows are dropped, the oldest first, when a page was left open for so many. */
const mostRows = 60_000;

/** So many are left then: to drop many at once costs no more than to drop one. */
const keptRows = 50_000;

/** Of warnings only the last ones are kept. */
const mostWarnings = 1_000;

/** Runs that have a lane; the others are shown in the lane of the run they belong to. */
const calls = new Set(['toolCall', 'modelCall']);

/**
 * What the journal reported, as a tree: sessions, turns, calls, hook events, hook processes. It is built
 * up entry by entry and never as a whole.
 */
export class Runs {
  /** @type {Map<string, object>} */
  byId = new Map();
  /** @type {Map<string, object>} */
  sessions = new Map();
  /** The rows of the timeline, in order. */
  rows = [];
  warnings = [];
  warningCount = 0;
  /** When each entry happened. */
  times = [];
  density = new Density();
  from = Infinity;
  to = -Infinity;
  events = new Map();
  tools = new Map();
  callCount = 0;
  deniedCount = 0;
  running = 0;
  dropped = 0;
  #isOrdered = true;
  #last;

  /** @param {readonly object[]} entries */
  add(entries) {
    for (const entry of entries) this.#take(entry);
    if (this.rows.length > mostRows) this.#forgetOldest();
    if (!this.#isOrdered) this.#order();
  }

  /** The moments of a row, or of everything. */
  timesOf(row) {
    const owner = row ?? this;
    if (owner.isUnsorted) {
      owner.times.sort((a, b) => a - b);
      owner.isUnsorted = false;
    }
    return owner.times;
  }

  #take(entry) {
    const { at } = entry;
    this.from = Math.min(this.from, at);
    this.to = Math.max(this.to, at);
    note(this, at);
    if (entry.kind === 'warned') return this.#warn(entry);
    if (entry.kind === 'started') return this.#start(entry);
    const run = this.byId.get(entry.id);
    // Its beginning is no longer kept.
    if (run === undefined) return;
    const { row } = run;
    note(row, at);
    row.version += 1;
    switch (entry.kind) {
      case 'moved':
        run.moves.push(entry);
        break;
      case 'answered':
        run.answer = entry;
        this.#decide(row, answerFacets(entry), at);
        break;
      case 'verdict':
        run.verdict = entry;
        this.#decide(row, verdictFacets(entry), at);
        break;
      case 'ended':
        if (run.end === undefined) this.running -= 1;
        run.end = at;
        run.ended = entry;
        if (run === row) this.#decide(row, endFacets(entry), at);
        break;
    }
  }

  #warn(warning) {
    this.warningCount += 1;
    this.warnings.push(warning);
    if (this.warnings.length > mostWarnings) this.warnings.shift();
  }

  #start(entry) {
    const parent = this.byId.get(entry.parent);
    const session = this.#session(entry);
    const run = newRun(entry, parent, session);
    this.byId.set(run.id, run);
    parent?.children.push(run);
    this.running += 1;
    session.to = run.at;
    if (run.machine === 'hookEvent') count(this.events, run.name);
    if (run.machine === 'toolCall') count(this.tools, run.name);
    if (calls.has(run.machine)) {
      this.callCount += 1;
      session.callCount += 1;
      this.density.add(run.at, 'calls');
    }
    const isInParent =
      parent && (run.machine === 'hookProcess' || (run.machine === 'hookEvent' && isCall(parent)));
    run.row = isInParent ? parent.row : run;
    note(run.row, entry.at);
    run.row.version += 1;
    if (run.machine === 'hookEvent') run.row.events.add(run.name);
    if (run.row === run) this.#place(run, session);
  }

  #session({ session: name, at }) {
    const known = this.sessions.get(name);
    if (known) return known;
    const session = {
      ...newRun({ id: `session ${name}`, machine: 'session', name, at }),
      level: 1,
      callCount: 0,
      turnCount: 0,
      to: at,
    };
    session.row = session;
    this.sessions.set(name, session);
    this.byId.set(session.id, session);
    this.#append(session, true);
    return session;
  }

  #place(run, session) {
    const turn = run.machine === 'agentTurn' ? undefined : turnOf(run);
    const group = turn ?? session;
    if (run.machine === 'agentTurn') run.number = session.turnCount += 1;
    run.level = group.level + (run.parent && isCall(run.parent) ? 2 : 1);
    run.group = group;
    group.lanes.push(run);
    this.#append(run, this.#isWithin(group));
  }

  /** Whether the last row belongs to the group, so that a new one of it can stand after it. */
  #isWithin(group) {
    for (let at = this.#last; at; at = at.group) if (at === group) return true;
    return false;
  }

  #append(row, isInOrder) {
    this.rows.push(row);
    if (isInOrder) this.#last = row;
    else this.#isOrdered = false;
  }

  #order() {
    const rows = [];
    const walk = (row) => {
      rows.push(row);
      for (const lane of row.lanes) walk(lane);
    };
    for (const session of this.sessions.values()) walk(session);
    this.rows = rows;
    this.#last = rows.at(-1);
    this.#isOrdered = true;
  }

  #decide(row, facets, at) {
    for (const facet of facets) {
      if (facet === 'denied' && !row.decisions.has('denied')) this.deniedCount += 1;
      row.decisions.add(facet);
      if (facet === 'denied') this.density.add(at, 'denied');
      else if (facet === 'failed' || facet === 'timed out') this.density.add(at, 'failed');
    }
  }

  #forgetOldest() {
    const leaves = this.rows.filter(({ lanes }) => lanes.length === 0);
    const gone = new Set(
      leaves.toSorted((a, b) => a.at - b.at).slice(0, this.rows.length - keptRows),
    );
    // A turn goes with the last of its rows, and then a session with the last of its own.
    for (const machine of ['agentTurn', 'session'])
      for (const group of new Set(Array.from(gone, (row) => row.group))) {
        if (group?.machine !== machine) continue;
        group.lanes = group.lanes.filter((lane) => !gone.has(lane));
        if (group.lanes.length === 0) gone.add(group);
      }
    for (const row of gone) {
      if (row.machine === 'session') this.sessions.delete(row.name);
      for (const part of partsOf(row)) {
        this.byId.delete(part.id);
        if (part.machine !== 'session' && part.end === undefined) this.running -= 1;
      }
    }
    for (const parent of new Set(Array.from(gone, (row) => row.parent)))
      if (parent) parent.children = parent.children.filter((child) => !gone.has(child));
    this.dropped += gone.size;
    this.times = this.times.slice(-mostRows * 10);
    this.#isOrdered = false;
  }
}

const newRun = ({ kind: _, ...started }, parent, session) => ({
  ...started,
  parent,
  sessionRow: session,
  moves: [],
  children: [],
  lanes: [],
  times: [],
  version: 0,
  events: new Set(),
  decisions: new Set(),
});

/** Whether it is a call, of a tool or of the model. */
export const isCall = ({ machine }) => calls.has(machine);

/** The run and all that belong to it and have no row of their own, in the order they began. */
export function* partsOf(run) {
  yield run;
  for (const child of run.children) if (child.row === run.row) yield* partsOf(child);
}

function turnOf(run) {
  for (let at = run.parent; at; at = at.parent) if (at.machine === 'agentTurn') return at;
  return undefined;
}

function note(owner, at) {
  if (at < owner.times.at(-1)) owner.isUnsorted = true;
  owner.times.push(at);
}

const count = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1);

const decisionFacets = { deny: 'denied', ask: 'asked', allow: 'allowed' };

const statusFacets = {
  failed: 'failed',
  timedOut: 'timed out',
  cancelled: 'cancelled',
  untrusted: 'untrusted',
  skipped: 'skipped',
};

function* answerFacets({ decision, status, stop, sets }) {
  if (decisionFacets[decision]) yield decisionFacets[decision];
  if (statusFacets[status]) yield statusFacets[status];
  if (stop) yield 'stopped';
  if (sets?.length > 0) yield 'changed';
}

function* verdictFacets({ blocked, stop, conflicts }) {
  if (blocked) yield 'denied';
  if (stop) yield 'stopped';
  if (conflicts.length > 0) yield 'conflict';
}

const endedFacets = {
  blocked: 'denied',
  stopped: 'stopped',
  failed: 'failed',
  error: 'failed',
  cancelled: 'cancelled',
  refused: 'refused',
};

function* endFacets({ status }) {
  if (endedFacets[status]) yield endedFacets[status];
}
