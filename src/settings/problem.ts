/** Steps into a settings file, such as `['hooks', 'BeforeTool', 0]`. */
export type Path = readonly (string | number)[];

/** A line and a column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

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
  readonly mend: string;
}

/** A problem as one line: file, place, fault, mend (HOOK-191). */
export function formatProblem({ file, at, place, message, mend }: SettingsProblem): string {
  const where = file !== undefined && at ? `${file}:${at.line}:${at.column}` : file;
  return [[where, place].filter(Boolean).join(' '), `${message}; ${mend}`]
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
      ? JSON.stringify(value)
      : process.getBuiltinModule('node:util').inspect(value);
  return `is ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}
