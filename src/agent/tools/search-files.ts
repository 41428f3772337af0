import { join } from 'node:path';
import { matchingLines } from './matching-lines.ts';
import { readTextFile, type TextFile } from './text-file.ts';

/** A search ends after this many matching lines. */
export const matchLimit = 500;

/**
 * A search ends after this many files on which the pattern was too slow, because each stalls the agent for a
 * while.
 */
const slowFileLimit = 3;

/** The result of a search, and what kept it from finding more. */
export interface Search {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { readonly number: number; readonly text: string }[];
  }[];
  /** Files on which the pattern took too long. */
  readonly slow: readonly string[];
  /** Files too large to be searched. */
  readonly large: readonly string[];
  /** Why the remaining files were not searched. */
  readonly stopped?: 'matches' | 'slow';
}

/** Searches files line by line; files without text, and files removed meanwhile, are skipped. */
export async function searchFiles(
  regex: RegExp,
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Search> {
  const files: Search['files'][number][] = [];
  const slow: string[] = [];
  const large: string[] = [];
  let room = matchLimit;
  for (const path of paths) {
    if (signal.aborted) break;
    const file = await readIfPossible(join(folder, path));
    if (file?.kind === 'tooLarge') large.push(path);
    if (file?.kind !== 'text') continue;
    const lines = file.text.split(/\r?\n/);
    const matching = matchingLines(regex, lines);
    if (matching.kind === 'tooSlow') {
      slow.push(path);
      if (slow.length === slowFileLimit) return { files, slow, large, stopped: 'slow' };
    } else if (matching.indexes.length > 0) {
      const shown = matching.indexes.slice(0, room);
      if (shown.length > 0) {
        const numbered = shown.map((index) => ({ number: index + 1, text: lines[index]! }));
        files.push({ path, lines: numbered });
      }
      if (matching.indexes.length > room) return { files, slow, large, stopped: 'matches' };
      room -= shown.length;
    }
  }
  return { files, slow, large };
}

async function readIfPossible(path: string): Promise<TextFile | undefined> {
  try {
    return await readTextFile(path);
  } catch {
    return undefined;
  }
}
