import type { Assignment, Word } from 'unbash';
import type { Following } from './following.ts';
import { ruling } from './known-programs.ts';
import { quote, type ExpandedWord } from './expanded-word.ts';

/** Records a variable's value. An assignment before a program applies to that program alone. */
export function followAssignment(
  at: Following,
  { name, value, append, index }: Assignment,
  isForProgram: boolean,
): void {
  if (value.type === 'Word') at.variables.mayBe(name, at.means(value).patterns);
  if (value.type === 'ArrayValue' || append || index) {
    at.variables.forget(name);
    if (ruling.test(name)) at.findings.lost(`it sets ${name}`);
    return;
  }
  const { texts, unknown } = at.means(value);
  const [known, guesses] =
    unknown === undefined ? [texts, texts] : [undefined, at.means(value).guesses];
  followValue(at, name, known, value.text, guesses);
  if (!isForProgram)
    at.variables.set(name, unknown === undefined && texts.length === 1 ? texts[0] : undefined);
}

/**
 * Records the files that a variable's value names, or reports that the variable decides what other programs
 * load.
 */
export function followValue(
  { findings, places }: Following,
  name: string,
  values: readonly string[] | undefined,
  written: string,
  guesses: readonly string[] = values ?? [],
): void {
  if (!ruling.test(name)) {
    for (const value of values ?? []) findings.names(value, 'script');
    return;
  }
  for (const value of guesses) {
    findings.names(value, 'maybe');
    if (name === 'PATH') findings.definesUnknown = true;
    if (/PATH$|LIB$/.test(name)) places.search(value.split(':'));
  }
  const isOutside =
    (name === 'PATH' || name === 'HOME') &&
    values?.every((value) =>
      value.split(':').every((part) => part.startsWith('/') && !places.disk.isInProject(part)),
    );
  if (isOutside || values?.every((value) => value === '')) return;
  findings.lost(`it sets ${name} to ${written}`);
}

/**
 * Returns an argument as a word. `export X=y` and the like set X for good; to any other program such an
 * argument is plain text.
 */
export function argumentOf(at: Following, part: Word | Assignment): ExpandedWord {
  if (part.type === 'Word') return { written: part.text, meant: at.means(part) };
  followAssignment(at, part, false);
  const meant =
    part.value.type === 'Word'
      ? at.means(part.value)
      : { texts: [], guesses: [], start: '', patterns: [], unknown: part.text };
  const to = (text: string): string => `${part.name}=${text}`;
  return {
    written: part.text,
    meant: {
      ...meant,
      texts: meant.texts.map(to),
      guesses: meant.guesses.map(to),
      start: to(meant.start),
      patterns: meant.patterns.map(to),
    },
  };
}

/**
 * Follows the arguments of `declare`, `export` and the like that are not assignments, which have already been
 * followed.
 */
export function followDeclaration(
  at: Following,
  name: string,
  args: readonly ExpandedWord[],
): void {
  for (const { meant, written } of args) {
    if (/^-\w*n/.test(written))
      at.findings.runs(`${quote(`${name} ${written}`)} makes one variable refer to another`);
    const isAssignment = /^[A-Za-z_]\w*=/.test(written);
    const [, set] = /^(\w+)\+?=/.exec(meant.start) ?? [];
    if (set !== undefined && !isAssignment) {
      at.variables.forget(set);
      if (ruling.test(set)) at.findings.lost(`it sets ${set}`);
    }
    if (meant.unknown !== undefined && !isAssignment)
      at.findings.lost(`what ${quote(`${name} ${written}`)} sets is not literal`);
  }
}
