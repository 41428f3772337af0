import type { JournalEntry, MovedEntry } from '../journal/entry.ts';

/** How much of a journal is kept for pages that are opened or reloaded later. */
export interface HistoryLimits {
  readonly entries: number;
  readonly bytes: number;
}

const defaultLimits: HistoryLimits = { entries: 1_000_000, bytes: 96 * 1024 * 1024 };

/**
 * A transition that machines make, stored once however often it is made: the target state, the event, and the
 * source state.
 */
export type Step = readonly [to: string, event: string, from?: string];

/**
 * Several entries as a page receives them. Most are steps of machines, and the page needs them for few runs
 * only.
 */
export interface Sent {
  /** The number of the last entry. */
  readonly last: number;
  /** The entries other than steps. */
  readonly entries: readonly Exclude<JournalEntry, MovedEntry>[];
  readonly steps: readonly Step[];
  /** For each run that moved, pairs of a time and the index of a step in `steps`. */
  readonly moves: readonly (readonly [id: string, pairs: readonly number[]])[];
}

/** Several entries as JSON without control characters, and the number of the entry after them. */
export interface Batch {
  readonly text: string;
  readonly next: number;
}

/** A kept step. All moves that take the same step share its text. */
interface Move {
  readonly id: string;
  readonly at: number;
  readonly step: string;
}

/** An entry as it is kept. */
type Kept = string | Move;

const sizeOf = (kept: Kept): number =>
  typeof kept === 'string' ? kept.length : kept.id.length + kept.step.length;

/** Beyond this number of different steps, texts are no longer shared. */
const mostSteps = 1_000;

/**
 * The newest entries of a journal, numbered from 1. The oldest are dropped, so that a run of any length fits.
 */
export class History {
  readonly #limits: HistoryLimits;
  /** The kept entries, from `#head` on; those before it were dropped. */
  #kept: Kept[] = [];
  readonly #steps = new Map<string, string>();
  #head = 0;
  #bytes = 0;
  #first = 1;

  constructor(limits: HistoryLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** The number of the oldest entry that is kept. */
  get first(): number {
    return this.#first;
  }

  /** The number that the next entry will have. */
  get next(): number {
    return this.#first + this.#kept.length - this.#head;
  }

  push(entry: JournalEntry): void {
    const kept = entry.kind === 'moved' ? this.#moveOf(entry) : JSON.stringify(entry);
    this.#kept.push(kept);
    this.#bytes += sizeOf(kept);
    while (this.#isTooMuch()) this.#drop();
    if (this.#head > 10_000 && this.#head > this.#kept.length / 2) {
      this.#kept = this.#kept.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Returns the entries from a number on, as many as fit into a batch; undefined if there are none yet. */
  batch(from: number, size = 512 * 1024): Batch | undefined {
    const start = Math.max(from, this.#first);
    let end = start;
    let bytes = 0;
    while (end < this.next && bytes < size) bytes += sizeOf(this.#kept[this.#indexOf(end++)]!);
    if (end === start) return undefined;
    const kept = this.#kept.slice(this.#indexOf(start), this.#indexOf(end));
    return { text: textOf(kept, end - 1), next: end };
  }

  #moveOf({ id, at, to, event, from }: MovedEntry): Move {
    const text = JSON.stringify([to, event, ...(from === undefined ? [] : [from])]);
    const step = this.#steps.get(text) ?? text;
    if (this.#steps.size < mostSteps) this.#steps.set(step, step);
    return { id, at, step };
  }

  #isTooMuch(): boolean {
    const count = this.#kept.length - this.#head;
    return count > 1 && (count > this.#limits.entries || this.#bytes > this.#limits.bytes);
  }

  #drop(): void {
    this.#bytes -= sizeOf(this.#kept[this.#head]!);
    this.#kept[this.#head] = '';
    this.#head += 1;
    this.#first += 1;
  }

  #indexOf(number: number): number {
    return this.#head + number - this.#first;
  }
}

/** Serializes entries as {@link Sent}. */
function textOf(kept: readonly Kept[], last: number): string {
  const entries: string[] = [];
  const steps = new Map<string, number>();
  const moves = new Map<string, string>();
  for (const each of kept) {
    if (typeof each === 'string') {
      entries.push(each);
      continue;
    }
    const { id, at, step } = each;
    const index = steps.get(step) ?? steps.size;
    steps.set(step, index);
    const before = moves.get(id);
    moves.set(id, before === undefined ? `${at},${index}` : `${before},${at},${index}`);
  }
  const moved = Array.from(moves, ([id, pairs]) => `[${JSON.stringify(id)},[${pairs}]]`);
  return `{"last":${last},"entries":[${entries.join(',')}],"steps":[${[...steps.keys()].join(',')}],"moves":[${moved.join(',')}]}`;
}
