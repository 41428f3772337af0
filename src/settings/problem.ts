/** Steps into a settings file, such as `['hooks', 'BeforeTool', 0]`. */
export type Path = readonly (string | number)[];

/** A line and a column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What kind of thing is wrong, for programs, where there is more to say than that something was not as it should be. */
export type FaultCode = 'unknown-key' | 'unknown-event' | 'unknown-name' | 'timeout-unit' | 'off';

/** Something wrong with what a user configured; the rest of the configuration lives. */
export interface SettingsProblem {
  /** The settings file, when there is one. */
  readonly file?: string;
  readonly at?: Position;
  /** Where in the settings, such as `hooks.BeforeTool[0].hooks[1]`; '' for the whole. */
  readonly place: string;
  /** What is wrong and what was done about it. */
  readonly message: string;
  /** What the user can do. */
  readonly fix: string;
  readonly code?: FaultCode;
  /** Nothing of the file counts, so that nobody knows what it holds. */
  readonly isWhole?: true;
  /** For the last line of a file with very many problems: how many are not reported one by one. */
  readonly more?: number;
}

/** What is wrong at a place. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  readonly code?: FaultCode;
}

/** Takes what is wrong, which is asked only where it will be reported. */
export type Complain = (fault: () => Fault) => void;

/** How many problems of a file are reported one by one: nobody reads more. */
const mostProblems = 100;

/** What a check complains of in a file, each with its place; after the first hundred they are only counted. */
export function collectProblems(
  from: { readonly file?: string; readonly locate?: ((path: Path) => Position) | undefined },
  check: (complain: Complain) => void,
): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  let more = 0;
  check((fault) => {
    if (problems.length >= mostProblems) {
      more++;
      return;
    }
    const { path, message, fix, code } = fault();
    problems.push({
      ...(from.file !== undefined && { file: from.file }),
      ...(from.locate && { at: from.locate(path) }),
      place: placeOf(path),
      message,
      fix,
      ...(code && { code }),
    });
  });
  return more > 0 ? [...problems, moreProblems(from.file, more)] : problems;
}

/** What a check defines entry by entry, and what it complains of. */
export interface Checked<Definition> {
  readonly definitions: Definition[];
  readonly problems: SettingsProblem[];
}

/** Checks a file entry by entry, each of which costs the others nothing. */
export function checkEntries<Definition>(
  from: Parameters<typeof collectProblems>[0],
  check: (complain: Complain) => Iterable<Definition>,
): Checked<Definition> {
  const definitions: Definition[] = [];
  const problems = collectProblems(from, (complain) => {
    for (const definition of check(complain)) definitions.push(definition);
  });
  return { definitions, problems };
}

const moreProblems = (file: string | undefined, more: number): SettingsProblem => ({
  ...(file !== undefined && { file }),
  place: '',
  message: `there ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}`,
  fix: 'fix those above first',
  more,
});

/** The first hundred problems of each file, and at the end a line for each file that has more. */
export function firstProblems(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const first: SettingsProblem[] = [];
  const counts = new Map<string | undefined, number>();
  const more = new Map<string | undefined, number>();
  for (const problem of problems) {
    const { file } = problem;
    const count = counts.get(file) ?? 0;
    counts.set(file, count + 1);
    if (problem.more === undefined && count < mostProblems) first.push(problem);
    else more.set(file, (more.get(file) ?? 0) + (problem.more ?? 1));
  }
  return [...first, ...[...more].map(([file, count]) => moreProblems(file, count))];
}

/** A problem as one line: file, place, fault, fix (HOOK-191). */
export function formatProblem({ file, at, place, message, fix }: SettingsProblem): string {
  const where = file !== undefined && at ? `${file}:${at.line}:${at.column}` : file;
  return [[where, place].filter(Boolean).join(' '), `${message}; ${fix}`]
    .filter(Boolean)
    .join(': ');
}

/** A path as a user would write it. */
export const placeOf = (path: Path): string =>
  path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? step : `${place}.${step}`;
  }, '');

/** What stands there, in a few words that continue "it …". */
export function said(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return 'is an array';
  if (typeof value === 'object' && value !== null) return 'is an object';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 100))
      : process.getBuiltinModule('node:util').inspect(value);
  return `is ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}
