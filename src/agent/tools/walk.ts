import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** The folders that a walk does not enter, in words for the model. */
export const skippedFolders = [...skipped].join(' and ');

/**
 * The plain files beneath a folder, as paths relative to it with forward slashes, in order.
 *
 * Links are not followed, so that a walk neither leaves the project nor goes round in circles.
 * It ends early, with what it has, when the signal is aborted.
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
  // A plain order, the same in every locale.
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}

/** A folder further down that may not be read, or is gone meanwhile, leaves the others to be seen. */
async function entriesOf(folder: string, isTop: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isTop) throw error;
    return [];
  }
}
