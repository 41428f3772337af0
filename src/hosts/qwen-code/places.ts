import type { HostFolder } from '../parts/host-places.ts';

/** The administrator's settings. */
export const systemSettings =
  process.platform === 'darwin'
    ? '/Library/Application Support/QwenCode/settings.json'
    : '/etc/qwen-code/settings.json';

/** The manifest of an extension, which holds its hooks. */
export const manifestFile = 'qwen-extension.json';
/** The file that says where an extension came from. */
export const installFile = '.qwen-extension-install.json';

/** Returns where Qwen Code keeps its hooks. */
export const qwenFolder = (system: string): HostFolder => ({
  folder: '.qwen',
  system,
  systemVariable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
  extensionFiles: [manifestFile, installFile],
});
