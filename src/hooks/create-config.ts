import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Dialect } from '../dialects/dialect.ts';
import { defaultDialects } from '../dialects/index.ts';
import { llxprt } from '../dialects/llxprt/index.ts';
import type { MessageBus } from '../bus/message-bus.ts';
import { warn } from '../log.ts';
import type { HookExtension } from '../settings/extensions.ts';
import { loadSettings, type LoadedSettings } from '../settings/load-settings.ts';
import { formatProblem } from '../settings/problem.ts';
import { settingsReader } from '../settings/read-settings-file.ts';
import type { Settings } from '../settings/schema.ts';
import { disabledHooks, hooksEnabled, switchProblems } from '../settings/switches.ts';
import { watchSettings } from '../settings/watch-settings.ts';
import type { HookSystemConfig } from './config.ts';
import { HookSystem } from './hook-system.ts';
import { messageOf } from './message-of.ts';
import { tellOnce } from './tell-once.ts';

export interface CreateConfigOptions extends Pick<
  HookSystemConfig,
  'onWarning' | 'inspect' | 'isTrustedFolder' | 'checkTrust'
> {
  /** The project folder; hooks run in it. */
  readonly cwd: string;
  /** Settings to use in place of the files; they count as the project's. Default: the files of project, user and system. */
  readonly settings?: Settings;
  /** False: no hook runs, whatever the settings say. */
  readonly enableHooks?: false | undefined;
  /**
   * The dialects whose hooks run. Default: LLxprt's, and Kodelet's too where the files are read and
   * `isTrustedFolder` or `checkTrust` says whom the user trusts.
   */
  readonly dialects?: readonly Dialect[];
  /** Default: a random UUID. */
  readonly sessionId?: string;
  readonly transcriptPath?: string;
  /** Extensions beside those installed in the user's folder. */
  readonly extensions?: readonly HookExtension[];
  /**
   * Whether changed settings files are read again by themselves, from the next event on; default
   * false. `HookSystem.dispose` ends it, and it keeps no process alive.
   */
  readonly watch?: boolean;
  /** Where requests to fire events come from, answered from the first `getHookSystem()` on. */
  readonly messageBus?: MessageBus;
}

/**
 * A config for a host that has none of its own. Settings are read on the first question about
 * hooks, not now (HOOK-206).
 *
 * @example
 * const config = createConfig({ cwd: process.cwd() });
 * const result = await executeToolWithHooks(config, 'read_file', { file_path: 'a.txt' }, readFile);
 */
export function createConfig(options: CreateConfigOptions): HookSystemConfig {
  const cwd = resolve(options.cwd);
  const sessionId = options.sessionId ?? randomUUID();
  // Files that need no switch run for being there, so somebody must have said whom they trust.
  const isTrustDecided = Boolean(options.isTrustedFolder ?? options.checkTrust);
  const dialects =
    options.dialects ?? (isTrustDecided && !options.settings ? defaultDialects : [llxprt]);
  const read = settingsReader();
  const tell = tellOnce((line) => warn(options.onWarning, line));
  const load = (): Loaded => {
    const settings = options.settings ? given(options.settings) : loadSettings(cwd, read);
    // Where no settings say anything, hooks that need no switch decide by being there.
    const areOn =
      settings.enabled ?? dialects.some((dialect) => !dialect.needsSwitch && dialect.mayBeIn(cwd));
    const isOn = options.enableHooks !== false && areOn;
    // With hooks off no registry will be made that could tell of a broken file.
    if (!isOn) for (const problem of settings.problems) tell(formatProblem(problem));
    return { ...settings, isOn };
  };
  let loaded: Loaded | undefined;
  let system: HookSystem | undefined;
  const reload = async (): Promise<void> => {
    try {
      await (system ? system.reload() : config.reloadSettings?.());
    } catch (error) {
      warn(options.onWarning, `changed settings could not be read: ${messageOf(error)}`);
    }
  };
  let stopWatching: (() => void) | undefined;
  const watch = options.watch && !options.settings;
  const settings = (): Loaded => {
    // Before they are read, so that no change goes unseen.
    if (watch) stopWatching ??= watchSettings(cwd, () => void reload());
    return (loaded ??= load());
  };
  const config: HookSystemConfig = {
    getEnableHooks: () => settings().isOn,
    areSettingsHooksOn: () => settings().enabled === true,
    getDialects: () => dialects,
    getHooks: () => options.settings?.hooks,
    getHookSources: () => settings().sources,
    getDisabledHooks: () => settings().disabled,
    getSettingsProblems: () => settings().problems,
    getExtensions: () => options.extensions ?? [],
    getSessionId: () => sessionId,
    getWorkingDir: () => cwd,
    getTranscriptPath: () => options.transcriptPath,
    getHookSystem: () =>
      config.getEnableHooks() ? (system ??= new HookSystem(config, options.messageBus)) : undefined,
    getMessageBus: () => options.messageBus,
    reloadSettings: () => {
      loaded = load();
    },
    stopWatchingSettings: () => stopWatching?.(),
    ...(options.isTrustedFolder && { isTrustedFolder: () => options.isTrustedFolder!() }),
    ...(options.checkTrust && { checkTrust: (hook) => options.checkTrust!(hook) }),
    ...(options.onWarning && { onWarning: options.onWarning }),
    ...(options.inspect && { inspect: options.inspect }),
  };
  return config;
}

interface Loaded extends LoadedSettings {
  readonly isOn: boolean;
}

const given = (settings: Settings): LoadedSettings => ({
  enabled: hooksEnabled([settings]),
  sources: [{ source: 'project', hooks: settings.hooks }],
  disabled: [{ source: 'project', names: disabledHooks(settings) }],
  problems: [...switchProblems({ values: settings })],
});
