import { readFileSync } from 'node:fs';
import { isRecord } from '../protocol/output.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import type { SettingsProblem } from './problem.ts';

/** One settings file as it was found. */
export interface SettingsFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly locate: ParsedJson['locate'];
  readonly problems: readonly SettingsProblem[];
}

/** Reads a settings file. One that is not there is no problem and no file; one that cannot be used is a problem. */
export function readSettingsFile(file: string): SettingsFile | undefined {
  const unusable = (message: string, mend: string): SettingsFile => ({
    file,
    values: {},
    locate: () => undefined,
    problems: [{ file, place: '', message, mend }],
  });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return unusable(
      `cannot be read (${code ?? String(error)}), so it is ignored`,
      code === 'EISDIR' ? 'put a file there' : 'let this user read it',
    );
  }
  const { value, locate, problems } = parseJson(text, file);
  if (problems.length > 0 && value === undefined) return { file, values: {}, locate, problems };
  if (!isRecord(value))
    return unusable('holds no JSON object, so it is ignored', 'write { "hooks": { … } }');
  return { file, values: value, locate, problems };
}
