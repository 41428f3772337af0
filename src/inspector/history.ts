import type { JournalEntry, MovedEntry } from '../journal/entry.ts';

/** How much of a journal is kept for pages that are opened or reloaded later. */
export interface HistoryLimits {
  readonly entries: number;
  readonly bytes: number;
}

const defaultLimits: HistoryLimits = { entries: 1_000_000, bytes: 96 * 1024 * 1024 };

/** The lines of several entries, and the number of the entry after them. */
export interface Batch {
  readonly lines: readonly string[];
  readonly next: number;
}

/** The newest entries of a journal, numbered from 1. The oldest fall off, so that no run is too long. */
export class History {
  readonly #limits: HistoryLimits;
  /** The line of each kept entry, from `#head` on; what stands before it has fallen off. */
  #lines: string[] = [];
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
    return this.#first + this.#lines.length - this.#head;
  }

  push(entry: JournalEntry): void {
    const line = lineOf(entry);
    this.#lines.push(line);
    this.#bytes += line.length;
    while (this.#isTooMuch()) this.#drop();
    if (this.#head > 10_000 && this.#head > this.#lines.length / 2) {
      this.#lines = this.#lines.slice(this.#head);
      this.#head = 0;
    }
  }

  /** The entries from a number on, as many as a batch takes; none when there are none yet. */
  batch(from: number, size = 512 * 1024): Batch | undefined {
    const start = Math.max(from, this.#first);
    let end = start;
    let bytes = 0;
    while (end < this.next && bytes < size) bytes += this.#line(end++).length;
    if (end === start) return undefined;
    const lines = this.#lines.slice(this.#indexOf(start), this.#indexOf(end));
    return { lines, next: end };
  }

  #isTooMuch(): boolean {
    const kept = this.#lines.length - this.#head;
    return kept > 1 && (kept > this.#limits.entries || this.#bytes > this.#limits.bytes);
  }

  #drop(): void {
    this.#bytes -= this.#lines[this.#head]!.length;
    this.#lines[this.#head] = '';
    this.#head += 1;
    this.#first += 1;
  }

  #line(number: number): string {
    return this.#lines[this.#indexOf(number)]!;
  }

  #indexOf(number: number): number {
    return this.#head + number - this.#first;
  }
}

/**
 * An entry on its way to a page, as one line without control characters. Most entries are steps of
 * machines, which a page needs of few runs: of such a one stands the run, and then the rest, which need
 * not be parsed.
 */
function lineOf(entry: JournalEntry): string {
  if (entry.kind !== 'moved' || !/^[\w-]+$/.test(entry.id)) return JSON.stringify(entry);
  const { id, at, to, event, from } = entry;
  return `${id} ${JSON.stringify([at, to, event, ...(from === undefined ? [] : [from])])}`;
}

/** A step of a run, whose line goes on with this. */
export function movedOf(id: string, rest: string): MovedEntry {
  const [at, to, event, from] = JSON.parse(rest) as [number, string, string, string?];
  return { kind: 'moved', at, id, to, event, ...(from !== undefined && { from }) };
}

/** Stands between the lines of a batch that is sent as one. */
export const betweenLines = '\u001e';
