import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file that may hold sessions. */
export interface TranscriptFile {
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** When it was last written to, in ms since 1970. */
  readonly changedAt: number;
  /** Whether the user named the file itself, and not a folder around it. */
  readonly isNamed: boolean;
}

/** The file at a path, or all files in a folder that may hold sessions; undefined if nothing is there. */
export function transcriptsAt(path: string): readonly TranscriptFile[] | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isDirectory())
    return [{ file: path, size: found.size, changedAt: found.mtimeMs, isNamed: true }];
  return filesIn(path);
}

function filesIn(folder: string): readonly TranscriptFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      if (!entry.isFile() || !mayHoldSessions(folder, entry.name)) return [];
      const found = statSync(path, { throwIfNoEntry: false });
      return found
        ? [{ file: path, size: found.size, changedAt: found.mtimeMs, isNamed: false }]
        : [];
    });
}

/** Older chats of Gemini CLI are JSON, as are many other files around them. */
const mayHoldSessions = (folder: string, name: string): boolean =>
  name.endsWith('.jsonl') || (name.endsWith('.json') && basename(folder) === 'chats');
