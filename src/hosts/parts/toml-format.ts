import type { TomlError } from 'smol-toml';
import { isError } from '../../base/errors.ts';
import type { SettingsFormat } from '../../settings/files/read-files.ts';

/** Recognised by its fields, because a bundle may hold two copies of its class. */
const isTomlError = (error: unknown): error is TomlError =>
  isError(error) && 'line' in error && 'column' in error;

/** The format of settings in TOML, with a parser that may be loaded later. */
export const tomlFormat = (parse: (text: string) => unknown): SettingsFormat => ({
  name: 'TOML',
  parse(text) {
    try {
      return { value: parse(text) };
    } catch (error) {
      if (!isTomlError(error)) throw error;
      const { line, column, message } = error;
      const [first = ''] = message.replace(/^Invalid TOML document: /, '').split('\n');
      return { fault: first, at: { line, column } };
    }
  },
});
