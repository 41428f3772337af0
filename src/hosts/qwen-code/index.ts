import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { inFolder, type HostFolder } from '../parts/host-places.ts';
import { qwenEvents } from './events.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for the places of Qwen Code's hooks. */
export interface QwenCodeOptions {
  /** The file of the administrator's settings, instead of the machine's, for tests. */
  readonly system?: string;
}

const systemSettings =
  process.platform === 'darwin'
    ? '/Library/Application Support/QwenCode/settings.json'
    : '/etc/qwen-code/settings.json';

/** Qwen Code's hooks, with the administrator's settings in a given file. */
export function qwenCodeWith({ system = systemSettings }: QwenCodeOptions = {}): Dialect & Host {
  const folder: HostFolder = {
    folder: '.qwen',
    system,
    systemVariable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
    hooksIn: 'qwen-extension.json',
  };
  return hostDialect(
    {
      name: 'qwen-code',
      events: qwenEvents.ours,
      ...inFolder(folder),
      runsOn: true,
      isWritable: true,
    },
    async () => (await loadTable()).tableIn(folder),
  );
}

/** Qwen Code's hooks, from settings and extensions. */
export const qwenCode: Dialect & Host = qwenCodeWith();
