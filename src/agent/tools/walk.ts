import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** The folders that a walk does not enter, as text for the model. */
export const skippedFolders = [...skipped].join(' and ');

/**
 * The plain files below a folder, as sorted paths relative to it with forward slashes.
 *
 * Links are not followed, so that a walk neither leaves the project nor loops. When the signal is aborted, it
 * ends early with the files found so far.
 */
export async function walk(folder: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  const open = [''];
  while (!signal.aborted) {
    const within = open.pop();
    if (within === undefined) break;
    for (const entry of await entriesOf(join(folder, within), within === '')) {
      const path = `${within}${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !skipped.has(entry.name)) open.push(`${path}/`);
    }
  }
  // A plain order that is the same in every locale.
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}

/** A subfolder that may not be read, or was removed meanwhile, does not stop the walk. */
async function entriesOf(folder: string, isTop: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isTop) throw error;
    return [];
  }
}
