import { readdirSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from './levels.ts';

/** A folder of ours in `$XDG_STATE_HOME`, or in what stands in for it; undefined for a user without a home. */
export function stateFolder(name: string): string | undefined {
  const given = process.env['XDG_STATE_HOME'];
  const home = homeFolder();
  const state =
    given !== undefined && isAbsolute(given) ? given : home && join(home, '.local', 'state');
  return state && join(state, 'hookmachine', name);
}

/** Of a session nobody hears of any more after this long, in ms. */
const forgottenAfter = 7 * 24 * 60 * 60 * 1000;

/** How many files are kept before old ones are looked for. */
const mostKept = 500;

/** Removes what is kept of old sessions, one file each. */
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
