import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAtExit } from './watchdog.ts';

let folder: string | undefined;

/** A folder of our own. Payloads may hold secrets, so it is kept off the disk where the system has a memory file system. */
export function scratchFolder(): string {
  // Cleaners of temporary files may have been there.
  if (folder === undefined || !existsSync(folder)) {
    folder = makeFolder();
    removeAtExit(folder);
  }
  return folder;
}

function makeFolder(): string {
  try {
    return mkdtempSync('/dev/shm/hookmachine-');
  } catch {
    return mkdtempSync(join(tmpdir(), 'hookmachine-'));
  }
}
