import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { reaches } from '../../settings/files/levels.ts';
import { readBounded } from '../../settings/files/read-bounded.ts';
import { exportsOf } from '../../shell/exported.ts';
import {
  atProcessEnd,
  environment,
  keptInProcess,
  temporaryFolder,
} from '../../base/surroundings.ts';

type Variables = Readonly<Record<string, string>>;

/** The largest file of variables that is read, in bytes. */
const longestFile = 256 * 1024;

/** The most sessions of one process that are remembered. */
const mostSessions = 100;

/** A file of variables, and the source of the hook that may write it. */
interface VariablesFile {
  readonly source: HookSource;
  readonly file: string;
}

/** By session, the files that its hooks may write variables to. */
const sessions = keptInProcess(
  () => new Map<string, { readonly folder: string; readonly files: VariablesFile[] }>(),
);

/**
 * Returns the path of a file in which a hook may write `export NAME=value` for everything that runs
 * later in its session.
 */
export function newVariablesFile(sessionId: string, source: HookSource): string {
  const known = sessions().get(sessionId) ?? { folder: newFolder(), files: [] };
  if (!sessions().has(sessionId) && sessions().size >= mostSessions)
    for (const [oldest] of [...sessions()].slice(0, 1)) forget(oldest);
  sessions().set(sessionId, known);
  const file = join(known.folder, `sessionstart-hook-${known.files.length}.sh`);
  known.files.push({ source, file });
  return file;
}

/**
 * Returns what hooks of a session have exported so far for the hooks of a source. Later values override
 * earlier ones, and hooks with more authority receive none.
 */
export function sessionVariables(sessionId: string, hooksOf: HookSource): Variables {
  const { files = [] } = sessions().get(sessionId) ?? {};
  return files
    .filter(({ source }) => reaches(source, hooksOf))
    .reduce<Variables>(
      (exported, { file }) => ({
        ...exported,
        ...exportsOf(textOf(file), { ...environment(), ...exported }),
      }),
      {},
    );
}

/** Returns '' if there is no file: most hooks write none. */
function textOf(file: string): string {
  try {
    const read = readBounded(file, longestFile);
    return 'bytes' in read ? read.bytes.toString() : '';
  } catch {
    return '';
  }
}

function newFolder(): string {
  const known = sessions();
  if (known.size === 0) atProcessEnd(() => [...known.keys()].forEach((id) => forget(id, known)));
  return mkdtempSync(join(temporaryFolder(), 'hookmachine-env-'));
}

function forget(sessionId: string, known = sessions()): void {
  const { folder } = known.get(sessionId) ?? {};
  known.delete(sessionId);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
