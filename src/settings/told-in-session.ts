import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from './levels.ts';

/** Of a session nobody hears of any more after this long, in ms. */
const forgottenAfter = 7 * 24 * 60 * 60 * 1000;

/** How many lines are remembered before old ones are looked for. */
const mostKept = 500;

/** Whether a line was told in this session before; from now on it was. Where that cannot be remembered it is told again (S-19). */
export function toldInSession(sessionId: string, line: string): boolean {
  const folder = stateFolder();
  if (folder === undefined) return false;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
    const name = hash.update(JSON.stringify([sessionId, line])).digest('hex');
    // Made only where there is none: two at once cannot both be the first, and no link is followed.
    closeSync(openSync(join(folder, name), 'wx', 0o600));
    forgetOld(folder);
    return false;
  } catch (error) {
    return (
      (error as NodeJS.ErrnoException).code === 'EEXIST' &&
      statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    );
  }
}

/** `$XDG_STATE_HOME`, or what stands in for it, for what may be lost at any time. */
function stateFolder(): string | undefined {
  const given = process.env['XDG_STATE_HOME'];
  const home = homeFolder();
  const state =
    given !== undefined && isAbsolute(given) ? given : home && join(home, '.local', 'state');
  return state && join(state, 'hookmachine', 'told');
}

function forgetOld(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= mostKept) return;
  const before = Date.now() - forgottenAfter;
  for (const name of names) {
    const file = join(folder, name);
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before)
      rmSync(file, { force: true });
  }
}
