import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { scriptFault } from '../../handlers/process/index.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { manifestsOf, neededBy, type Started } from '../../settings/trust/script-files.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';
import { findProgram } from '../../base/programs.ts';

/** What keeps a hook's command from starting, as far as can be seen without running anything. */
export function unstartable(hook: RegisteredHook, cwd: string): CheckProblem[] {
  const seen = new Set<string>();
  return neededBy(hook, cwd).flatMap((started) => {
    const key = JSON.stringify([started.name, started.by]);
    if (seen.has(key)) return [];
    seen.add(key);
    if (started.inside !== undefined && isNoShellScript(started.inside)) return [];
    const found = started.paths.find(isFile);
    if (found !== undefined) return faultOf(hook, started, found) ?? [];
    if (started.paths.length === 0) return programFault(hook, started) ?? [];
    if (started.paths.some(isThere)) return [];
    return [
      ofHook(
        hook,
        'script-missing',
        `its script ${JSON.stringify(started.name)} does not exist${whereIn(started)}`,
        'write the path of an existing file, relative to the project folder',
      ),
    ];
  });
}

/** Whether a script that would run as one of the shell was written in another language. */
const isNoShellScript = (file: string): boolean => scriptFault(file, '')?.code === 'not-shell';

/** The fault of a program that is not on the PATH. */
const programFault = (hook: RegisteredHook, started: Started): CheckProblem | undefined =>
  process.platform === 'win32' || findProgram(started.name) !== undefined
    ? undefined
    : ofHook(
        hook,
        'program-missing',
        `the program ${JSON.stringify(started.name)} is not installed here${whereIn(started)}`,
        'install it, or put its folder on the PATH',
      );

/** The script that starts it, if that is not the hook's own command. */
const whereIn = ({ inside }: Started): string =>
  inside === undefined ? '' : ` (${basename(inside)} runs it)`;

function faultOf(hook: RegisteredHook, started: Started, file: string): CheckProblem | undefined {
  const fault = scriptFault(file, started.name, started.by);
  return (
    fault &&
    ofHook(
      hook,
      fault.code,
      `its script ${JSON.stringify(started.name)} ${fault.message}`,
      fault.fix,
    )
  );
}

const isThere = (path: string): boolean => statOf(path) !== undefined;

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Reports files that agents edit for other reasons, and whose next change ends the trust in a hook. It is said
 * before trust is given; afterwards it would be a problem that nobody can solve.
 */
export function easilyDistrusted(hook: RegisteredHook, cwd: string): CheckProblem[] {
  const files = manifestsOf(hook, cwd);
  if (files.length === 0) return [];
  const shown = files.length > 4 ? [...files.slice(0, 3), `${files.length - 3} more`] : files;
  return [
    ofHook(
      hook,
      'loses-trust',
      `runs what ${shown.join(', ')} say${files.length === 1 ? 's' : ''}: a change of what is run there ends its trust`,
      'trust it again after such a change (hookmachine trust), or name a script of your own that does the work',
    ),
  ];
}
