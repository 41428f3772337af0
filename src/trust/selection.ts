import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';

/** A pattern of files that a command runs, and the files that match it. */
export interface Selection {
  /** Relative to the project, such as `hooks.d/*.sh`. */
  readonly pattern: string;
  readonly files: readonly string[];
}

/** The limits of what is looked through for one pattern. */
const mostEntries = 10_000;
const mostFiles = 500;

/** Returns the files of a project that match a pattern now. */
export function selection(project: string, pattern: string): Selection {
  const { base, isGlob } = picomatch.scan(pattern);
  // `x/**/y` matches at any depth, other patterns only at their own.
  const depth = pattern.includes('**') ? Infinity : pattern.split('/').length;
  const matches = picomatch(pattern, { dot: pattern.includes('**') });
  const files: string[] = [];
  if (isGlob || /[{[]/.test(pattern)) {
    let left = mostEntries;
    const look = (folder: string, level: number): void => {
      for (const entry of entriesOf(join(project, folder))) {
        if (left-- <= 0 || files.length >= mostFiles) return;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (matches(path) && !entry.isDirectory()) files.push(path);
        if (entry.isDirectory() && level < depth && !isLeftOut.test(entry.name))
          look(path, level + 1);
      }
    };
    look(base, base === '' ? 1 : base.split('/').length + 1);
  }
  return { pattern, files: files.toSorted() };
}

const isLeftOut = /^(?:node_modules|\.git)$/;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
