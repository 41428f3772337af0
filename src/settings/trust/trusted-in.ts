import { realpathSync } from 'node:fs';
import type { WarningSink } from '../../base/log.ts';
import { trustFile } from '../files/levels.ts';
import { describeFault, isFault, type ProjectTrust, readTrustFile } from './read-trust.ts';

/** Returns what is trusted in the project at `cwd`; undefined if nothing is. */
export function trustedIn(cwd: string, warn: WarningSink): ProjectTrust | undefined {
  const file = trustFile();
  if (file === undefined) {
    warn('without a home folder no project can be trusted; set HOME, or pass --trust for one run');
    return undefined;
  }
  const projects = readTrustFile(file);
  if (!isFault(projects)) return projects.get(realpathSync(cwd));
  warn(`nothing is trusted: ${describeFault(file, projects)}`);
  return undefined;
}
