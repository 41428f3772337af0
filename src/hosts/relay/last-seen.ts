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
}

/** A variable with which a relay leaves no stamp, because no host has called it. */
export const withoutStamp = 'HOOKMACHINE_NO_STAMP';

const fileFor = (host: string): string | undefined => {
  const folder = stateFolder('seen');
  return folder && join(folder, `${host}.json`);
};

/** Notes that a host has called its relay. Where nothing can be written, nothing is noted. */
export function leaveStamp(host: string, event: string): void {
  const file = fileFor(host);
  if (file === undefined || environment()[withoutStamp] !== undefined) return;
  const stamp: Stamp = { event, at: new Date().toISOString(), version };
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
    return isRecord(value) && typeof value['at'] === 'string'
      ? (value as unknown as Stamp)
      : undefined;
  } catch {
    return undefined;
  }
}
