import type { Following } from './following.ts';
import type { Role } from './known-programs.ts';
import { quote, type ExpandedWord } from './expanded-word.ts';

/** Records what an argument means for the files that it names. */
export function followArgument(
  { findings }: Following,
  { meant, written }: ExpandedWord,
  role: Role | 'maybe' | 'named',
  program?: string,
): void {
  if (role === 'text' || role === 'code') return;
  const isKnown = meant.unknown === undefined;
  if (!isKnown && role !== 'written')
    findings.lost(
      program === undefined
        ? `${quote(written)} is not literal`
        : `${program} is given ${quote(written)}, which is not literal`,
    );
  const use = role === 'path' || role === 'file' ? 'data' : role;
  for (const text of isKnown ? meant.texts : meant.guesses) {
    findings.names(text, use);
    // The unknown part before it may be something that only the shell can know, such as `$ROOT`.
    if (!isKnown && text.startsWith('/')) findings.names(`.${text}`, use);
  }
}

/** Follows arguments that may each be a file that is run. */
export function followScripts(at: Following, args: readonly ExpandedWord[]): void {
  for (const argument of args) followArgument(at, argument, 'maybe');
}

/** Follows a program whose use of its arguments is unknown. */
export function followAnything(at: Following, name: string, args: readonly ExpandedWord[]): void {
  at.findings.lost(`${quote(name)} may run or read any file`);
  followScripts(at, args);
}
