import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/folders.ts';
import { isRecord } from '../base/json.ts';
import { forgetOld } from '../settings/files/forget-old.ts';
import { stateFolder } from '../settings/files/levels.ts';

/*
 * A gateway that started an agent takes the secrets out of that agent's model calls, and puts them back where
 * its tools need them. Results that were redacted before could not be put back, so they are left to it as long
 * as it lives: it ends with its agent.
 */

const fileFor = (session: string): string | undefined => {
  const folder = stateFolder('hiding');
  return folder && join(folder, createHash('sha256').update(session).digest('hex').slice(0, 32));
};

/** When a process began, as the system counts it: another process may have its number later. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Notes that this process takes the secrets out of a session's model calls. Where nothing can be noted, nothing is. */
export function noteHiding(session: string): void {
  const file = fileFor(session);
  const began = beginningOf(process.pid);
  if (file === undefined || began === undefined) return;
  try {
    makeFolder(join(file, '..'), 0o700);
    writeFileSync(file, JSON.stringify({ pid: process.pid, began, session }), { mode: 0o600 });
    forgetOld(join(file, '..'));
  } catch {
    // Then results are redacted twice.
  }
}

/** Whether a process that lives takes the secrets out of a session's model calls. */
export function isHiddenElsewhere(session: unknown): boolean {
  const file = typeof session === 'string' ? fileFor(session) : undefined;
  if (file === undefined) return false;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(value) || value['session'] !== session) return false;
    const { pid, began } = value;
    return typeof pid === 'number' && began !== undefined && beginningOf(pid) === began;
  } catch {
    return false;
  }
}
