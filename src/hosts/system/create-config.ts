import { resolve } from 'node:path';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { defaultDialects } from '../all/defaults.ts';
import { llxprt } from '../llxprt/index.ts';
import type { MessageBus } from '../../core/bus/message-bus.ts';
import { HookmachineError } from '../../base/errors.ts';
import { warn } from '../../base/log.ts';
import { watchSettings } from '../../settings/files/watch-settings.ts';
import type { HookSystemConfig } from './hook-system-config.ts';
import { HookSystem } from './hook-system.ts';
import { settingsConfig, type SettingsConfigOptions } from './settings-config.ts';
import { onDemand } from '../../base/on-demand.ts';
import { messageOf } from '../../base/message-of.ts';

const loadHosts = onDemand(() => import('../all/known.ts'));

export interface CreateConfigOptions extends SettingsConfigOptions {
  /**
   * The dialects whose hooks run. Default: ours and LLxprt's, and also Kodelet's if `isTrustedFolder` or
   * `checkTrust` says whom the user trusts; with `settings`: LLxprt's, whose format they have. 'present':
   * every dialect that has hooks here, as on the command line; they are loaded with the first event.
   */
  readonly dialects?: readonly Dialect[] | 'present';
  /** The name of the dialect of the host that this runs in: its hooks run there, not here as well. */
  readonly hostDialect?: string | undefined;
  /**
   * Whether changed settings files are reread automatically, from the next event on; default false.
   * `HookSystem.dispose` stops it, and it keeps no process alive.
   */
  readonly watch?: boolean;
  /** The bus that requests to fire events come from, answered from the first `getHookSystem()` on. */
  readonly messageBus?: MessageBus;
}

/**
 * Creates a config for a host that has none of its own. Settings are read on the first question about hooks,
 * not now.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID` if `cwd` is not a string
 * @example
 * const config = createConfig({ cwd: process.cwd() });
 * const result = await executeToolWithHooks(config, 'read_file', { file_path: 'a.txt' }, readFile);
 */
export function createConfig(options: CreateConfigOptions): HookSystemConfig {
  if (typeof (options as Partial<CreateConfigOptions> | undefined)?.cwd !== 'string')
    throw new HookmachineError(
      'ARGUMENT_INVALID',
      'createConfig: "cwd" is missing; pass the path of the project folder',
    );
  // Programs that are found are run to learn what they are, so whom the user trusts must have been decided.
  const isTrustDecided = Boolean(options.isTrustedFolder ?? options.checkTrust);
  const byDefault = options.settings
    ? [llxprt]
    : defaultDialects.filter((dialect) => isTrustDecided || dialect.settings);
  const runsHere = ({ name }: Dialect): boolean => name !== options.hostDialect;
  let dialects =
    options.dialects === 'present' ? undefined : (options.dialects ?? byDefault).filter(runsHere);
  const loadDialects = async (): Promise<readonly Dialect[]> =>
    (dialects ??= (await loadHosts()).presentDialects.filter(runsHere));
  let system: HookSystem | undefined;
  const reload = async (): Promise<void> => {
    try {
      await (system ? system.reload() : config.reloadSettings?.());
    } catch (error) {
      warn(options.onWarning, `changed settings could not be read: ${messageOf(error)}`);
    }
  };
  let stopWatching: (() => void) | undefined;
  const isWatching = options.watch && !options.settings;
  const cwd = resolve(options.cwd);
  const watch = (): void => {
    stopWatching ??= watchSettings(cwd, () => void reload(), options.systemFolder);
  };
  const settings = settingsConfig(options, () => dialects ?? byDefault, {
    // The watch starts before they are read, so that no change goes unnoticed.
    beforeReading: isWatching ? watch : undefined,
    isReported: () => system?.isInitialized() === false,
  });
  const config: HookSystemConfig = {
    ...settings,
    // Until all dialects are loaded, any of them may have hooks.
    getEnableHooks: () =>
      dialects === undefined ? options.enableHooks !== false : settings.getEnableHooks(),
    getDialects: () => dialects ?? loadDialects(),
    getHookSystem: () =>
      config.getEnableHooks() ? (system ??= new HookSystem(config, options.messageBus)) : undefined,
    getMessageBus: () => options.messageBus,
    stopWatchingSettings: () => stopWatching?.(),
  };
  return config;
}
