import type { HostFolder } from '../parts/host-places.ts';

/** The administrator's settings. */
export const systemSettings =
  process.platform === 'darwin'
    ? '/Library/Application Support/GeminiCli/settings.json'
    : '/etc/gemini-cli/settings.json';

/** Returns where Gemini CLI keeps its hooks. */
export const geminiFolder = (system: string): HostFolder => ({
  folder: '.gemini',
  system,
  systemVariable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  hooksIn: 'hooks/hooks.json',
});
