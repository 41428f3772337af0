import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { readBounded } from '../files/read-bounded.ts';
import { trustFile } from '../files/levels.ts';

/** Copies of trusted scripts are stored next to the trust file, each named after its hash. */
function folderOfTexts(): string | undefined {
  const file = trustFile();
  return file && join(dirname(file), 'trusted');
}

/**
 * Stores the current content of scripts, and removes copies that no trusted hook refers to any more. If a
 * copy cannot be stored, only a diff is lost.
 */
export function keepTexts(texts: ReadonlyMap<string, Buffer>, inUse: ReadonlySet<string>): void {
  const folder = folderOfTexts();
  if (folder === undefined) return;
  try {
    makeFolder(folder, 0o700);
    for (const [sha256, bytes] of texts)
      if (inUse.has(sha256) && keptText(sha256) === undefined) {
        rmSync(join(folder, sha256), { force: true });
        writeFileSync(join(folder, sha256), bytes, { mode: 0o600, flag: 'wx' });
      }
    for (const name of readdirSync(folder))
      if (/^[\da-f]{64}$/.test(name) && !inUse.has(name))
        rmSync(join(folder, name), { force: true });
  } catch {
    // The copies are needed only for diffs.
  }
}

/** Returns the content of a file with this hash; undefined if no copy was kept or the copy was replaced. */
export function keptText(sha256: string): string | undefined {
  const folder = folderOfTexts();
  if (folder === undefined || !/^[\da-f]{64}$/.test(sha256)) return undefined;
  try {
    const read = readBounded(join(folder, sha256));
    return 'bytes' in read && createHash('sha256').update(read.bytes).digest('hex') === sha256
      ? read.bytes.toString()
      : undefined;
  } catch {
    return undefined;
  }
}
