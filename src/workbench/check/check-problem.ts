import type { FaultCode, SettingsProblem } from '../../core/definitions/problem.ts';

/** The codes of problems with hooks, for programs; they are stable. */
export type CheckCode =
  | FaultCode
  | 'unreadable'
  | 'invalid'
  | 'cannot-run'
  | 'untrusted'
  | 'duplicate'
  | 'matcher'
  | 'script-missing'
  | 'not-executable'
  | 'line-ends'
  | 'not-shell'
  | 'interpreter-missing'
  | 'program-missing'
  | 'loses-trust'
  | 'policy'
  | 'prestart';

/** Something that a check found. */
export interface CheckProblem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Where in the file, such as `hooks.BeforeTool[0].hooks[1]`; '' for the whole file. */
  readonly place: string;
  readonly code: CheckCode;
  readonly message: string;
  readonly fix: string;
}

/** Converts a problem of the settings into one of the check. */
export const ofSettings = ({
  file,
  at,
  place,
  message,
  fix,
  code,
  isWhole,
}: SettingsProblem): CheckProblem => ({
  ...(file !== undefined && { file }),
  ...at,
  place,
  code: isWhole ? 'unreadable' : (code ?? 'invalid'),
  message,
  fix,
});

/** A problem of a hook, at the hook's place. */
export const ofHook = (
  { file, place, name }: { readonly file?: string; readonly place: string; readonly name: string },
  code: CheckCode,
  message: string,
  fix: string,
): CheckProblem => ({
  ...(file !== undefined && { file }),
  place: place === '' ? name : place,
  code,
  message,
  fix,
});
