import type { SettingsConfigOptions } from '../system/settings-config.ts';
import { isForbidden } from './forbidden.ts';

/** The option of every command that runs hooks; commander turns it into `hooks: false`. */
export const noHooksOption = [
  '--no-hooks',
  "run no hooks except the system's, which an administrator has set, whatever the settings say",
] as const;

/** The config options with which a command obeys `--no-hooks`. */
export const whichHooks = (hooks: boolean): Pick<SettingsConfigOptions, 'enableHooks'> =>
  hooks || isForbidden('--no-hooks') ? {} : { enableHooks: 'system' };
