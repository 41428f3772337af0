import { writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isFolder, makeFolder } from '../../base/folders.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { forgetOld } from '../../settings/files/forget-old.ts';
import { stateFolder } from '../../settings/files/levels.ts';

/** How many sessions' projects are kept in memory. */
const mostKnown = 1_000;

const known = new Map<string, string>();

/**
 * Returns the project of a session: the folder that its first event names, since an agent may change to
 * another one while it works. It is also kept in the user's state folder, since another process may answer
 * the next event.
 */
export function sessionProject(host: string, sessionId: string, folder: string): string {
  const key = JSON.stringify([host, sessionId]);
  const found = known.get(key) ?? kept(key, folder);
  if (known.size >= mostKnown) known.clear();
  known.set(key, found);
  return isFolder(found) ? found : folder;
}

/** If nothing can be kept, this event counts as the first. */
function kept(key: string, folder: string): string {
  const state = stateFolder('projects');
  if (state === undefined) return folder;
  const file = join(state, createHash('sha256').update(key).digest('hex'));
  try {
    makeFolder(state, 0o700);
    writeFileSync(file, folder, { flag: 'wx', mode: 0o600 });
    forgetOld(state);
    return folder;
  } catch {
    return textIn(file) || folder;
  }
}
