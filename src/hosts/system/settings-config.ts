import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { resolve } from 'node:path';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { once } from '../../base/once.ts';
import { tellOnce, warnPlainly } from '../../base/log.ts';
import { authorities, type HookSource } from '../../core/protocol/events.ts';
import { bundlePlaces, fleetPlace, realPath, settingsPlaces } from '../../settings/files/levels.ts';
import {
  blocksByDefault,
  loadSettings,
  type LoadedSettings,
} from '../../settings/files/load-settings.ts';
import { managedBy, managedProblems } from '../../settings/files/managed.ts';
import { formatProblem, type SettingsProblem } from '../../core/definitions/problem.ts';
import { folderReader, settingsReader } from '../../settings/files/read-files.ts';
import type { Settings, SettingsInCode } from '../../settings/format/json-schema.ts';
import {
  hasHooks,
  offNote,
  takenNote,
  untrustedNote,
  waitsForSwitch,
} from '../../settings/files/settings-notes.ts';
import {
  anySwitchedOn,
  disabledHooks,
  failureDefault,
  isSwitchedOn,
  offFor,
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
  SettingsOwner,
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
  { beforeReading, isReported }: SettingsReading = {},
): SettingsConfig {
  const cwd = resolve(options.cwd);
  let { sessionId } = options;
  let fleets: BundlePlace | undefined;
  const read = settingsReader();
  const foldersIn = folderReader();
  const tell = tellOnce((line) => warnPlainly(options.onWarning, line));
  const onNote =
    options.onNote ?? ((note) => note.kind !== 'off' && tell(formatProblem(note.problem)));
  const load = (): Loaded => {
    const isTrusted = once(() => options.settings !== undefined || isTrustedNow(options));
    const levels = options.settings
      ? given(options.settings as Settings)
      : loadSettings(cwd, read, foldersIn, { isTrusted, systemFolder: options.systemFolder });
    const settings = fleets ? { ...levels, bundles: [...levels.bundles, fleets] } : levels;
    const judged = judge(settings, options, dialects(), cwd, isTrusted);
    if (options.enableHooks === undefined) for (const note of judged.notes()) onNote(note);
    // With hooks off, no registry will be created that could report a broken file.
    if (!judged.isOn && isReported?.() !== true)
      for (const problem of settings.problems.map(formatProblem))
        if (options.wasReported?.(problem) !== true) tell(problem);
    return judged;
  };
  let loaded: Loaded | undefined;
  const settings = (): Loaded => {
    beforeReading?.();
    return loaded?.dialects === dialects() ? loaded : (loaded = load());
  };
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
      fleets =
        folder !== undefined && canRun ? fleetPlace(folder, options.systemFolder) : undefined;
      return fleets;
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
    reloadSettings: () => {
      loaded = load();
    },
    ...(options.isTrustedFolder && { isTrustedFolder: () => options.isTrustedFolder!() }),
    ...(options.wasReported && { wasReported: (problem) => options.wasReported!(problem) }),
    ...(options.runsElsewhere && { runsElsewhere: (hook) => options.runsElsewhere!(hook) }),
    ...(options.checkTrust && { checkTrust: (hook) => options.checkTrust!(hook) }),
    ...(options.verifyTrust && { verifyTrust: (hook) => options.verifyTrust!(hook) }),
    ...(options.outlive && { outlive: (hook) => options.outlive!(hook) }),
    ...(options.getHookModel && { getHookModel: (name) => options.getHookModel!(name) }),
    ...(options.onUnready && { onUnready: options.onUnready }),
    ...(options.onWarning && { onWarning: options.onWarning }),
    ...(options.inspect && { inspect: options.inspect }),
  };
}

/** Created on demand: it loads `node:crypto`, and a session without hooks is never asked for its id. */
const newSessionId = (): string => process.getBuiltinModule('node:crypto').randomUUID();

interface Loaded extends LoadedSettings {
  /** The dialects that the settings were evaluated for. */
  readonly dialects: readonly Dialect[];
  readonly isOn: boolean;
  readonly isSourceOn: (source: HookSource, needsSwitch: boolean) => boolean;
  readonly isTrusted: () => boolean;
  readonly denying: readonly SettingsProblem[];
  readonly unreadProblems: readonly SettingsProblem[];
  /** The note about the project's hooks when nobody trusts them; undefined if there are none. */
  readonly untrustedHooks: () => SettingsNote | undefined;
  readonly notes: () => readonly SettingsNote[];
}

