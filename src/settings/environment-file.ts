import { statSync, type Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { SettingsProblem } from './problem.ts';

/** Why a file that the environment names is ignored; undefined for one that may add hooks (S-11). */
export function environmentFileFault(variable: string, file: string): SettingsProblem | undefined {
  const fault = (message: string, fix: string): SettingsProblem => ({
    file,
    place: '',
    message: `${message}, so this file, which ${variable} names, was ignored`,
    fix,
  });
  if (!isAbsolute(file))
    return fault('is a relative path', `let ${variable} name the file by its whole path`);
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
  } catch {
    // Whoever reads it finds out why it cannot be read.
  }
  if (stats === undefined || !stats.isFile()) return undefined;
  if ((stats.mode & 0o022) !== 0)
    return fault('can be written by others', 'look at it, and take that right away (chmod go-w)');
  const own = process.getuid?.();
  if (own !== undefined && stats.uid !== own && stats.uid !== 0)
    return fault('belongs to another user', 'look at it, and make it your own (chown)');
  return undefined;
}
