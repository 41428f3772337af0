import { isRecord } from '../protocol/output.ts';
import { placeOf, said, type SettingsProblem } from './problem.ts';
import type { SettingsFile } from './read-settings-file.ts';

/** The keys that switch hooks on or off (C-01). */
const gates = [
  ['tools', 'enableHooks'],
  ['enableHooks'],
  ['hooksConfig', 'enabled'],
  ['hooks', 'enabled'],
] as const;

/** The keys that list disabled hooks (C-04). */
export const disabledLists = [
  ['hooksConfig', 'disabled'],
  ['hooks', 'disabled'],
] as const;

type Values = Readonly<Record<string, unknown>>;

const valueAt = (values: Values, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), values);

/**
 * Whether hooks are on: an explicit false on any gate switches them off, else one true switches
 * them on (C-01); undefined when no gate is set. `levels` are settings from the strongest to the
 * weakest; the strongest that sets a gate sets it for all. What the first one says stands, whatever
 * gates the others set: no project switches an administrator's guards off.
 */
export const hooksEnabled = (levels: readonly Values[]): boolean | undefined =>
  switched(levels.slice(0, 1)) ?? switched(levels);

function switched(levels: readonly Values[]): boolean | undefined {
  const states = gates.map((gate) =>
    levels.map((values) => valueAt(values, gate)).find((value) => typeof value === 'boolean'),
  );
  return states.includes(false) ? false : states.find((state) => state === true);
}

/** Names and commands of hooks that one level disables. */
export const disabledHooks = (values: Values): string[] =>
  disabledEntries(values).map(({ entry }) => entry);

/** The same, with the list that each stands in, such as `hooksConfig.disabled`. */
export const disabledEntries = (values: Values): { entry: string; place: string }[] =>
  disabledLists.flatMap((list) =>
    entries(valueAt(values, list))
      .filter(isString)
      .map((entry) => ({ entry, place: placeOf(list) })),
  );

const entries = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** Switches and lists of the wrong type. */
export function* switchProblems({
  file,
  values,
  locate,
}: Pick<SettingsFile, 'values' | 'locate'> & { file?: string }): Generator<SettingsProblem> {
  const lists = disabledLists.map((path) => ({ path, value: valueAt(values, path) }));
  const checks = [
    ...gates.map((path) => ({
      path,
      value: valueAt(values, path),
      fits: isBoolean,
      mend: 'make it true or false',
    })),
    ...lists.map((list) => ({
      ...list,
      fits: Array.isArray,
      mend: 'make it an array of hook names or commands',
    })),
    ...lists.flatMap(({ path, value: list }) =>
      entries(list).map((value, index) => ({
        path: [...path, index],
        value,
        fits: isString,
        mend: 'make it the name or the command of a hook',
      })),
    ),
  ];
  for (const { path, value, fits, mend } of checks)
    if (value !== undefined && !fits(value))
      yield {
        ...(file !== undefined && { file }),
        ...(locate && { at: locate(path) }),
        place: placeOf(path),
        message: `${said(value)}, so it was ignored`,
        mend,
      };
}
