import type { CreateConfigOptions } from '../system/create-config.ts';
import { warn } from '../../base/log.ts';
import { trustChecker, trustVerifier } from '../../settings/trust/project-trust.ts';
import { folderTrust } from './folder-trust.ts';
import { trustsAll } from './trusts-all.ts';

/** The option of every command that runs hooks. */
export const trustOption = [
  '--trust',
  "run the project's hooks this once, trusted or not (for CI: HOOKMACHINE_TRUST=1)",
] as const;

/** The config options with which only trusted hooks of the project run. */
export const onlyTrusted = (
  cwd: string,
  trust: boolean | undefined,
): Pick<CreateConfigOptions, 'checkTrust' | 'verifyTrust' | 'isTrustedFolder' | 'trustHint'> => ({
  ...folderTrust(cwd, trust),
  ...trustOfEach(cwd, trust),
});

/**
 * The config options for commands that only look: an untrusted project is shown, and none of its programs is
 * run.
 */
export const trustOfEach = (
  cwd: string,
  trust?: boolean,
): Pick<CreateConfigOptions, 'checkTrust' | 'verifyTrust' | 'isTrustedFolder'> =>
  trustsAll(trust)
    ? { isTrustedFolder: () => true }
    : {
        checkTrust: trustChecker(cwd, (line) => warn(undefined, line)),
        verifyTrust: trustVerifier(cwd, (line) => warn(undefined, line)),
      };
