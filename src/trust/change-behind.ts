import { join, resolve } from 'node:path';
import { changedFile, digestOnce, type FolderDigest } from './folder-digest.ts';
import { keptText } from './kept-texts.ts';
import { each, type Once } from './once.ts';
import { isThere, scriptFile } from './script-file.ts';
import type { HookFingerprint } from './trusted-hook.ts';

/**
 * Returns what has changed behind a trusted hook; undefined if nothing has. Everything is read anew, unless
 * `once` has already read it for another hook.
 */
export async function changeBehind(
  { scripts, absent, folder, refused }: HookFingerprint,
  cwd: string,
  once = each,
): Promise<string | undefined> {
  if (refused !== undefined) return refused;
  for (const before of scripts) {
    const name = `its script ${JSON.stringify(before.path)}`;
    if (before.sha256 === '') return `${name} could not be read when you trusted it`;
    const now = await scriptFile(resolve(cwd, before.path), before.path, undefined, once);
    if (now === undefined) return `${name} is gone`;
    if (now.sha256 === '') return `${name} cannot be read`;
    if (now.sha256 !== before.sha256) return `${name} has changed since you trusted it`;
    if (now.realPath !== before.realPath)
      return `${name} points to a different file than when you trusted it`;
  }
  const come = absent.find((path) => isThere(join(cwd, path)));
  if (come !== undefined) return `its script ${JSON.stringify(come)} is new since you trusted it`;
  if (folder === undefined) return undefined;
  return once(`change ${JSON.stringify(folder)}`, () => changeOfFolder(folder, once));
}

async function changeOfFolder(folder: FolderDigest, once: Once): Promise<string | undefined> {
  try {
    const now = await digestOnce(folder.folders, folder.without, once);
    if (now.sha256 === folder.sha256) return undefined;
    const list = keptText(folder.sha256);
    const file = list === undefined ? undefined : changedFile(list, now.list);
    return `what it runs cannot be followed, so the whole folder counts, and ${file === undefined ? 'a file' : JSON.stringify(file)} there has changed since you trusted it`;
  } catch (error) {
    return `what it runs cannot be followed, and the whole folder cannot be compared: ${(error as Error).message}`;
  }
}
