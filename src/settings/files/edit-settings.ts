import { openJsonFile } from './edit-json-file.ts';
import { addToList, removeFromList } from './edit-settings-text.ts';
import { disabledEntries, disabledLists } from './switches.ts';

/** One settings file. Edits leave the rest of it untouched. */
export interface EditableSettings {
  readonly file: string;
  /** The hooks that the file disables, by name or command, each with the list that holds it. */
  readonly disabled: readonly { readonly entry: string; readonly place: string }[];
  /** Adds a name or command to `hooksConfig.disabled`. Throws a `SettingsEditError`. */
  disable(name: string): void;
  /** Removes these names and commands from both lists. Throws a `SettingsEditError`. */
  enable(names: readonly string[]): void;
}

/**
 * Opens a settings file for editing. A missing file is empty and is created when it is written.
 *
 * @throws {SettingsEditError} if the file is broken: an edit could do damage that nobody notices
 */
export function openSettings(file: string): EditableSettings {
  const { value, edit } = openJsonFile(file);
  return {
    file,
    disabled: disabledEntries(value),
    disable: (name) =>
      edit(({ text, value: now, inTheWay }) => {
        if (disabledEntries(now).some(({ entry }) => entry === name)) return text;
        const changed = addToList(text, disabledLists[0], name);
        if (typeof changed !== 'string') throw inTheWay(changed);
        return changed;
      }),
    enable: (names) =>
      edit(({ text }) =>
        disabledLists.reduce((rest, path) => removeFromList(rest, path, names), text),
      ),
  };
}
