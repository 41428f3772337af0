import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for settings, in a project and at home. */
const settingsFolder = '.llxprt';

/** `<project>/.llxprt/settings.json` (HOOK-084). */
export const projectSettingsFile = (cwd: string): string =>
  join(cwd, settingsFolder, 'settings.json');

/** `~/.llxprt/settings.json` (HOOK-084). */
export const userSettingsFile = (): string | undefined => inHome('settings.json');

/** Where the user's trust in projects is recorded: beyond the reach of any project's settings. */
export const trustFile = (): string | undefined => inHome('hookmachine-trust.json');

/** Where a user's extensions are installed, one folder each. */
export const extensionsFolder = (): string | undefined => inHome('extensions');

/** The administrator's file; LLxprt's environment variables name another. */
export const systemSettingsFile = (): string =>
  process.env['LLXPRT_SYSTEM_SETTINGS_PATH'] ||
  process.env['LLXPRT_CODE_SYSTEM_SETTINGS_PATH'] ||
  (process.platform === 'darwin'
    ? '/Library/Application Support/LLxprt-Code/settings.json'
    : '/etc/llxprt-code/settings.json');

function inHome(name: string): string | undefined {
  const home = homeFolder();
  return home && join(home, settingsFolder, name);
}

/** Undefined for a user without a home: an empty or relative HOME would lead into the project. */
export function homeFolder(): string | undefined {
  let home: string;
  try {
    home = homedir();
  } catch {
    return undefined;
  }
  return isAbsolute(home) ? home : undefined;
}
