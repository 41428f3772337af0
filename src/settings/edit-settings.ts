import { openJsonFile } from './edit-json-file.ts';
import { addToList, removeFromList } from './edit-settings-text.ts';
import { disabledEntries, disabledLists } from './switches.ts';

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
  const { text, value, write, inTheWay } = openJsonFile(file);
  return {
    file,
    disabled: disabledEntries(value),
    disable(name) {
      const changed = addToList(text, disabledLists[0], name);
      if (typeof changed !== 'string') throw inTheWay(changed);
      write(changed);
    },
    enable: (names) =>
      write(disabledLists.reduce((rest, path) => removeFromList(rest, path, names), text)),
  };
}
