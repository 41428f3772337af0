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

/** The administrator's folder; tests hand another one to whatever reads settings, and no variable names one. */
const systemFolder =
  process.platform === 'darwin' ? '/Library/Application Support/LLxprt-Code' : '/etc/llxprt-code';

/** The administrator's file. */
export const systemSettingsFile = (folder: string = systemFolder): string =>
  join(folder, 'settings.json');

/** What LLxprt's environment variables name: files that may add hooks, and nothing else (S-11). */
export const environmentSettings = (): { variable: string; file: string }[] =>
  ['LLXPRT_SYSTEM_SETTINGS_PATH', 'LLXPRT_CODE_SYSTEM_SETTINGS_PATH'].flatMap((variable) => {
    const file = process.env[variable];
    return file ? [{ variable, file }] : [];
  });

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
