import { isAbsolute } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import { readExtensions } from './extensions.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  bundlePlaces,
  environmentFileFault,
  environmentSettings,
  holdsBundles,
  reaches,
  realPath,
  type SettingsPlace,
  settingsPlaces,
} from './levels.ts';
import { type Managed, managedBy, managedProblems } from './managed.ts';
import { placeOf, type SettingsProblem } from '../../core/definitions/problem.ts';
import {
  danglingLink,
  folderReader,
  isThere,
  type ReadFolders,
  type ReadSettingsFile,
  settingsAtFirstSight,
  type SettingsFile,
  settingsReader,
} from './read-files.ts';
import {
  anySwitchedOn,
  disabledHooks,
  disabledLists,
  failureDefault,
  type LevelSwitch,
  switchOf,
  switchProblems,
  wantsRecheck,
} from './switches.ts';
import type { DisabledHooks, FailureDefault, FirstSight } from '../../core/definitions/settings.ts';
import type { BundlePlace, SettingsOwner } from '../../core/definitions/settings.ts';

/** The settings of all levels together. */
export interface LoadedSettings {
  /** Whether the settings' hooks of any source are switched on; undefined if no level mentions it. */
  readonly enabled: boolean | undefined;
  /** What each level says about switches. */
  readonly switches: readonly LevelSwitch[];
  /** The sources of hooks, the strongest first. */
  readonly sources: readonly HooksFromSource[];
  readonly disabled: readonly DisabledHooks[];
  /** What a failure means for hooks that do not say so, level by level. */
  readonly failureDefaults: readonly FailureDefault[];
  /** The levels that have policy bundles. The bundles are read when hooks are collected. */
  readonly bundles: readonly BundlePlace[];
  /** What the administrator enforces. */
  readonly managed: Managed;
  /** Whether any level wants hooks to be asked again after others changed what they had judged. */
  readonly recheck: boolean;
  /** Problems with the files themselves; the registry checks the hooks in them. */
  readonly problems: readonly SettingsProblem[];
  /** Set if the system's file exists but its guards are unknown. */
  readonly brokenSystem?: SettingsProblem | undefined;
  /**
   * Files of other sources that exist but could not be read or parsed, so that their guards are unknown.
   */
  readonly unknown: readonly UnknownFile[];
  /**
   * What a first look at an untrusted project's settings showed; empty if the project is trusted or has none.
   */
  readonly untrusted: readonly { readonly owner: SettingsOwner; readonly sight: FirstSight }[];
}

/** A file whose hooks are unknown. */
interface UnknownFile {
  /** The file could not even be read. */
  readonly isUnread: boolean;
  readonly source: HookSource;
  readonly owner: SettingsOwner;
  readonly problem: SettingsProblem;
}

/** Optional inputs for loading settings. */
interface LoadSettingsOptions {
  /** Whether the user trusts the project; called only if it has a settings file. Default: yes. */
  readonly isTrusted?: (() => boolean) | undefined;
  /** The folder of administrators' settings; for tests. */
  readonly systemFolder?: string | undefined;
}

interface Level extends SettingsFile {
  readonly source: HookSource;
  readonly owner: SettingsOwner;
  /** The environment names the file: it may add hooks and nothing else. */
  readonly isAdded: boolean;
}

/** Reads the settings of the project, the user and the system, and those of extensions. */
export function loadSettings(
  cwd: string,
  read: ReadSettingsFile = settingsReader(),
  foldersIn: ReadFolders = folderReader(),
  { isTrusted = () => true, systemFolder }: LoadSettingsOptions = {},
): LoadedSettings {
  const { levels, untrusted, faults, managed } = readLevels(cwd, read, isTrusted, systemFolder);
  const own = levels.filter(({ isAdded }) => !isAdded);
  const extensions = readExtensions(cwd, read, foldersIn);
  const broken = own.find((level) => level.source === 'system' && level.broken !== undefined);
  const unknown = [...levels.filter((level) => level !== broken), ...extensions.files].filter(
    ({ broken: why }) => why?.isStale === false,
  );
  const switches = own.map((level) => switchOf(level.source, level.values, level));
  return {
    enabled: anySwitchedOn(switches),
    switches,
    sources: [...levels.map(sourceOf), ...extensions.sources],
    disabled: own.map(({ source, file, values }) => ({
      source,
      file,
      names: disabledHooks(values),
    })),
    failureDefaults: defaultsOf(own, managed),
    bundles: bundlePlaces(systemFolder).filter(holdsBundles),
    managed,
    recheck: own.some(({ values }) => wantsRecheck(values)),
    problems: [
      ...faults,
      ...managed.unmet,
      ...levels.flatMap((level) => [
        ...(level === broken ? [brokenProblem(level)] : level.problems),
        ...(level.isAdded ? withoutAuthority(level) : switchProblems(level)),
        ...(level.isAdded ? [] : managedProblems(level, level.source === 'system')),
      ]),
      ...extensions.problems,
    ],
    brokenSystem: broken && brokenProblem(broken),
    unknown: unknown.flatMap((file) => {
      const problem = file.problems.at(-1);
      const owner = 'owner' in file ? file.owner : 'llxprt';
      const isUnread = file.broken!.isUnread;
      return problem ? [{ source: file.source, owner, problem, isUnread }] : [];
    }),
    untrusted,
  };
}

