import { resolve } from 'node:path';
import type { DialectOutline } from '../dialects/dialect.ts';
import { warn } from '../log.ts';
import type { HookExtension } from '../settings/extensions.ts';
import { loadSettings, type LoadedSettings } from '../settings/load-settings.ts';
import { formatProblem } from '../settings/problem.ts';
import { folderReader } from '../settings/read-folders.ts';
import { settingsReader } from '../settings/read-settings-file.ts';
import type { Settings } from '../settings/schema.ts';
import { disabledHooks, hooksEnabled, switchProblems } from '../settings/switches.ts';
import type { HookSystemConfig } from './config.ts';
import { tellOnce } from './tell-once.ts';

/** What is known of a session before its settings are read. */
export interface SettingsConfigOptions extends Pick<
  HookSystemConfig,
  'onWarning' | 'inspect' | 'isTrustedFolder' | 'checkTrust'
> {
  /** The project folder; hooks run in it. */
  readonly cwd: string;
  /** Settings to use in place of the files; they count as the project's. Default: the files of project, user and system. */
  readonly settings?: Settings;
  /** False: no hook runs, whatever the settings say. */
  readonly enableHooks?: false | undefined;
  /** Default: a random UUID. */
  readonly sessionId?: string;
  readonly transcriptPath?: string;
  /** Extensions beside those installed in the user's folder. */
  readonly extensions?: readonly HookExtension[];
}

/** What settings and options answer of a config: all but who runs the hooks. */
export type SettingsConfig = Omit<HookSystemConfig, 'getHookSystem' | 'getDialects'>;

/**
 * The questions of a config that settings answer; `beforeReading` is called each time just before
 * they are read. Apart from `createConfig`, so that they can be asked without a hook system.
 */
export function settingsConfig(
  options: SettingsConfigOptions,
  dialects: readonly DialectOutline[],
  beforeReading: () => void = () => undefined,
): SettingsConfig {
  const cwd = resolve(options.cwd);
  let { sessionId } = options;
  const read = settingsReader();
  const foldersIn = folderReader();
  const tell = tellOnce((line) => warn(options.onWarning, line));
  const load = (): Loaded => {
    const settings = options.settings
      ? given(options.settings)
      : loadSettings(cwd, read, foldersIn);
    // Where no settings say anything, hooks that need no switch decide by being there.
    const areOn =
      settings.enabled ?? dialects.some((dialect) => !dialect.needsSwitch && dialect.mayBeIn(cwd));
    const isOn = options.enableHooks !== false && areOn;
    // With hooks off no registry will be made that could tell of a broken file.
    if (!isOn) for (const problem of settings.problems) tell(formatProblem(problem));
    return { ...settings, isOn };
  };
  let loaded: Loaded | undefined;
  const settings = (): Loaded => {
    beforeReading();
    return (loaded ??= load());
  };
  return {
    getEnableHooks: () => settings().isOn,
    areSettingsHooksOn: () => settings().enabled === true,
    getHooks: () => options.settings?.hooks,
    getHookSources: () => settings().sources,
    getDisabledHooks: () => settings().disabled,
    getSettingsProblems: () => settings().problems,
    getExtensions: () => options.extensions ?? [],
    getSessionId: () => (sessionId ??= newSessionId()),
    getWorkingDir: () => cwd,
    getTranscriptPath: () => options.transcriptPath,
    reloadSettings: () => {
      loaded = load();
    },
    ...(options.isTrustedFolder && { isTrustedFolder: () => options.isTrustedFolder!() }),
    ...(options.checkTrust && { checkTrust: (hook) => options.checkTrust!(hook) }),
    ...(options.onWarning && { onWarning: options.onWarning }),
    ...(options.inspect && { inspect: options.inspect }),
  };
}

/** `node:crypto` is loaded for it, and a session without hooks is never asked its id. */
const newSessionId = (): string => process.getBuiltinModule('node:crypto').randomUUID();

interface Loaded extends LoadedSettings {
  readonly isOn: boolean;
}

const given = (settings: Settings): LoadedSettings => ({
  enabled: hooksEnabled([settings]),
  sources: [{ source: 'project', hooks: settings.hooks }],
  disabled: [{ source: 'project', names: disabledHooks(settings) }],
  problems: [...switchProblems({ values: settings })],
});
