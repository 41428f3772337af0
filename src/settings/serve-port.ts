import { join } from 'node:path';
import { textIn } from './read-bounded.ts';
import { stateFolder } from './state-folder.ts';

/** The user's folder for what `serve` keeps. */
export const serveState = 'serve';

/** The port of `hookmachine serve`, kept when it starts or when entries for it are installed. */
export function keptServePort(): number | undefined {
  const state = stateFolder(serveState);
  const kept = state === undefined ? 0 : Number(textIn(join(state, 'port')));
  return Number.isInteger(kept) && kept > 0 && kept < 65_536 ? kept : undefined;
}
