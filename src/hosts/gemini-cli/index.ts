import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { HookEventName } from '../../core/protocol/events.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { inFolder, type HostFolder } from '../parts/host-places.ts';

const loadTable = onDemand(() => import('./table.ts'));

/** Options for the places of Gemini CLI's hooks. */
export interface GeminiCliOptions {
  /** The file of the administrator's settings, instead of the machine's, for tests. */
  readonly system?: string;
}

const systemSettings =
  process.platform === 'darwin'
    ? '/Library/Application Support/GeminiCli/settings.json'
    : '/etc/gemini-cli/settings.json';

/** Gemini CLI's hooks, with the administrator's settings in a given file. */
export function geminiCliWith({ system = systemSettings }: GeminiCliOptions = {}): Dialect & Host {
  const folder: HostFolder = {
    folder: '.gemini',
    system,
    systemVariable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    hooksIn: 'hooks/hooks.json',
  };
  return hostDialect(
    {
      name: 'gemini-cli',
      events: HookEventName,
      order: ['user', 'project', 'system', 'extension'],
      ...inFolder(folder),
      runsOn: true,
      isWritable: true,
    },
    async () => (await loadTable()).tableIn(folder),
  );
}

/** Gemini CLI's hooks, from settings and extensions. */
export const geminiCli: Dialect & Host = geminiCliWith();
