import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The age in ms after which a session is assumed to be over, so that its file may be removed. */
const forgottenAfter = 7 * 24 * 60 * 60 * 1000;

/** How many files may accumulate before old ones are removed. */
const mostKept = 500;

/** Removes the files of old sessions; each session has one file. */
export function forgetOld(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= mostKept) return;
  const before = Date.now() - forgottenAfter;
  for (const name of names) {
    const file = join(folder, name);
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before)
      rmSync(file, { force: true });
  }
}
