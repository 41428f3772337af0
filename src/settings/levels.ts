import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for settings, in a project and at home. */
export const settingsFolder = '.llxprt';

/** `<project>/.llxprt/settings.json` (HOOK-084). */
export const projectSettingsFile = (cwd: string): string =>
  join(cwd, settingsFolder, 'settings.json');

/** `~/.llxprt/settings.json` (HOOK-084). */
export const userSettingsFile = (home: string = homedir()): string =>
  join(home, settingsFolder, 'settings.json');

/** The administrator's file; LLxprt's environment variables name another. */
export const systemSettingsFile = (): string =>
  process.env['LLXPRT_SYSTEM_SETTINGS_PATH'] ||
  process.env['LLXPRT_CODE_SYSTEM_SETTINGS_PATH'] ||
  (process.platform === 'darwin'
    ? '/Library/Application Support/LLxprt-Code/settings.json'
    : '/etc/llxprt-code/settings.json');

/** Where a user's extensions are installed, one folder each. */
export const extensionsFolder = (home: string = homedir()): string =>
  join(home, settingsFolder, 'extensions');
