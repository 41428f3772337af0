import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord } from './json.ts';

/** What was read of a file of JSON lines to which lines are only ever added. */
export interface GrownLines<Line> {
  /** How many bytes of it were read. */
  readonly size: number;
  readonly lines: readonly Line[];
}

/** Reads the objects that were added to a file of JSON lines since the last time; a missing file has none. */
export function grownLines<Line>(file: string, before: GrownLines<Line>): GrownLines<Line> {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { size: 0, lines: [] };
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    // Somebody has removed lines, or the whole file.
    const from = size < before.size ? { size: 0, lines: [] } : before;
    if (size === from.size) return from;
    const bytes = Buffer.alloc(size - from.size);
    readSync(descriptor, bytes, 0, bytes.length, from.size);
    // A line that another process is still writing is read next time.
    const end = bytes.lastIndexOf('\n') + 1;
    return {
      size: from.size + end,
      lines: [...from.lines, ...linesOf<Line>(bytes.toString('utf8', 0, end))],
    };
  } finally {
    closeSync(descriptor);
  }
}

const linesOf = <Line>(text: string): Line[] =>
  text.split('\n').flatMap((line) => {
    try {
      const value: unknown = line === '' ? undefined : JSON.parse(line);
      return isRecord(value) ? [value as Line] : [];
    } catch {
      // A line that was cut off by a full disk.
      return [];
    }
  });