/** What the files of all levels say, before it is put together. */
interface ReadLevels {
  readonly levels: readonly Level[];
  readonly untrusted: LoadedSettings['untrusted'];
  /** Why files that the environment names were ignored. */
  readonly faults: readonly SettingsProblem[];
  readonly managed: Managed;
}

function readLevels(
  cwd: string,
  read: ReadSettingsFile,
  isTrusted: () => boolean,
  systemFolder: string | undefined,
): ReadLevels {
  const faults: SettingsProblem[] = [];
  const levels: Level[] = [];
  const untrusted: LoadedSettings['untrusted'][number][] = [];
  const managed = (): Managed =>
    managedBy(levels.filter(({ source, isAdded }) => source === 'system' && !isAdded));
  for (const { source, owner, file, variable } of files(cwd, systemFolder)) {
    if (source === 'project' && isThere(file) && !isTrusted()) {
      untrusted.push({ owner, sight: settingsAtFirstSight(file) });
      continue;
    }
    // Files that the environment names come last.
    const fault = variable === undefined ? undefined : addedFault(variable, file, managed());
    if (fault) faults.push(fault);
    const found = fault ? undefined : read(file);
    if (found) levels.push({ source, owner, isAdded: variable !== undefined, ...found });
    else {
      const link = variable === undefined ? danglingLink(file) : undefined;
      if (link) levels.push({ source, owner, isAdded: false, ...link });
    }
  }
  return { levels, untrusted, faults, managed: managed() };
}

const sourceOf = ({ source, owner, file, values, locate, isAdded }: Level): HooksFromSource => ({
  source,
  owner,
  file,
  hooks: values['hooks'],
  ...(owner === 'hookmachine' && values['guards'] !== undefined && { guards: values['guards'] }),
  ...(owner === 'hookmachine' && values['budget'] !== undefined && { budget: values['budget'] }),
  locate,
  ...(isAdded && { isAdded }),
  ...(!isAdded && failureDefault(values) === 'block' && { onFailure: 'block' as const }),
});

const defaultsOf = (levels: readonly Level[], { blocksOnFailure }: Managed): FailureDefault[] => [
  ...(blocksOnFailure ? [{ source: 'system', onFailure: 'block', isManaged: true } as const] : []),
  ...levels.flatMap(({ source, values }) => {
    const onFailure = failureDefault(values);
    return onFailure ? [{ source, onFailure }] : [];
  }),
];

/**
 * Whether a failure denies if neither a hook of this source nor its file says so: the strictest setting of
 * its own level and of stronger ones decides.
 */
export const blocksByDefault = (
  defaults: readonly FailureDefault[],
  hooksOf: HookSource,
): boolean =>
  defaults.some(({ source, onFailure }) => onFailure === 'block' && reaches(source, hooksOf));

/** Returns why a file that the environment names is ignored. */
function addedFault(
  variable: string,
  file: string,
  { forbid, onlyManagedHooks }: Managed,
): SettingsProblem | undefined {
  const by = forbid.get(variable) ?? onlyManagedHooks;
  return by === undefined
    ? environmentFileFault(variable, file)
    : {
        file,
        place: '',
        message: `is named by ${variable}, which has no effect according to ${by}, so it was ignored`,
        fix: 'only an administrator can change that',
      };
}

/** The keys by which settings affect the hooks of other files. */
const powers = [
  ['tools', 'enableHooks'],
  ['enableHooks'],
  ['hooksConfig', 'enabled'],
  ['hooks', 'enabled'],
  ...disabledLists,
  ['hooksConfig', 'defaultOnFailure'],
  ['defaultOnFailure'],
  ['managed'],
] as const;

/** Reports what a file that the environment names says besides hooks; all of it is ignored. */
function* withoutAuthority({ file, values, locate }: Level): Generator<SettingsProblem> {
  for (const path of powers) {
    const value = path.reduce<unknown>(
      (inner, key) => (isRecord(inner) ? inner[key] : undefined),
      values,
    );
    if (value !== undefined)
      yield {
        file,
        ...(locate && { at: locate(path) }),
        place: placeOf(path),
        message: 'a file that the environment names may only add hooks, so this was ignored',
        fix: 'set it in your own or in system settings',
      };
  }
}

const brokenProblem = ({ file, problems, broken }: SettingsFile): SettingsProblem => ({
  ...problems.at(-1)!,
  file,
  place: '',
  message: `${broken!.fault}, so what it guards is unknown, and prompts, model calls and tools are denied until it is fixed`,
});

interface FileOfLevel extends SettingsPlace {
  /** The environment variable that names it. */
  readonly variable?: string;
}

/**
 * Lists the files of all levels. A file that serves two levels counts as the last: in the home folder, the
 * project's file is the user's. A file that the environment names as well gains nothing by that.
 */
function files(cwd: string, systemFolder: string | undefined): FileOfLevel[] {
  const all: FileOfLevel[] = [
    ...environmentSettings().map(({ variable, file }) => ({
      source: 'system' as const,
      owner: 'llxprt' as const,
      file,
      variable,
    })),
    ...settingsPlaces(cwd, systemFolder),
  ];
  const byPath = new Map(all.map((level) => [realPath(level.file), level]));
  const kept = all.filter(
    (level) => byPath.get(realPath(level.file)) === level || !isAbsolute(level.file),
  );
  const isAdded = ({ variable }: FileOfLevel): boolean => variable !== undefined;
  return [...kept.filter((level) => !isAdded(level)), ...kept.filter(isAdded)];
}
