import { readFileSync, truncateSync } from 'node:fs';
import { readRecording } from '../src/entries/inspector.ts';

/** What can be read of a recording. */
export interface Recorded {
  readonly headers: number;
  readonly entries: number;
  /** The lines that are skipped, with the reason. */
  readonly skipped: readonly string[];
  /** All lines that are not empty. */
  readonly lines: number;
}

/** Reads a recording as `hookmachine explain` does. */
export async function readAll(file: string): Promise<Recorded> {
  let [headers, entries] = [0, 0];
  const skipped: string[] = [];
  const onSkipped = ({ message }: { message: string }): void => void skipped.push(message);
  for await (const { kind } of readRecording(file, { onSkipped }))
    if (kind === 'recording') headers++;
    else entries++;
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).length;
  return { headers, entries, skipped, lines };
}

/** Cuts a recording within its last line, as a power failure would; `roll` says where. */
export function tear(file: string, roll: (below: number) => number): void {
  const bytes = readFileSync(file);
  const start = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  truncateSync(file, start + 1 + roll(bytes.length - start - 2));
}
