import type { HostFolder } from '../parts/host-places.ts';

/** The administrator's settings. */
export const systemSettings =
  process.platform === 'darwin'
    ? '/Library/Application Support/GeminiCli/settings.json'
    : '/etc/gemini-cli/settings.json';

/** The file that says where an extension came from. */
export const installFile = '.gemini-extension-install.json';

/** Returns where Gemini CLI keeps its hooks. */
export const geminiFolder = (system: string): HostFolder => ({
  folder: '.gemini',
  system,
  systemVariable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  extensionFiles: ['hooks/hooks.json', installFile],
});
