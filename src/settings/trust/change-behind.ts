import { join, resolve } from 'node:path';
import { each } from './once.ts';
import { isThere, scriptFile } from './script-file.ts';
import { selection, tooMany } from './selection.ts';
import type { HookFingerprint } from './trusted-hook.ts';

/**
 * Returns what has changed behind a trusted hook; undefined if nothing has. Everything is read anew, unless
 * `once` has already read it for another hook.
 */
export async function changeBehind(
  { scripts, absent, selected, refused }: HookFingerprint,
  cwd: string,
  once = each,
): Promise<string | undefined> {
  if (refused !== undefined) return refused;
  for (const before of scripts) {
    const path = JSON.stringify(before.path);
    const name = before.isManifest ? `${path}, which says what it runs,` : `its script ${path}`;
    if (before.sha256 === '') return `${name} could not be read when you trusted it`;
    const now = await scriptFile(resolve(cwd, before.path), before.path, undefined, once);
    if (now === undefined) return `${name} is gone`;
    if (now.sha256 === '') return `${name} cannot be read`;
    if (now.sha256 !== before.sha256) return `${name} has changed since you trusted it`;
    if (now.realPath !== before.realPath)
      return `${name} points to a different file than when you trusted it`;
  }
  const known = new Set(scripts.map(({ path }) => path));
  const found = await Promise.all(selected.map(({ pattern }) => selection(cwd, pattern)));
  const come =
    absent.find((path) => isThere(join(cwd, path))) ??
    found.flatMap(({ files }) => files).find((path) => !known.has(path));
  if (come !== undefined) return `${JSON.stringify(come)} is new since you trusted it`;
  const partial = found.find(({ isPartial }) => isPartial);
  return partial && tooMany(partial);
}
