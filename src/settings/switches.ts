import { isRecord } from '../protocol/output.ts';
import type { SettingsProblem } from './problem.ts';
import type { SettingsFile } from './read-settings-file.ts';

/** The keys that switch hooks on or off (C-01). */
const gates = [
  ['tools', 'enableHooks'],
  ['enableHooks'],
  ['hooksConfig', 'enabled'],
  ['hooks', 'enabled'],
] as const;

/** The keys that list disabled hooks (C-04). */
const disabledLists = [
  ['hooksConfig', 'disabled'],
  ['hooks', 'disabled'],
] as const;

type Values = Readonly<Record<string, unknown>>;

const valueAt = (values: Values, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), values);

/**
 * Whether hooks are on: an explicit false on any gate switches them off, else one true switches
 * them on (C-01). `levels` are settings from the strongest to the weakest; the strongest that sets a
 * gate sets it for all.
 */
export function hooksEnabled(levels: readonly Values[]): boolean {
  const states = gates.map((gate) =>
    levels.map((values) => valueAt(values, gate)).find((value) => typeof value === 'boolean'),
  );
  return !states.includes(false) && states.includes(true);
}

/** Names and commands of hooks that one level disables. */
export function disabledHooks(values: Values): string[] {
  return disabledLists
    .flatMap((list) => valueAt(values, list) ?? [])
    .filter((name) => typeof name === 'string');
}

/** Switches and lists of the wrong type. */
export function* switchProblems({
  file,
  values,
  locate,
}: SettingsFile): Generator<SettingsProblem> {
  const problem = (path: readonly string[], mend: string): SettingsProblem => {
    const at = locate(path);
    return {
      file,
      ...(at && { at }),
      place: path.join('.'),
      message: `is ${JSON.stringify(valueAt(values, path))} and was ignored`,
      mend,
    };
  };
  for (const gate of gates) {
    const value = valueAt(values, gate);
    if (value !== undefined && typeof value !== 'boolean')
      yield problem(gate, 'make it true or false');
  }
  for (const list of disabledLists) {
    const value = valueAt(values, list);
    if (
      value !== undefined &&
      !(Array.isArray(value) && value.every((name) => typeof name === 'string'))
    )
      yield problem(list, 'make it an array of hook names or commands');
  }
}
