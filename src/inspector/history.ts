import type { JournalEntry, MovedEntry } from '../journal/entry.ts';

/** How much of a journal is kept for pages that are opened or reloaded later. */
export interface HistoryLimits {
  readonly entries: number;
  readonly bytes: number;
}

const defaultLimits: HistoryLimits = { entries: 1_000_000, bytes: 96 * 1024 * 1024 };

/** A step that machines take, as often as they take it: where to, by which event, and from where. */
export type Step = readonly [to: string, event: string, from?: string];

/** Several entries as a page receives them: most are steps of machines, which it needs of few runs. */
export interface Sent {
  /** The number of the last of them. */
  readonly last: number;
  /** Those that are no steps. */
  readonly entries: readonly Exclude<JournalEntry, MovedEntry>[];
  readonly steps: readonly Step[];
  /** Of each run that moved, pairs of when it did and which of the steps it took. */
  readonly moves: readonly (readonly [id: string, pairs: readonly number[]])[];
}

/** Several entries as JSON without control characters, and the number of the entry after them. */
export interface Batch {
  readonly text: string;
  readonly next: number;
}

/** A kept step; the text of it is shared by all that took it. */
interface Move {
  readonly id: string;
  readonly at: number;
  readonly step: string;
}

/** An entry as it is kept. */
type Kept = string | Move;

const sizeOf = (kept: Kept): number =>
  typeof kept === 'string' ? kept.length : kept.id.length + kept.step.length;

/** Of more different steps than these no text is shared. */
const mostSteps = 1_000;

/** The newest entries of a journal, numbered from 1. The oldest fall off, so that no run is too long. */
export class History {
  readonly #limits: HistoryLimits;
  /** The kept entries, from `#head` on; what stands before them has fallen off. */
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

  /** The entries from a number on, as many as a batch takes; none when there are none yet. */
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

/** What is {@link Sent}. */
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
