import { isRecord } from '../protocol/output.ts';
import { settingsPlaces } from '../settings/levels.ts';
import { formatProblem, placeOf, said, type SettingsProblem } from '../settings/problem.ts';
import { type SettingsFile, settingsReader } from '../settings/read-files.ts';
import { readRedactEntries } from './redact-entries.ts';
import { RedactionError } from './redaction-error.ts';

/** What the settings name to be redacted. */
export interface RedactSettings {
  readonly entries: readonly string[];
  readonly problems: readonly SettingsProblem[];
  /** Why settings may redact more than is known: a file of them could not be read. */
  readonly unread?: readonly SettingsProblem[];
}

/** `hooksConfig.redact` of the project's, the user's and the system's settings together: no level can take back what another hides. */
export function redactSettings(cwd: string, systemFolder?: string): RedactSettings {
  const read = settingsReader();
  const files = settingsPlaces(cwd, systemFolder).map(({ file }) => file);
  const levels = [...new Set(files)].flatMap((file) => {
    const found = read(file);
    if (found === undefined) return [];
    const ofFile = redactOf(found);
    const unread = [
      ...(ofFile.unread ?? []),
      ...found.problems.filter(({ place }) => place === ''),
    ];
    return [{ ...ofFile, unread }];
  });
  return {
    entries: [...new Set(levels.flatMap(({ entries }) => entries))],
    problems: levels.flatMap(({ problems }) => problems),
    unread: levels.flatMap(({ unread }) => unread),
  };
}

/**
 * What settings redact together with what a host does; what is wrong there is reported, one line each.
 *
 * @throws {RedactionError} when something is wrong and payloads are to be shown
 */
export function redactedIn(
  cwd: string,
  { redact = [], payloads = false }: { redact?: readonly string[]; payloads?: boolean },
  tell: (line: string) => void,
): readonly string[] {
  const settings = redactSettings(cwd);
  const problems = [...settings.problems, ...problemsOf(redact)];
  if (payloads) refuseBroken({ ...settings, problems });
  for (const problem of problems) tell(formatProblem(problem));
  return [...settings.entries, ...redact];
}

/**
 * Refuses to show payloads while a rule that redacts them is broken: what it was to hide would be shown.
 *
 * @throws {RedactionError} when one is
 */
export function refuseBroken({ problems, unread = [] }: RedactSettings): void {
  const [first, ...others] = [...unread, ...problems];
  if (first === undefined) return;
  const message = first.message.replace(/, so .* ignored$|, so it counts .*$/, '');
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw new RedactionError(
    `payloads are not shown while a rule that redacts them is broken: ${formatProblem({ ...first, message })}${more}`,
  );
}

/** What is wrong with entries that a host gives itself. */
const problemsOf = (entries: readonly unknown[]): readonly SettingsProblem[] =>
  readRedactEntries(entries).problems.map(({ index, message, fix }) => ({
    place: placeOf(['redact', index]),
    message,
    fix,
  }));

/** What one settings file redacts, or settings that stand in none. */
export function redactOf({
  file,
  values,
  locate,
}: Pick<SettingsFile, 'values' | 'locate'> & { readonly file?: string }): RedactSettings {
  const { hooksConfig } = values;
  const problemAt = (
    path: readonly (string | number)[],
    message: string,
    fix: string,
  ): SettingsProblem => ({
    ...(file !== undefined && { file }),
    ...(locate && { at: locate(path) }),
    place: placeOf(path),
    message,
    fix,
  });
  if (hooksConfig !== undefined && !isRecord(hooksConfig)) {
    const unread = problemAt(['hooksConfig'], said(hooksConfig), 'make it an object');
    return { entries: [], problems: [], unread: [unread] };
  }
  const path = ['hooksConfig', 'redact'];
  const list = hooksConfig?.['redact'];
  if (list === undefined) return { entries: [], problems: [] };
  if (!Array.isArray(list)) {
    const fix = 'make it an array of key names and expressions: [ "customer", "/sk-\\\\w+/" ]';
    return { entries: [], problems: [problemAt(path, `${said(list)}, so it was ignored`, fix)] };
  }
  const { problems } = readRedactEntries(list);
  const bad = new Set(problems.map(({ index }) => index));
  return {
    entries: list.filter((_, index) => !bad.has(index)) as string[],
    problems: problems.map(({ index, message, fix }) => problemAt([...path, index], message, fix)),
  };
}
