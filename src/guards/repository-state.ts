import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { isChangedInIndex } from './changed-in-index.ts';
import { areKeptElsewhere } from './kept-elsewhere.ts';
import { topOf } from './reading/repository-top.ts';
import type { RepositoryState, StateQuestion } from './rules/rule.ts';
import { environment } from '../base/surroundings.ts';

const unknown: RepositoryState = { is: 'unknown', hasChanges: true, hasUntracked: true };
const none: RepositoryState = { is: 'none', hasChanges: false, hasUntracked: false };

const patience = 2_000;

/** Settings by which git would run programs of the repository's own. */
const runsPrograms =
  /^\s*\[\s*(?:filter|include|includeif)\b|^\s*fsmonitor\s*=(?!\s*(?:false|true)\s*$)|^\s*(?:process|clean|smudge|textconv)\s*=/im;

const question = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  'status',
  '--porcelain',
  '-z',
  '--ignore-submodules=all',
  '--untracked-files=normal',
];

/** Returns what git prints; undefined if it fails. Apps that are bundled have no execa. */
const ask = (args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const env = { ...environment(), GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
    execFile('git', args, { timeout: patience, maxBuffer: 4_000_000, env }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });

/**
 * Asks git what these paths of a repository have that is in no commit. It runs nothing of the repository: where
 * the repository's settings name programs, nothing is asked, and everything counts as changed.
 */
export async function repositoryState(
  folder: string,
  paths: readonly string[],
  asks: StateQuestion,
): Promise<RepositoryState> {
  if (!existsSync(folder)) return none;
  const top = topOf(folder);
  if (top === undefined) return none;
  if (mayRunPrograms(top)) return unknown;
  const found = { is: 'repository', hasChanges: true, hasUntracked: true } as const;
  if (asks === 'itself') return found;
  if (asks === 'branches') return { ...found, hasChanges: !areKeptElsewhere(top, paths) };
  if (asks === 'changes' && isChangedInIndex(top, paths)) return found;
  const stdout = await ask(['-C', folder, ...question, '--', ...paths]);
  if (stdout === undefined) return unknown;
  const entries = stdout.split('\0').filter(Boolean);
  const hasUntracked = entries.some((entry) => entry.startsWith('??'));
  return {
    is: 'repository',
    hasUntracked,
    hasChanges: entries.some((entry) => !entry.startsWith('??')),
  };
}

function mayRunPrograms(top: string): boolean {
  try {
    return runsPrograms.test(readFileSync(join(top, '.git', 'config'), 'utf8'));
  } catch {
    // The .git of a worktree is a file; its settings are elsewhere.
    return true;
  }
}
