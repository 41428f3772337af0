import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { resolve } from 'node:path';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { isOurs, type JudgedSettings, judgeSettings } from './judge-settings.ts';
import { once } from '../../base/once.ts';
import { tellOnce, warnPlainly } from '../../base/log.ts';
import { bundlePlaces, fleetPlace } from '../../settings/files/levels.ts';
import { loadSettings, type LoadedSettings } from '../../settings/files/load-settings.ts';
import { managedBy, managedProblems } from '../../settings/files/managed.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { folderReader, settingsReader } from '../../settings/files/read-files.ts';
import type { Settings, SettingsInCode } from '../../settings/format/json-schema.ts';
import {
  anySwitchedOn,
  disabledHooks,
  failureDefault,
  switchOf,
  switchProblems,
  wantsRecheck,
} from '../../settings/files/switches.ts';
import type { HookHost } from '../../core/host/config.ts';
import type {
  BundlePlace,
  Bundles,
  HookExtension,
  SettingsNote,
} from '../../core/definitions/settings.ts';

/** What is known about a session before its settings are read. */
export interface SettingsConfigOptions extends Pick<
  HookHost,
  | 'getHookModel'
  | 'outlive'
  | 'onWarning'
  | 'inspect'
  | 'isTrustedFolder'
  | 'checkTrust'
  | 'verifyTrust'
  | 'onUnready'
> {
  /** The project folder; hooks run in it. */
  readonly cwd: string;
  /**
   * Settings to use instead of the files; they count as the project's. Default: the files of project, user
   * and system.
   */
  readonly settings?: Settings | SettingsInCode;
  /**
   * False: no hook runs, whatever the settings say. 'system': only the system's hooks run, as with
   * `--no-hooks`.
   */
  readonly enableHooks?: false | 'system' | undefined;
  /** Default: a random UUID. */
  readonly sessionId?: string;
  readonly transcriptPath?: string;
  /** Extensions in addition to those installed in the user's folder. */
  readonly extensions?: readonly HookExtension[];
  /**
   * The folder of administrators' settings to use instead of the machine's, for tests; no variable sets it.
   */
  readonly systemFolder?: string | undefined;
  /**
   * Receives what users should be told once a session. Default: a warning of hooks that were not trusted, or
   * that a stronger level took away.
   */
  readonly onNote?: ((note: SettingsNote) => void) | undefined;
  /**
   * Whether this problem of the settings was already reported to the user, so that it is not reported again;
   * default: no.
   */
  readonly wasReported?: ((problem: string) => boolean) | undefined;
  /**
   * Whether the host runs this hook itself, so that it must not run here as well; default: the host runs
   * none.
   */
  readonly runsElsewhere?: ((hook: UnaskedHook) => boolean) | undefined;
  /** What a user should do about a project that is not trusted. */
  readonly trustHint?: string | undefined;
}

/** The part of a config that settings and options answer: everything except who runs the hooks. */
export type SettingsConfig = Omit<HookHost, 'getDialects'> &
  Required<Pick<HookHost, 'getUnknownGuards' | 'getUnreadFiles' | 'onNote'>>;

/** How the owner of the hook system takes part in reading settings. */
interface SettingsReading {
  /** Called each time just before the settings are read. */
  readonly beforeReading?: (() => void) | undefined;
  /** Whether a hook system is about to report what is wrong with the files. */
  readonly isReported?: () => boolean;
}

/**
 * Returns the methods of a config that settings answer, evaluated again when the dialects change. Separate
 * from `createConfig`, so that they can be asked without a hook system.
 */
export function settingsConfig(
  options: SettingsConfigOptions,
  dialects: () => readonly Dialect[],
  reading: SettingsReading = {},
): SettingsConfig {
  const cwd = resolve(options.cwd);
  let { sessionId } = options;
  const { settings, reload, useFleets, onNote } = sessionSettings(options, dialects, reading);
  return {
    getEnableHooks: () => settings().isOn,
    isSwitchedOn: (source, needsSwitch) => settings().isSourceOn(source, needsSwitch),
    getHooks: () => options.settings?.hooks,
    getHookSources: () => settings().sources,
    getDisabledHooks: () => settings().disabled,
    getSettingsProblems: () => settings().problems,
    getFailureDefaults: () => settings().failureDefaults,
    ignoresAdded: (variable) =>
      settings().managed.onlyManagedHooks !== undefined || settings().managed.forbid.has(variable),
    getAudit: () => settings().managed.audit,
    getBundles: () => bundlesOf(settings(), options.systemFolder),
    useFleetBundles: (folder) => {
      const canRun = options.enableHooks !== false && dialects().some(isOurs);
      return useFleets(
        folder !== undefined && canRun ? fleetPlace(folder, options.systemFolder) : undefined,
      );
    },
    rechecks: () => settings().recheck,
    getUnknownGuards: () => settings().denying,
    getUnreadFiles: () => settings().unreadProblems,
    ignoresProject: () => !settings().isTrusted(),
    skipsProjectHooks: () => settings().untrustedHooks() !== undefined,
    onNote,
    getExtensions: () => options.extensions ?? [],
    getSessionId: () => (sessionId ??= newSessionId()),
    getWorkingDir: () => cwd,
    getTranscriptPath: () => options.transcriptPath,
    reloadSettings: reload,
    ...callbacksOf(options),
    ...(options.onUnready && { onUnready: options.onUnready }),
    ...(options.onWarning && { onWarning: options.onWarning }),
    ...(options.inspect && { inspect: options.inspect }),
  };
}

