import { authorities, type HookEventName, type HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { reaches } from '../../settings/files/levels.ts';
import {
  type Checked,
  type SettingsProblem,
  unknownGuard,
} from '../../core/definitions/problem.ts';
import {
  danglingLink,
  type ReadSettingsFile,
  type SettingsFile,
} from '../../settings/files/read-files.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { said } from '../../base/message-of.ts';
import type { HostPlace } from './host-places.ts';

/** A settings file of a host that exists. */
export interface HostLevel extends SettingsFile {
  readonly source: HookSource;
}

/** Reads those of these files that exist and count for the site. */
export const readLevels = (
  places: readonly HostPlace[],
  site: HookSite,
  read: ReadSettingsFile,
): HostLevel[] =>
  places
    .filter(({ source }) => source !== 'project' || site.ignoresProject !== true)
    .flatMap(({ source, file, fault }) => {
      if (fault) return [{ source, file, ...unlisted(file, fault) }];
      const found = read(file, false) ?? (source === 'system' ? danglingLink(file) : undefined);
      return found ? [{ source, ...found }] : [];
    });

/** Describes a folder whose files could not all be listed. */
const unlisted = (
  file: string,
  { message, fate, fix }: NonNullable<HostPlace['fault']>,
): Omit<SettingsFile, 'file'> => ({
  values: {},
  problems: [{ file, place: '', message: `${message}, so ${fate}`, fix }],
  broken: { fault: message, isUnread: true, isStale: false },
});

/**
 * Returns hooks that deny these events in place of the hooks in an unreadable file: always for the
 * administrator's, for any other if a failure denies and its hooks are not off.
 */
export function unknownGuards(
  { source, file, problems, broken }: Pick<HostLevel, 'source' | 'file' | 'problems' | 'broken'>,
  events: readonly { readonly event: HookEventName; readonly nativeEvent?: string }[],
  { deniesUnknown }: HookSite,
  isOff: (source: HookSource) => boolean = () => false,
): HookDefinition[] {
  if (broken === undefined || broken.isStale) return [];
  const isSystems = source === 'system';
  if (!isSystems && (isOff(source) || deniesUnknown?.(source) !== true)) return [];
  const why = `${file} ${broken.fault}, so what it guards is unknown; ${problems.at(-1)!.fix}`;
  const name = isSystems ? "the administrator's settings" : file;
  return events.map((event) => unknownGuard({ ...event, source, file, name, place: 'hooks' }, why));
}

/** The hooks of one file, and the switch that turns them off, if there is one. */
interface SwitchedHooks<From> {
  readonly from: From;
  readonly off: OffSwitch | undefined;
}

/** What was read of a host's files. */
interface ReadFiles<From> {
  readonly site: HookSite;
  readonly sources: readonly SwitchedHooks<From>[];
  /** All files, with those that have no hooks of their own. */
  readonly files: readonly HostLevel[];
  /** The events that are denied while it is unknown which hooks guard them. */
  readonly guards: Parameters<typeof unknownGuards>[1];
  /** Whether a switch turns the hooks of a source off; default: none does. */
  readonly isOff?: (source: HookSource) => boolean;
  /** What is wrong with the files themselves. */
  readonly problems: readonly SettingsProblem[];
  /** Checks the hooks of one file. */
  readonly define: (from: From) => Checked<HookDefinition>;
}

/** Returns the hooks of a host's files, except those that a switch turns off, and hooks for unknown guards. */
export function foundHooks<From extends HooksFromSource>({
  site,
  sources,
  files,
  guards,
  isOff,
  problems,
  define,
}: ReadFiles<From>): FoundHooks {
  const checked = sources.filter(({ off }) => off === undefined).map(({ from }) => define(from));
  return {
    definitions: [
      ...files.flatMap((file) => unknownGuards(file, guards, site, isOff)),
      ...checked.flatMap(({ definitions }) => definitions),
    ],
    problems: [
      ...problems,
      ...checked.flatMap((one) => one.problems),
      ...sources.flatMap(({ from, off }) => (off ? takenAway(from, off) : [])),
    ],
    unasked: [],
  };
}

/** What a level's file says, for checking the hooks in it. */
export const hooksOfLevel = ({ source, file, values, locate }: HostLevel) => ({
  source,
  file,
  locate,
  hooks: values['hooks'],
});

/** Reports a file of hooks that a plugin names and that does not exist. */
const missingHooks = (file: string): SettingsProblem => ({
  file,
  place: '',
  message: 'is where a plugin says that its hooks are, and does not exist',
  fix: 'install the plugin again, or disable it',
  lost: { sources: ['extension'] },
});

/**
 * Reads the hook files of a plugin: the usual ones, which may be missing, and those that it names. `from` is
 * absent for a named file that does not exist.
 */
export const pluginHooks = (
  usual: readonly string[],
  named: readonly string[],
  read: ReadSettingsFile,
) =>
  [...new Set([...usual, ...named])].flatMap((file) => {
    const found = read(file, false);
    if (found === undefined && !named.includes(file)) return [];
    const missing: SettingsFile = { file, values: {}, problems: [missingHooks(file)] };
    const level: HostLevel = { source: 'extension', ...(found ?? missing) };
    return [{ level, from: found && hooksOfLevel(level) }];
  });

/** The hooks of the plugins that a file lists, the files that were read for them, and what is wrong with those. */
export const hooksOfPlugins = <From extends HooksFromSource>(
  list: SettingsFile | undefined,
  found: readonly { readonly level: HostLevel; readonly from: From | undefined }[],
) => ({
  sources: found.map(({ from }) => from).filter((from) => from !== undefined),
  files: [
    ...(list ? [{ source: 'extension', ...list } as const] : []),
    ...found.map(({ level }) => level),
  ],
  problems: [...(list?.problems ?? []), ...found.flatMap(({ level }) => level.problems)],
});

/** Reports keys at the top of a file whose value is not what it should be. */
export const wrongKeys = (
  { file, values, locate }: HostLevel,
  keys: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, fix: string]>>,
): SettingsProblem[] =>
  Object.entries(keys)
    .filter(([key, [fits]]) => values[key] !== undefined && !fits(values[key]))
    .map(([key, [, fix]]) => ({
      file,
      ...(locate && { at: locate([key]) }),
      place: key,
      message: `${said(values[key])}, so it was ignored`,
      fix,
    }));

