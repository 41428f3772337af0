import { isRecord } from '../protocol/output.ts';
import { projectSettingsFile, systemSettingsFile, userSettingsFile } from '../settings/levels.ts';
import { formatProblem, placeOf, said, type SettingsProblem } from '../settings/problem.ts';
import { settingsReader, type SettingsFile } from '../settings/read-settings-file.ts';
import { readRedactEntries } from './redact-entries.ts';

/** What the settings name to be redacted. */
export interface RedactSettings {
  readonly entries: readonly string[];
  readonly problems: readonly SettingsProblem[];
}

/** `hooksConfig.redact` of the project's, the user's and the system's settings together: no level can take back what another hides. */
export function redactSettings(cwd: string): RedactSettings {
  const read = settingsReader();
  const files = [projectSettingsFile(cwd), userSettingsFile(), systemSettingsFile()];
  const levels = [...new Set(files)].flatMap((file) => {
    const found = file === undefined ? undefined : read(file);
    return found ? [redactOf(found)] : [];
  });
  return {
    entries: [...new Set(levels.flatMap(({ entries }) => entries))],
    problems: levels.flatMap(({ problems }) => problems),
  };
}

/** What settings redact together with what a host does; what is wrong in the settings is told, one line each. */
export function redactedIn(
  cwd: string,
  own: readonly string[] = [],
  tell: (line: string) => void,
): readonly string[] {
  const { entries, problems } = redactSettings(cwd);
  for (const problem of problems) tell(formatProblem(problem));
  return [...entries, ...own];
}

/** What one settings file redacts, or settings that stand in none. */
export function redactOf({
  file,
  values,
  locate,
}: Pick<SettingsFile, 'values' | 'locate'> & { readonly file?: string }): RedactSettings {
  const list = isRecord(values['hooksConfig']) ? values['hooksConfig']['redact'] : undefined;
  const problemAt = (
    path: readonly (string | number)[],
    message: string,
    mend: string,
  ): SettingsProblem => ({
    ...(file !== undefined && { file }),
    ...(locate && { at: locate(path) }),
    place: placeOf(path),
    message,
    mend,
  });
  const path = ['hooksConfig', 'redact'];
  if (list === undefined) return { entries: [], problems: [] };
  if (!Array.isArray(list)) {
    const mend = 'make it an array of key names and expressions: [ "customer", "/sk-\\\\w+/" ]';
    return { entries: [], problems: [problemAt(path, `${said(list)}, so it was ignored`, mend)] };
  }
  const { problems } = readRedactEntries(list);
  const bad = new Set(problems.map(({ index }) => index));
  return {
    entries: list.filter((_, index) => !bad.has(index)) as string[],
    problems: problems.map(({ index, message, mend }) =>
      problemAt([...path, index], message, mend),
    ),
  };
}
