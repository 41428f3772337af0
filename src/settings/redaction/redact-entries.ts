import { said } from '../../base/message-of.ts';

/** A problem of one entry of `hooksConfig.redact`. */
export interface RedactProblem {
  readonly index: number;
  readonly message: string;
  readonly fix: string;
}

/** The usable entries of `hooksConfig.redact`, and the problems of the others. */
export interface RedactEntries {
  readonly names: readonly string[];
  readonly expressions: readonly RegExp[];
  readonly problems: readonly RedactProblem[];
}

/**
 * Reads the entries: names of keys, and expressions written as `/…/flags`. A bad entry does not affect the
 * others.
 */
export function readRedactEntries(entries: readonly unknown[]): RedactEntries {
  const names: string[] = [];
  const expressions: RegExp[] = [];
  const problems: RedactProblem[] = [];
  for (const [index, entry] of entries.entries()) {
    const complain = (message: string, fix: string): void =>
      void problems.push({ index, message: `${message}, so it was ignored`, fix });
    if (typeof entry !== 'string' || entry.trim() === '')
      complain(said(entry), 'make it the name of a key, or an expression "/…/flags"');
    else if (entry.startsWith('/')) {
      const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(entry) ?? [];
      try {
        if (source === undefined) throw new SyntaxError('it has no closing "/"');
        expressions.push(new RegExp(source, `${flags?.replaceAll(/[gy]/g, '')}g`));
      } catch (error) {
        complain(
          `is not a regular expression (${(error as Error).message})`,
          'fix it, or write the name of a key',
        );
      }
    } else names.push(entry);
  }
  return { names, expressions, problems };
}
