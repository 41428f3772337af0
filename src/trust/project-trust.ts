import { realpathSync } from 'node:fs';
import { tellOnce } from '../hooks/tell-once.ts';
import type { WarningSink } from '../log.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import { trustFile } from '../settings/levels.ts';
import { difference, fingerprint } from './fingerprint.ts';
import type { HookTrust } from './hook-trust.ts';
import { isFault, readTrustFile, type ProjectTrust } from './read-trust.ts';
import { describeFault } from './write-trust.ts';

/**
 * Compares a project's hooks with what the user has looked at and trusted. Everything is read anew
 * for each hook: the trust may be withdrawn, and a link put elsewhere, while an agent works. What is
 * wrong with the record is told once, and then nothing is trusted.
 */
export function trustChecker(cwd: string, tell: WarningSink): (hook: UnaskedHook) => HookTrust {
  const warn = tellOnce(tell);
  const mend = `look at what it runs, then allow it: ${trustCommand(cwd)}`;
  return (hook) => {
    const trust = trustedIn(cwd, warn);
    const why =
      trust === undefined
        ? 'this folder is not trusted'
        : difference(fingerprint(hook, cwd), trust.hooks);
    return why === undefined ? { trusted: true } : { trusted: false, why, mend };
  };
}

/** What is trusted in the project at `cwd`; undefined when nothing is. */
export function trustedIn(cwd: string, warn: WarningSink): ProjectTrust | undefined {
  const file = trustFile();
  if (file === undefined) {
    warn('without a home folder no project can be trusted; set HOME, or give --trust for one run');
    return undefined;
  }
  const projects = readTrustFile(file);
  if (!isFault(projects)) return projects.get(realpathSync(cwd));
  warn(`nothing is trusted: ${describeFault(file, projects)}`);
  return undefined;
}

function trustCommand(cwd: string): string {
  const isHere = realpathSync(cwd) === realpathSync(process.cwd());
  return `hookmachine trust${isHere ? '' : ` --cwd ${JSON.stringify(cwd)}`}`;
}
