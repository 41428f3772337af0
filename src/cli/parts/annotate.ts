import { relative } from 'node:path';
import { printable } from './printable.ts';

/** A finding at a place of the repository, for whoever reads a change there. */
export interface Annotation {
  readonly level: 'error' | 'notice';
  /** Relative to the repository, where a run of GitHub Actions begins. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly title: string;
  readonly message: string;
}

/**
 * Returns workflow commands with which GitHub shows findings at their lines; none elsewhere than in GitHub Actions.
 * What findings say comes from files of a change, so nothing in it may read as a command of its own.
 */
export function annotations(
  found: readonly Annotation[],
  { GITHUB_ACTIONS: isGithub }: NodeJS.ProcessEnv = process.env,
): string {
  if (isGithub !== 'true') return '';
  return found
    .map(
      ({ level, message, ...properties }) => `::${level} ${list(properties)}::${data(message)}\n`,
    )
    .join('');
}

/** A file's path as it is below the folder in which the command runs, which is where GitHub looks for it. */
export const fromHere = (file: string): string => relative(process.cwd(), file);

const list = ({ file, line, column, title }: Omit<Annotation, 'level' | 'message'>): string =>
  Object.entries({ file, line, col: column, title })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${property(String(value))}`)
    .join(',');

const data = (text: string): string =>
  printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
