import { readSync, type Dirent, readdirSync } from 'node:fs';
import { withFile } from './read-bounded.ts';

/** How much of a file is looked at, in bytes. */
const mostBytes = 4 * 1024 * 1024;

/** The texts without which a settings file has nothing to say of hooks. */
const signs = ['"hooks"', '"hooksConfig"', '"enableHooks"', '"defaultOnFailure"'];

/** What a look tells of an untrusted file or folder; `fault` says why there was none. */
export type FirstSight = { readonly hasHooks: boolean } | { readonly fault: string };

/**
 * Whether a settings file that nobody trusts seems to say anything of hooks. It is not parsed, no
 * pipe or device is opened, and a file without an end keeps nobody waiting.
 */
export function settingsAtFirstSight(file: string): FirstSight {
  try {
    const seen = withFile(file, (descriptor) => ({ hasHooks: holdsSign(descriptor) }));
    return 'refused' in seen ? { fault: 'its settings are not a file' } : seen;
  } catch (error) {
    return sightOf('its settings file', error);
  }
}

/** Whether a folder of hooks that nobody trusts has anything in it; nothing in it is looked at. */
export function folderAtFirstSight(folder: string): FirstSight {
  try {
    const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
    return { hasHooks: entries.some((entry) => !entry.isDirectory()) };
  } catch (error) {
    return sightOf('its folder of hooks', error);
  }
}

function sightOf(what: string, error: unknown): FirstSight {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { hasHooks: false };
  return { fault: `${what} cannot be read (${code ?? message})` };
}

/** Piece by piece, each with the end of the one before, so that no sign falls between two. */
function holdsSign(descriptor: number): boolean {
  const overlap = Math.max(...signs.map(({ length }) => length)) - 1;
  const piece = Buffer.alloc(64 * 1024);
  let kept = 0;
  for (let seen = 0; seen < mostBytes;) {
    const count = readSync(descriptor, piece, kept, piece.length - kept, null);
    if (count === 0) return false;
    seen += count;
    const end = kept + count;
    const text = piece.toString('latin1', 0, end);
    if (signs.some((sign) => text.includes(sign))) return true;
    kept = Math.min(overlap, end);
    piece.copy(piece, 0, end - kept, end);
  }
  return false;
}
