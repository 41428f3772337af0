import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder, makeFolder } from '../../base/folders.ts';
import { forgetOld } from './forget-old.ts';
import { stateFolder } from './levels.ts';

/**
 * Whether a line was already reported in this session, and marks it as reported. If that cannot be stored,
 * the line is reported again.
 */
export function reportedInSession(sessionId: string, line: string): boolean {
  const folder = stateFolder('reported');
  if (folder === undefined) return false;
  try {
    makeFolder(folder, 0o700);
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
    const name = hash.update(JSON.stringify([sessionId, line])).digest('hex');
    // Exclusive creation: two processes cannot both be the first, and no link is followed.
    closeSync(openSync(join(folder, name), 'wx', 0o600));
    forgetOld(folder);
    return false;
  } catch (error) {
    return isFolder(folder) && (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}
