/** Something wrong with what a user configured; the rest of the configuration lives. */
export interface SettingsProblem {
  /** The settings file, when there is one. */
  readonly file?: string;
  /** Line and column in the file, from 1. */
  readonly at?: { readonly line: number; readonly column: number };
  /** Where in the settings, such as `hooks.BeforeTool[0].hooks[1]`; '' for the whole. */
  readonly place: string;
  /** What is wrong and what was done about it. */
  readonly message: string;
  /** What the user can do. */
  readonly mend: string;
}

/** A problem as one line: file, place, fault, mend (HOOK-191). */
export function formatProblem({ file, at, place, message, mend }: SettingsProblem): string {
  const where = file === undefined ? '' : at ? `${file}:${at.line}:${at.column}` : file;
  return [[where, place].filter(Boolean).join(' '), `${message}; ${mend}`]
    .filter(Boolean)
    .join(': ');
}
