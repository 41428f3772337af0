import { appendFileSync, closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '../../watch/journal/entry.ts';
import { faultOf } from '../../watch/journal/is-entry.ts';
import { payloadsVariable, recordVariable } from '../parts/recording-option.ts';

/** How often it is looked for what relays have recorded, in ms. */
const every = 250;

/** What the relays of an agent record while it runs. */
export interface FollowedRelays {
  /** The variables that have them record. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes what is left, and removes it. */
  readonly end: () => void;
}

/** Takes what the relays of an agent record, as it comes: they run in processes of their own. */
export function followRelays(
  { record, payloads }: { readonly record?: string | undefined; readonly payloads: boolean },
  add: (entry: JournalEntry) => void = () => undefined,
): FollowedRelays {
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine-'));
  const file = join(folder, 'relays.jsonl');
  const descriptor = openSync(file, 'a+', 0o600);
  const bytes = Buffer.alloc(1024 * 1024);
  let offset = 0;
  let rest = Buffer.alloc(0);
  const take = (): void => {
    for (;;) {
      const size = readSync(descriptor, bytes, 0, bytes.length, offset);
      if (size === 0) return;
      offset += size;
      const all = Buffer.concat([rest, bytes.subarray(0, size)]);
      const end = all.lastIndexOf('\n') + 1;
      rest = all.subarray(end);
      const lines = all.toString('utf8', 0, end);
      if (record !== undefined) appendFileSync(record, lines);
      for (const line of lines.split('\n')) show(line, add);
    }
  };
  const timer = setInterval(take, every).unref();
  return {
    env: { [recordVariable]: file, ...(payloads && { [payloadsVariable]: '1' }) },
    end() {
      clearInterval(timer);
      take();
      closeSync(descriptor);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function show(line: string, add: (entry: JournalEntry) => void): void {
  try {
    const entry: unknown = JSON.parse(line);
    if (faultOf(entry) === undefined) add(entry as JournalEntry);
  } catch {
    // A header, or a line of a relay that was killed.
  }
}
