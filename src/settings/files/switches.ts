import { authorities, type HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { reaches } from './levels.ts';
import {
  collectProblems,
  type Path,
  placeOf,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { type Field, fits } from '../format/field.ts';
import { configFields, reservedFields, topFields, toolsFields } from '../format/settings-fields.ts';
import type { SettingsFile } from './read-files.ts';
import type { SettingsOwner } from '../../core/definitions/settings.ts';

/** The keys that switch hooks on or off; `of` says whose hooks a `false` switches off. */
const gates = [
  { path: ['tools', 'enableHooks'], of: 'settings' },
  { path: ['enableHooks'], of: 'settings' },
  { path: ['hooksConfig', 'enabled'], of: 'all' },
  { path: ['hooks', 'enabled'], of: 'all' },
] as const;

/** The keys that list disabled hooks. */
export const disabledLists = [
  ['hooksConfig', 'disabled'],
  ['hooks', 'disabled'],
] as const;

/** The keys that say what a failure means for hooks that do not say so themselves. */
const failureDefaults = [['hooksConfig', 'defaultOnFailure'], ['defaultOnFailure']] as const;

type Values = Readonly<Record<string, unknown>>;

const valueAt = (values: Values, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), values);

/** What one level says about switches. */
export interface LevelSwitch {
  readonly source: HookSource;
  readonly file?: string | undefined;
  /**
   * Whether the settings' hooks are on: a `false` on any gate switches them off, otherwise a single `true`
   * switches them on; undefined if no gate is set.
   */
  readonly word: boolean | undefined;
  /** The gate that is false, if any, such as `tools.enableHooks`. */
  readonly offAt?: string | undefined;
  /** Whether hooks of every dialect are switched off, including those that need no switch. */
  readonly endsAll: boolean;
}

/**
 * Returns what one level's settings say about switches. Our own settings need none, so a `true` there
 * switches nothing on, and a `false` switches off the hooks of every dialect.
 */
export function switchOf(
  source: HookSource,
  values: Values,
  { file, owner }: { readonly file?: string; readonly owner?: SettingsOwner } = {},
): LevelSwitch {
  const isOurs = owner === 'hookmachine';
  const states = gates.map(({ path, of }) => ({ path, of, value: valueAt(values, path) }));
  const off = states.filter(({ value }) => value === false);
  // The gate with the wider reach is the one named.
  const named = off.find(({ of }) => of === 'all') ?? off[0];
  return {
    source,
    file,
    word: named ? false : (!isOurs && states.some(({ value }) => value === true)) || undefined,
    offAt: named && placeOf(named.path),
    endsAll: named !== undefined && (isOurs || named.of === 'all'),
  };
}

/**
 * Whether a source's hooks are on. A `false` applies to hooks of its own level and of weaker ones; a `true`
 * on any level switches on every hook that no such `false` applies to. Hooks that need no switch are
 * off only if a level switches off those of every dialect.
 */
export function isSwitchedOn(
  levels: readonly LevelSwitch[],
  source: HookSource,
  needsSwitch: boolean,
): boolean {
  if (offFor(levels, source, needsSwitch)) return false;
  return !needsSwitch || levels.some(({ word }) => word === true);
}

/** Whether the settings' hooks of any source are on; undefined if no level mentions it. */
export const anySwitchedOn = (levels: readonly LevelSwitch[]): boolean | undefined =>
  levels.some(({ word }) => word !== undefined)
    ? authorities.some((source) => isSwitchedOn(levels, source, true))
    : undefined;

/** Returns the strongest level that switches a source's hooks off. */
export const offFor = (
  levels: readonly LevelSwitch[],
  source: HookSource,
  needsSwitch: boolean,
): LevelSwitch | undefined =>
  authorities
    .flatMap((authority) => levels.filter((level) => level.source === authority))
    .find(
      (level) =>
        reaches(level.source, source) && (needsSwitch ? level.word === false : level.endsAll),
    );

/**
 * Returns what a failure means for hooks of one level and of weaker ones that do not say so; undefined if the
 * level does not say.
 */
export function failureDefault(values: Values): 'allow' | 'block' | undefined {
  const words = failureDefaults
    .map((path) => valueAt(values, path))
    .filter((value) => value !== undefined && value !== null);
  if (words.length === 0) return undefined;
  // Anything but "allow" means that a guard is wanted, as with a hook's own `onFailure`.
  return words.every((value) => allowing.includes(value)) ? 'allow' : 'block';
}

/** The words for a failure that lets the operation continue; `continue` is Claude Code's. */
const allowing: readonly unknown[] = ['allow', 'continue'];

/** Whether one level wants hooks to be asked again after others changed what they had judged. */
export const wantsRecheck = (values: Values): boolean =>
  valueAt(values, ['hooksConfig', 'recheck']) === true;

/** Returns the names and commands of hooks that one level disables. */
export const disabledHooks = (values: Values): string[] =>
  disabledEntries(values).map(({ entry }) => entry);

/** Returns the disabled hooks of one level, each with the list that names it, such as `hooksConfig.disabled`. */
export const disabledEntries = (values: Values): { entry: string; place: string }[] =>
  disabledLists.flatMap((list) =>
    entries(valueAt(values, list))
      .filter(isString)
      .map((entry) => ({ entry, place: placeOf(list) })),
  );

const entries = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const isString = (value: unknown): value is string => typeof value === 'string';
/** The single values among them, each with what it may be. */
const singleValues: readonly (readonly [Path, Field])[] = [
  [['tools', 'enableHooks'], toolsFields.enableHooks],
  [['enableHooks'], topFields.enableHooks],
  [['hooksConfig', 'enabled'], configFields.enabled],
  [['hooks', 'enabled'], reservedFields.enabled],
  [['hooksConfig', 'recheck'], configFields.recheck],
];

/** Reports switches and lists of the wrong type. */
export function switchProblems({
  file,
  values,
  locate,
}: Pick<SettingsFile, 'values' | 'locate'> & { file?: string }): SettingsProblem[] {
  const lists = disabledLists.map((path) => ({ path, value: valueAt(values, path) }));
  const checks = [
    ...singleValues.map(([path, field]) => ({ path, field, value: valueAt(values, path) })),
    ...failureDefaults.map((path) => ({
      path,
      field: topFields.defaultOnFailure,
      value: valueAt(values, path) ?? undefined,
    })),
  ];
  return collectProblems({ ...(file !== undefined && { file }), locate }, (complain) => {
    for (const { path, field, value } of checks)
      if (value !== undefined && !fits(field, value))
        complain(() => ({
          path,
          message: `${said(value)}, so ${field.fate ?? 'it was ignored'}`,
          fix: field.fix,
        }));
    for (const { path, value } of lists)
      if (value !== undefined && !Array.isArray(value))
        complain(() => ({
          path,
          message: `${said(value)}, so it was ignored`,
          fix: configFields.disabled.fix,
        }));
    // Checked one by one, because a list may hold millions.
    for (const { path, value } of lists)
      for (const [index, entry] of entries(value).entries())
        if (!isString(entry))
          complain(() => ({
            path: [...path, index],
            message: `${said(entry)}, so it was ignored`,
            fix: 'make it the name or the command of a hook',
          }));
  });
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** How a list of disabled hooks names a hook of one dialect alone. */
export const nameIn = (dialect: string, name: string): string => `${dialect}:${name}`;

/**
 * Whether a hook is in a list of names and commands, alone or with its dialect; the list may be as long as that
 * of all hooks.
 */
export function isListed(
  names: readonly string[],
  {
    name,
    command,
    dialect,
  }: Pick<HookDefinition, 'name' | 'command'> & { readonly dialect?: string },
): boolean {
  const listed = sets.get(names) ?? new Set(names);
  sets.set(names, listed);
  return [name, command].some(
    (one) => listed.has(one) || (dialect !== undefined && listed.has(nameIn(dialect, one))),
  );
}
