import { HookmachineError } from '../errors.ts';
import { isRecord } from '../protocol/output.ts';
import { readExactly, replaceFile } from './edit-settings-file.ts';
import { addToList, removeFromList } from './edit-settings-text.ts';
import { parseJson } from './parse-json.ts';
import { formatProblem, placeOf, said, type SettingsProblem } from './problem.ts';
import { refusals } from './read-bounded.ts';
import { disabledEntries, disabledLists } from './switches.ts';

/** A settings file that cannot be edited; its message says where, why, and what the user can do. */
export class SettingsEditError extends HookmachineError {
  override readonly name = 'SettingsEditError';
  constructor(message: string, options?: ErrorOptions) {
    super('SETTINGS_NOT_EDITABLE', message, options);
  }
}

/** One settings file, to be changed without touching what else stands in it. */
export interface EditableSettings {
  readonly file: string;
  /** The hooks that the file disables by name or command, and the list that each stands in. */
  readonly disabled: readonly { readonly entry: string; readonly place: string }[];
  /** Adds a name or command to `hooksConfig.disabled`. Throws a `SettingsEditError`. */
  disable(name: string): void;
  /** Takes these names and commands out of both lists (C-04). Throws a `SettingsEditError`. */
  enable(names: readonly string[]): void;
}

/**
 * Opens a settings file for editing; one that is not there is empty, and made when it is written.
 *
 * @throws {SettingsEditError} when it is broken: an edit could do harm that nobody sees
 */
export function openSettings(file: string): EditableSettings {
  const refuse = (problem: Omit<SettingsProblem, 'file'>, cause?: unknown): SettingsEditError =>
    new SettingsEditError(formatProblem({ file, ...problem }), { cause });
  const attempt = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = { place: '', message: `cannot be ${what} (${code ?? message})` };
      throw refuse({ ...problem, fix: 'let this user read and write it' }, error);
    }
  };
  const fix = 'fix it first; nothing was changed';
  const found = attempt('read', () => readExactly(file)) ?? '{}\n';
  if (typeof found !== 'string')
    throw refuse({ place: '', message: refusals[found.refused].message, fix });
  const mark = found.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = found.slice(mark.length);
  const parsed = parseJson(text);
  if ('fault' in parsed)
    throw refuse({ at: parsed.at, place: '', message: `not valid JSON (${parsed.fault})`, fix });
  const { value, locate } = parsed;
  if (!isRecord(value))
    throw refuse({ at: locate([]), place: '', message: 'holds no JSON object', fix });
  const write = (changed: string): void =>
    attempt('written', () => replaceFile(file, mark + changed));
  return {
    file,
    disabled: disabledEntries(value),
    disable(name) {
      const changed = addToList(text, disabledLists[0], name);
      if (typeof changed === 'string') return write(changed);
      const { path, wanted } = changed;
      const inTheWay = path.reduce<unknown>((inner, key) => isRecord(inner) && inner[key], value);
      throw refuse({
        at: locate(path),
        place: placeOf(path),
        message: said(inTheWay),
        fix: `make it an ${wanted} first; nothing was changed`,
      });
    },
    enable: (names) =>
      write(disabledLists.reduce((rest, path) => removeFromList(rest, path, names), text)),
  };
}
