import type { SettingsConfigOptions } from '../system/settings-config.ts';
import { isFolderTrusted, trustCommand } from '../../settings/trust/trusted-folder.ts';
import { trustsAll } from './trusts-all.ts';

/**
 * The trust options of a command's settings: nothing in a project counts before its folder is trusted.
 */
export const folderTrust = (
  cwd: string,
  trust: boolean | undefined,
): Required<Pick<SettingsConfigOptions, 'isTrustedFolder'>> &
  Pick<SettingsConfigOptions, 'trustHint'> =>
  trustsAll(trust)
    ? { isTrustedFolder: () => true }
    : {
        isTrustedFolder: () => isFolderTrusted(cwd),
        trustHint: `look at them: ${trustCommand(cwd, '--show')}, then allow them: ${trustCommand(cwd)}`,
      };
