import type { CreateConfigOptions } from '../hooks/create-config.ts';
import { warn } from '../log.ts';
import { trustChecker } from '../trust/project-trust.ts';

/** The option of every command that runs hooks. */
export const trustOption = [
  '--trust',
  "run the project's hooks this once, seen or not (for CI: HOOKMACHINE_TRUST=1)",
] as const;

/** Whether the user or their environment lets all hooks run; no settings can say so. */
const trustsAll = (trust: boolean | undefined): boolean =>
  trust === true || ['1', 'true'].includes(process.env['HOOKMACHINE_TRUST'] ?? '');

/** What the config of a command needs so that of the project's hooks only trusted ones run. */
export const onlyTrusted = (
  cwd: string,
  trust: boolean | undefined,
): Pick<CreateConfigOptions, 'checkTrust' | 'isTrustedFolder'> =>
  trustsAll(trust)
    ? { isTrustedFolder: () => true }
    : { checkTrust: trustChecker(cwd, (line) => warn(undefined, line)) };