/** What the settings mean for this session. */
function judge(
  settings: LoadedSettings,
  options: SettingsConfigOptions,
  dialects: readonly Dialect[],
  cwd: string,
  isTrusted: () => boolean,
): Loaded {
  const { switches, sources, brokenSystem, failureDefaults, untrusted, managed } = settings;
  const { enableHooks, extensions = [] } = options;
  const areOnlySystems = enableHooks === 'system' || managed.onlyManagedHooks !== undefined;
  const mayRun = (source: HookSource): boolean => !areOnlySystems || source === 'system';
  const isSourceOn = (source: HookSource, needsSwitch: boolean): boolean =>
    mayRun(source) && isSwitchedOn(switches, source, needsSwitch);
  // A level that is on only because another says so counts as on only if it has hooks.
  const canHaveHooks = (source: HookSource): boolean =>
    switches.some((level) => level.source === source && level.word === true) ||
    sources.some((from) => from.source === source && waitsForSwitch(from) && hasHooks(from)) ||
    (source === 'extension' && extensions.length > 0);
  const areSettingsOn = (): boolean =>
    settings.enabled === true &&
    authorities.some((source) => isSourceOn(source, true) && canHaveHooks(source));
  const hasOwn = (owner: SettingsOwner): boolean =>
    sources.some(
      (from) => from.owner === owner && hasHooks(from) && isSourceOn(from.source, false),
    );
  const areThere = (source: HookSource): boolean =>
    isSourceOn(source, false) && (source !== 'project' || isTrusted());
  const unknown = settings.unknown.filter(
    (file) =>
      mayRun(file.source) && offFor(switches, file.source, waitsForSwitch(file)) === undefined,
  );
  const denying =
    enableHooks === false
      ? []
      : [
          ...(brokenSystem ? [brokenSystem] : []),
          ...managed.unmet,
          ...unknown
            .filter(({ source }) => blocksByDefault(failureDefaults, source))
            .map(({ problem }) => problem),
        ];
  const unread = unknown.filter(({ isUnread }) => isUnread);
  const hasBundles =
    dialects.some(isOurs) &&
    (managed.bundles.length > 0 ||
      settings.bundles.some(({ source }) => isSourceOn(source, false)));
  const isOn =
    enableHooks !== false &&
    // What a file that cannot be read contains is unknown: it is tried again at each event.
    (denying.length > 0 ||
      unread.length > 0 ||
      managed.audit !== undefined ||
      hasBundles ||
      dialects.some((dialect) =>
        dialect.needsSwitch
          ? areSettingsOn()
          : dialect.settings
            ? hasOwn(dialect.settings)
            : dialect.mayBeIn(cwd, areThere),
      ));
  const hint = options.trustHint ?? 'trust it to have its hooks run';
  const isLookedAt = (dialect: Dialect): boolean =>
    mayRun('project') && offFor(switches, 'project', dialect.needsSwitch) === undefined;
  const untrustedHooks = (): SettingsNote | undefined => {
    const sights = dialects.filter(isLookedAt).flatMap((dialect) => {
      const own = untrusted.filter(({ owner }) => owner === dialect.settings);
      return [...own.map(({ sight }) => sight), dialect.atFirstSight?.(cwd) ?? []].flat();
    });
    // Trust is asked about only if there is something to trust.
    return sights.length === 0 || isTrusted()
      ? undefined
      : untrustedNote(realPath(cwd), sights, hint);
  };
  return {
    ...settings,
    dialects,
    isOn,
    isSourceOn,
    isTrusted,
    denying,
    unreadProblems: unread.map(({ problem }) => problem),
    untrustedHooks,
    notes: () =>
      [
        untrustedHooks(),
        takenNote(settings, (source) =>
          dialects.some(
            (dialect) => !dialect.settings && dialect.mayBeIn(cwd, (of) => of === source),
          ),
        ),
        dialects.some((dialect) => dialect.needsSwitch) && !areOnlySystems
          ? offNote(settings, switchFile(cwd) ?? 'your settings.json')
          : undefined,
      ].filter((note) => note !== undefined),
  };
}

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

/** Whether this is the dialect that bundles are written in. */
const isOurs = ({ settings }: Dialect): boolean => settings === 'hookmachine';

/** The file in which a user switches on the dialects that need it. */
const switchFile = (cwd: string): string | undefined =>
  settingsPlaces(cwd).find((place) => place.source === 'user' && waitsForSwitch(place))?.file;

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
