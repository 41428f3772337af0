import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder } from '../../base/folders.ts';
import { onDemand } from '../../base/on-demand.ts';

const loadPicomatch = onDemand(() => import('picomatch'));

/** A pattern of files that a command runs, and the files that match it. */
export interface Selection {
  /** Relative to the project, such as `hooks.d/*.sh`. */
  readonly pattern: string;
  readonly files: readonly string[];
}

/** What is found of it now. */
interface Found extends Selection {
  /** There are more files than are compared. */
  readonly isPartial: boolean;
}

/** The limits of what is looked through for one pattern. */
const mostEntries = 10_000;
const mostFiles = 500;

/** Returns the files of a project that match a pattern now. */
export async function selection(project: string, pattern: string): Promise<Found> {
  const { default: picomatch } = await loadPicomatch();
  const { base, isGlob } = picomatch.scan(pattern);
  const isDeep = pattern.includes('**');
  // `x/**/y` matches at any depth, other patterns only at their own.
  const depth = isDeep ? Infinity : pattern.split('/').length;
  const matches = picomatch(pattern, { dot: isDeep });
  const files: string[] = [];
  let left = isGlob || /[{[]/.test(pattern) ? mostEntries : 0;
  let isPartial = false;
  const look = (folder: string, level: number): void => {
    for (const entry of entriesOf(join(project, folder))) {
      isPartial ||= left-- <= 0;
      if (isPartial) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // A shell follows links, but not where it looks at any depth.
      const isIn =
        entry.isDirectory() || (entry.isSymbolicLink() && !isDeep && isFolder(join(project, path)));
      if (matches(path) && !isIn) files.push(path);
      isPartial ||= files.length > mostFiles;
      if (isIn && level < depth && !(isDeep && isLeftOut.test(entry.name))) look(path, level + 1);
    }
  };
  if (left > 0) look(base, base === '' ? 1 : base.split('/').length + 1);
  return { pattern, files: files.toSorted(), isPartial };
}

/** Says why files cannot be compared. */
export const tooMany = ({ pattern }: Selection): string =>
  `there are too many files to find those that ${JSON.stringify(pattern)} matches`;

const isLeftOut = /^(?:node_modules|\.git)$/;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
