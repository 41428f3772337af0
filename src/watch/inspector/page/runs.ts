import type {
  AnsweredEntry,
  EndedEntry,
  StartedEntry,
  VerdictEntry,
  WarnedEntry,
} from '../../journal/entry.ts';
import { isOfEvent } from '../../journal/account.ts';
import type { Sent } from '../history.ts';
import { Density } from './density.ts';
import { isCall, isSession, partsOf, Row, Run, type SentMoves, Session, timesOf } from './run.ts';

/** The most rows that a page keeps when it is left open; beyond that, the oldest are dropped. */
const mostRows = 60_000;

/** How many rows remain then: dropping many at once costs no more than dropping one. */
const keptRows = 50_000;

/** Only this many of the latest warnings are kept. */
const mostWarnings = 1_000;

/**
 * What the journal reported, as a tree: sessions, turns, calls, hook events, hook processes. It grows entry
 * by entry and is never rebuilt.
 */
export class Runs {
  readonly byId = new Map<string, Run>();
  readonly sessions = new Map<string, Session>();
  /** The rows of the timeline, in order. */
  rows: Row[] = [];
  readonly warnings: WarnedEntry[] = [];
  warningCount = 0;
  readonly density = new Density();
  from = Infinity;
  to = -Infinity;
  readonly events = new Set<string>();
  readonly tools = new Set<string>();
  callCount = 0;
  deniedCount = 0;
  running = 0;
  dropped = 0;
  #times: readonly number[] | undefined;
  #isOrdered = true;
  #last: Row | undefined;

  add({ entries, steps, moves }: Sent): void {
    for (const entry of entries) this.#take(entry);
    for (const [id, pairs] of moves) this.#move(id, { steps, pairs });
    this.#tidy();
  }

  #tidy(): void {
    this.#times = undefined;
    if (this.rows.length > mostRows) this.#forgetOldest();
    if (!this.#isOrdered) this.#order();
  }

  /** Returns the times at which anything happened, in order. */
  timesOfAll(): readonly number[] {
    this.#times ??= this.rows.flatMap(timesOf).toSorted((a, b) => a - b);
    return this.#times;
  }

