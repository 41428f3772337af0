import type { SettingsConfigOptions } from '../hooks/settings-config.ts';
import { isForbidden } from './forbidden.ts';

/** The option of every command that runs hooks; commander makes `hooks: false` of it. */
export const noHooksOption = [
  '--no-hooks',
  "run no hooks but the system's, which an administrator has set, whatever the settings say",
] as const;

/** What the config of a command needs so that `--no-hooks` is heeded. */
export const whichHooks = (hooks: boolean): Pick<SettingsConfigOptions, 'enableHooks'> =>
  hooks || isForbidden('--no-hooks') ? {} : { enableHooks: 'system' };