/** What a switch must be, for `wrongKeys`. */
export const aFlag = [
  (value: unknown): boolean => typeof value === 'boolean',
  'make it true or false',
] as const;

/** The value of a switch that is true or false. */
export const flagIn = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/** A level that switches hooks off, and the key that does it. */
export interface OffSwitch {
  readonly level: HostLevel;
  readonly key: string;
}

/**
 * Returns the switch that turns a source's hooks off. A switch reaches hooks of its own level and of
 * weaker ones. Among a level's files the last one that sets the switch counts; `isOff` returns
 * undefined for a file that does not set it.
 */
export function switchFor(
  levels: readonly HostLevel[],
  hooksOf: HookSource,
  key: string,
  isOff: (values: HostLevel['values']) => boolean | undefined,
): OffSwitch | undefined {
  for (const source of authorities.filter((authority) => reaches(authority, hooksOf))) {
    const level = levels
      .filter((one) => one.source === source && isOff(one.values) !== undefined)
      .at(-1);
    if (level && isOff(level.values) === true) return { level, key };
  }
  return undefined;
}

/** Turns off all hooks but an administrator's own, if an administrator's file says so with this key. */
export function onlyManaged(
  levels: readonly HostLevel[],
  hooksOf: HookSource,
  key: string,
): OffSwitch | undefined {
  const level = levels.find(({ source, values }) => source === 'system' && values[key] === true);
  return level && hooksOf !== 'system' ? { level, key } : undefined;
}

/**
 * Reports once per file that a stronger level's switch turns its hooks off. A switch of the file's own
 * level is not reported, because it was set on purpose.
 */
const takenAway = (
  { source, file, hooks }: HooksFromSource,
  { level, key }: OffSwitch,
): SettingsProblem[] =>
  level.source === source || !isRecord(hooks) || Object.keys(hooks).length === 0
    ? []
    : [
        {
          ...(file !== undefined && { file }),
          place: 'hooks',
          message: `these hooks are off because of "${key}" in ${level.file}`,
          fix: 'ask whoever is responsible for that file',
          code: 'off',
        },
      ];