  #take(entry: Sent['entries'][number]): void {
    const { at } = entry;
    if (at < this.from) this.from = at;
    if (at > this.to) this.to = at;
    if (entry.kind === 'warned') return this.#warn(entry);
    if (entry.kind === 'started') return this.#start(entry);
    const run = this.byId.get(entry.id);
    // Its `started` entry is no longer kept.
    if (run === undefined) return;
    const { row } = run;
    row.entries.push(entry);
    row.version += 1;
    switch (entry.kind) {
      case 'answered':
        run.answer = entry;
        this.#decide(row, answerFacets(entry), at);
        break;
      case 'verdict':
        run.verdict = entry;
        this.#decide(row, verdictFacets(entry), at);
        break;
      case 'ended':
        if (run.ended === undefined) this.running -= 1;
        run.ended = entry;
        if (run === row) this.#decide(row, endFacets(entry), at);
        break;
    }
  }

  #move(id: string, moves: SentMoves): void {
    const run = this.byId.get(id);
    if (run === undefined) return;
    run.move(moves);
    run.row.version += 1;
  }

  #warn(warning: WarnedEntry): void {
    this.warningCount += 1;
    this.warnings.push(warning);
    if (this.warnings.length > mostWarnings) this.warnings.shift();
  }

  #start(entry: StartedEntry): void {
    const { machine } = entry;
    const parent = entry.parent === undefined ? undefined : this.byId.get(entry.parent);
    const session = this.#session(entry);
    const isInParent =
      parent && (machine === 'hookProcess' || (isOfEvent(machine) && isCall(parent)));
    const run = isInParent
      ? new Run(entry, parent, parent.row)
      : new Row(entry, parent, session, machine === 'agentTurn' ? 'turn' : 'call');
    const { row } = run;
    this.byId.set(run.id, run);
    parent?.children.push(run);
    this.running += 1;
    row.entries.push(entry);
    row.version += 1;
    if (isOfEvent(machine)) {
      this.events.add(run.name);
      row.events.add(run.name);
    }
    if (machine === 'toolCall') this.tools.add(run.name);
    if (isCall(run)) {
      this.callCount += 1;
      session.callCount += 1;
      this.density.add(run.at, 'calls');
    }
    if (row === run) this.#place(row, session);
  }

  #session({ session: name, at }: StartedEntry): Session {
    const known = this.sessions.get(name);
    if (known) return known;
    const session = new Session(name, at);
    this.sessions.set(name, session);
    this.byId.set(session.id, session);
    this.#append(session, true);
    return session;
  }

  #place(row: Row, session: Session): void {
    const isTurn = row.kind === 'turn';
    const group = (isTurn ? undefined : turnOf(row)) ?? session;
    if (isTurn) row.number = session.turnCount += 1;
    row.level = group.level + (row.parent && isCall(row.parent) ? 2 : 1);
    row.group = group;
    group.lanes.push(row);
    this.#append(row, this.#isWithin(group));
  }

  /** Whether the last row belongs to the group, so that a new row of the group can follow it. */
  #isWithin(group: Row): boolean {
    for (let at = this.#last; at; at = at.group) if (at === group) return true;
    return false;
  }

  #append(row: Row, isInOrder: boolean): void {
    this.rows.push(row);
    if (isInOrder) this.#last = row;
    else this.#isOrdered = false;
  }

  #order(): void {
    const rows: Row[] = [];
    const walk = (row: Row): void => {
      rows.push(row);
      for (const lane of row.lanes) walk(lane);
    };
    for (const session of this.sessions.values()) walk(session);
    this.rows = rows;
    this.#last = rows.at(-1);
    this.#isOrdered = true;
  }

  #decide(row: Row, facets: Iterable<string>, at: number): void {
    for (const facet of facets) {
      if (facet === 'denied' && !row.decisions.has('denied')) this.deniedCount += 1;
      row.decisions.add(facet);
      if (facet === 'denied') this.density.add(at, 'denied');
      else if (facet === 'failed' || facet === 'timed out') this.density.add(at, 'failed');
    }
  }

  #forgetOldest(): void {
    const leaves = this.rows.filter(({ lanes }) => lanes.length === 0);
    const gone = new Set(
      leaves.toSorted((a, b) => a.at - b.at).slice(0, this.rows.length - keptRows),
    );
    // A turn is dropped with the last of its rows, and then a session with the last of its own.
    for (const kind of ['turn', 'session'])
      for (const group of new Set(Array.from(gone, (row) => row.group))) {
        if (group?.kind !== kind) continue;
        group.lanes = group.lanes.filter((lane) => !gone.has(lane));
        if (group.lanes.length === 0) gone.add(group);
      }
    for (const row of gone) {
      if (isSession(row)) this.sessions.delete(row.name);
      for (const part of partsOf(row)) {
        this.byId.delete(part.id);
        if (part.row.kind !== 'session' && part.end === undefined) this.running -= 1;
      }
    }
    for (const parent of new Set(Array.from(gone, (row) => row.parent)))
      if (parent) parent.children = parent.children.filter((child) => !gone.has(child.row));
    this.dropped += gone.size;
    this.#isOrdered = false;
  }
}

function turnOf(run: Run): Row | undefined {
  for (let at = run.parent; at; at = at.parent) if (at.row.kind === 'turn') return at.row;
  return undefined;
}

const decisionFacets = { deny: 'denied', ask: 'asked', allow: 'allowed', defer: 'deferred' };

const statusFacets = new Map([
  ['failed', 'failed'],
  ['timedOut', 'timed out'],
  ['cancelled', 'cancelled'],
  ['untrusted', 'untrusted'],
  ['skipped', 'skipped'],
]);

function* answerFacets({ decision, status, stop, sets }: AnsweredEntry): Generator<string> {
  if (decision !== undefined && Object.hasOwn(decisionFacets, decision))
    yield decisionFacets[decision];
  const facet = statusFacets.get(status);
  if (facet !== undefined) yield facet;
  if (stop) yield 'stopped';
  if (sets && sets.length > 0) yield 'changed';
}

function* verdictFacets({ blocked, stop, conflicts }: VerdictEntry): Generator<string> {
  if (blocked) yield 'denied';
  if (stop) yield 'stopped';
  if (conflicts.length > 0) yield 'conflict';
}

const endedFacets = new Map([
  ['blocked', 'denied'],
  ['stopped', 'stopped'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['cancelled', 'cancelled'],
  ['refused', 'refused'],
  ['suspended', 'asked'],
  ['timedOut', 'timed out'],
]);

function* endFacets({ status }: EndedEntry): Generator<string> {
  const facet = endedFacets.get(status);
  if (facet !== undefined) yield facet;
}
