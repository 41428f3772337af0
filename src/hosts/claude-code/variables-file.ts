import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  atProcessEnd,
  environment,
  keptInProcess,
  temporaryFolder,
} from '../../base/surroundings.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { readBounded } from '../../settings/files/read-bounded.ts';
import { exportsOf } from '../../shell/exported.ts';
import { sessionVariables } from '../parts/session-variables.ts';

/** What Claude Code's hooks export for what runs later in their session. */
export const variables = sessionVariables();

/** The folder of this process for such files, and how many it has had. */
const kept = keptInProcess(() => {
  const folder = mkdtempSync(join(temporaryFolder(), 'hookmachine-env-'));
  atProcessEnd(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, count: 0 };
});

/** The largest file of variables that is read, in bytes. */
const longestFile = 256 * 1024;

/**
 * Returns the path of a file in which a hook may write `export NAME=value` for everything that runs
 * later in its session.
 */
export function newVariablesFile(session: string, source: HookSource): string {
  const file = join(kept().folder, `sessionstart-hook-${kept().count++}.sh`);
  variables.keep(session, {
    source,
    read: (known) => exportsOf(textOf(file), { ...environment(), ...known }),
    forget: () => rmSync(file, { force: true }),
  });
  return file;
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
