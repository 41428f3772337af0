import { HookmachineError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { settingsPlaces } from '../files/levels.ts';
import { formatProblem, placeOf, type SettingsProblem } from '../../core/definitions/problem.ts';
import { type SettingsFile, settingsReader } from '../files/read-files.ts';
import { configFields } from '../format/settings-fields.ts';
import { readRedactEntries } from './redact-entries.ts';
import { said } from '../../base/message-of.ts';

/**
 * Thrown if payloads are to be shown although a rule that redacts them is broken. The message names the file,
 * the place and the fix.
 */
export class RedactionError extends HookmachineError {
  override readonly name = 'RedactionError';
  constructor(message: string, options?: ErrorOptions) {
    super('REDACTION_BROKEN', message, options);
  }
}

/** What the settings redact. */
export interface RedactSettings {
  readonly entries: readonly string[];
  readonly problems: readonly SettingsProblem[];
  /** Why settings may redact more than is known: a settings file could not be read. */
  readonly unread?: readonly SettingsProblem[];
}

/**
 * Combines `hooksConfig.redact` of the project's, the user's and the system's settings and `managed.redact`
 * of the system's: no level can take back what another hides.
 */
export function redactSettings(cwd: string, systemFolder?: string): RedactSettings {
  const read = settingsReader();
  const places = new Map(settingsPlaces(cwd, systemFolder).map((place) => [place.file, place]));
  const levels = [...places.values()].flatMap(({ file, source }) => {
    const found = read(file);
    if (found === undefined) return [];
    const ofFile = redactOf(found, source === 'system' ? ['hooksConfig', 'managed'] : undefined);
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
 * Combines what settings redact with what a host redacts. Problems are reported, one line each.
 *
 * @throws {RedactionError} if there is any problem and payloads are to be shown
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
 * Refuses to show payloads while a rule that redacts them is broken, because what it was meant to hide would
 * be shown.
 *
 * @throws {RedactionError} if a rule is broken
 */
export function refuseBroken({ problems, unread = [] }: RedactSettings): void {
  const [first, ...others] = [...unread, ...problems];
  if (first === undefined) return;
  const message = first.message.replace(/, so .* ignored$|, so its last .*$/, '');
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw new RedactionError(
    `payloads are not shown while a rule that redacts them is broken: ${formatProblem({ ...first, message })}${more}`,
  );
}

/** Returns the problems of entries that a host passes itself. */
const problemsOf = (entries: readonly unknown[]): readonly SettingsProblem[] =>
  readRedactEntries(entries).problems.map(({ index, message, fix }) => ({
    place: placeOf(['redact', index]),
    message,
    fix,
  }));

/** Returns what one settings file redacts, or settings that are not in a file; `keys` hold the lists. */
export function redactOf(
  file: Pick<SettingsFile, 'values' | 'locate'> & { readonly file?: string },
  keys: readonly string[] = ['hooksConfig'],
): RedactSettings {
  const lists = keys.map((key) => redactIn(file, key));
  const unread = lists.flatMap((list) => list.unread ?? []);
  return {
    entries: lists.flatMap(({ entries }) => entries),
    problems: lists.flatMap(({ problems }) => problems),
    ...(unread.length > 0 && { unread }),
  };
}

function redactIn(
  { file, values, locate }: Pick<SettingsFile, 'values' | 'locate'> & { readonly file?: string },
  key: string,
): RedactSettings {
  const { [key]: section } = values;
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
  if (section !== undefined && !isRecord(section)) {
    const unread = problemAt([key], said(section), 'make it an object');
    return { entries: [], problems: [], unread: [unread] };
  }
  const path = [key, 'redact'];
  const list = section?.['redact'];
  if (list === undefined) return { entries: [], problems: [] };
  if (!Array.isArray(list)) {
    const problem = problemAt(path, `${said(list)}, so it was ignored`, configFields.redact.fix);
    return { entries: [], problems: [problem] };
  }
  const { problems } = readRedactEntries(list);
  const bad = new Set(problems.map(({ index }) => index));
  return {
    entries: list.filter((_, index) => !bad.has(index)) as string[],
    problems: problems.map(({ index, message, fix }) => problemAt([...path, index], message, fix)),
  };
}
