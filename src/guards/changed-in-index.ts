import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fields of an entry, in bytes from its start; https://git-scm.com/docs/index-format */
const sizeAt = 36;
const modeAt = 24;
const flagsAt = 60;
const pathAt = 62;

const entryUnit = 8;
/** Flags above the length of the name mark an entry that git itself does not compare, or in its own way. */
const longestName = 0xfff;
const submodule = 0o160000;
const mostStats = 400;
const largestIndex = 4_000_000;

/**
 * Whether a file that git tracks is gone, or has another size than when git last looked. That proves a change
 * without starting git; false proves nothing.
 */
export function isChangedInIndex(top: string, paths: readonly string[]): boolean {
  let index: Buffer;
  try {
    index = readFileSync(join(top, '.git', 'index'));
  } catch {
    return false;
  }
  const isRead =
    index.length > 12 && index.length < largestIndex && index.toString('latin1', 0, 4) === 'DIRC';
  if (!isRead || index.readUInt32BE(4) > 3) return false;
  let offset = 12;
  let stats = 0;
  for (let left = index.readUInt32BE(8); left > 0 && stats < mostStats; left--) {
    if (offset + pathAt >= index.length) return false;
    const flags = index.readUInt16BE(offset + flagsAt);
    const end = index.indexOf(0, offset + pathAt);
    // Whoever wrote the file may have written anything.
    if (end === -1) return false;
    const path = join(top, index.toString('utf8', offset + pathAt, end));
    const size = index.readUInt32BE(offset + sizeAt);
    const isCompared =
      flags <= longestName && size > 0 && index.readUInt32BE(offset + modeAt) !== submodule;
    if (isCompared && isAmong(path, paths)) {
      stats++;
      if (lstatSync(path, { throwIfNoEntry: false })?.size !== size) return true;
    }
    offset += Math.ceil((end - offset + 1) / entryUnit) * entryUnit;
  }
  return false;
}

const isAmong = (path: string, folders: readonly string[]): boolean =>
  folders.length === 0 ||
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