/** Reads a session's settings when they are first needed, and again when the dialects change. */
function sessionSettings(
  options: SettingsConfigOptions,
  dialects: () => readonly Dialect[],
  { beforeReading, isReported }: SettingsReading,
) {
  const cwd = resolve(options.cwd);
  let fleets: BundlePlace | undefined;
  const read = settingsReader();
  const foldersIn = folderReader();
  const tell = tellOnce((line) => warnPlainly(options.onWarning, line));
  const onNote =
    options.onNote ?? ((note) => note.kind !== 'off' && tell(formatProblem(note.problem)));
  const load = (): JudgedSettings => {
    const isTrusted = once(() => options.settings !== undefined || isTrustedNow(options));
    const levels = options.settings
      ? given(options.settings as Settings)
      : loadSettings(cwd, read, foldersIn, { isTrusted, systemFolder: options.systemFolder });
    const settings = fleets ? { ...levels, bundles: [...levels.bundles, fleets] } : levels;
    const judged = judgeSettings(settings, {
      ...options,
      cwd,
      dialects: dialects(),
      isTrusted,
    });
    if (options.enableHooks === undefined) for (const note of judged.notes()) onNote(note);
    // With hooks off, no registry will be created that could report a broken file.
    if (!judged.isOn && isReported?.() !== true)
      for (const problem of settings.problems.map(formatProblem))
        if (options.wasReported?.(problem) !== true) tell(problem);
    return judged;
  };
  let loaded: JudgedSettings | undefined;
  const settings = (): JudgedSettings => {
    beforeReading?.();
    return loaded?.dialects === dialects() ? loaded : (loaded = load());
  };
  return {
    settings,
    onNote,
    reload: (): void => {
      loaded = load();
    },
    useFleets: (place: BundlePlace | undefined) => (fleets = place),
  };
}

/** The functions that a host gave, called as methods of what it gave. */
const callbacksOf = (options: SettingsConfigOptions): Partial<SettingsConfig> => ({
  ...(options.isTrustedFolder && { isTrustedFolder: () => options.isTrustedFolder!() }),
  ...(options.wasReported && { wasReported: (problem) => options.wasReported!(problem) }),
  ...(options.runsElsewhere && { runsElsewhere: (hook) => options.runsElsewhere!(hook) }),
  ...(options.checkTrust && { checkTrust: (hook) => options.checkTrust!(hook) }),
  ...(options.verifyTrust && { verifyTrust: (hook) => options.verifyTrust!(hook) }),
  ...(options.outlive && { outlive: (hook) => options.outlive!(hook) }),
  ...(options.getHookModel && { getHookModel: (name) => options.getHookModel!(name) }),
});

/** Created on demand: it loads `node:crypto`, and a session without hooks is never asked for its id. */
const newSessionId = (): string => process.getBuiltinModule('node:crypto').randomUUID();

/** An administrator's place is searched for required bundles even when it has none. */
function bundlesOf(
  { bundles, managed: { bundles: required } }: LoadedSettings,
  systemFolder: string | undefined,
): Bundles | undefined {
  if (bundles.length === 0 && required.length === 0) return undefined;
  const own = bundlePlaces(systemFolder).filter(
    (place) =>
      (required.length > 0 && place.source === 'system') ||
      bundles.some(({ index }) => index === place.index),
  );
  return { places: [...own, ...bundles.filter(({ isFleets }) => isFleets)], required };
}

/**
 * Compared with true, because the promise of an asynchronous host is not a yes; a host that cannot say does
 * not trust.
 */
function isTrustedNow({ isTrustedFolder }: SettingsConfigOptions): boolean {
  try {
    return isTrustedFolder === undefined || (isTrustedFolder() as unknown) === true;
  } catch {
    return false;
  }
}

const given = (settings: Settings): LoadedSettings => {
  const onFailure = failureDefault(settings);
  const switches = [switchOf('project', settings)];
  return {
    enabled: anySwitchedOn(switches),
    switches,
    sources: [
      {
        source: 'project',
        hooks: settings.hooks,
        ...(onFailure === 'block' && { onFailure }),
      },
    ],
    disabled: [{ source: 'project', names: disabledHooks(settings) }],
    failureDefaults: onFailure ? [{ source: 'project', onFailure }] : [],
    bundles: [],
    managed: managedBy([]),
    problems: [
      ...switchProblems({ values: settings }),
      ...managedProblems({ values: settings }, false),
    ],
    recheck: wantsRecheck(settings),
    unknown: [],
    untrusted: [],
  };
};
