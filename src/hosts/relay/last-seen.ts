import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { isRecord } from '../../base/json.ts';
import { version } from '../../base/version.ts';
import { stateFolder } from '../../settings/files/levels.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { environment } from '../../base/surroundings.ts';

/** When a host last called its relay; nothing of the event's content is kept. */
export interface Stamp {
  readonly event: string;
  /** The time, as in ISO 8601. */
  readonly at: string;
  /** The version of ours that took the event. */
  readonly version: string;
  /** What the last events cost, the newest last. */
  readonly recent: readonly Cost[];
}

/** What an event cost. */
export interface Cost {
  /** From the start of the relay to its answer, in ms. */
  readonly ms: number;
  /** How much of it the slowest hook took, in ms. */
  readonly hooks: number;
  /** The process that judged it was there already. */
  readonly isWarm: boolean;
}

/** How many costs are kept. */
const mostKept = 50;

/** A variable with which a relay leaves no stamp, because no host has called it. */
export const withoutStamp = 'HOOKMACHINE_NO_STAMP';

const fileFor = (host: string): string | undefined => {
  const folder = stateFolder('seen');
  return folder && join(folder, `${host}.json`);
};

/** Notes that a host has called its relay. Where nothing can be written, nothing is noted. */
export function leaveStamp(host: string, event: string, { ms, hooks, isWarm }: Cost): void {
  const file = fileFor(host);
  if (file === undefined || environment()[withoutStamp] !== undefined) return;
  const cost = { ms: Math.round(ms), hooks: Math.round(hooks), isWarm };
  const recent = [...(lastSeen(host)?.recent ?? []), cost].slice(-mostKept);
  const stamp: Stamp = { event, at: new Date().toISOString(), version, recent };
  const write = (): void => writeFileSync(file, JSON.stringify(stamp), { mode: 0o600 });
  try {
    write();
  } catch {
    try {
      makeFolder(join(file, '..'), 0o700);
      write();
    } catch {
      // A full disk or a read-only home must not keep an event from being judged.
    }
  }
}

/** Returns the stamp of a host's last event; undefined if it never called its relay here. */
export function lastSeen(host: string): Stamp | undefined {
  const file = fileFor(host);
  try {
    const value: unknown = JSON.parse((file && textIn(file)) ?? 'null');
    if (!isRecord(value) || typeof value['at'] !== 'string') return undefined;
    const recent = Array.isArray(value['recent']) ? (value['recent'] as Cost[]) : [];
    return { ...(value as unknown as Stamp), recent };
  } catch {
    return undefined;
  }
}
