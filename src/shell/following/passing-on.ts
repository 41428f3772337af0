import { followAnything } from './arguments.ts';
import type { Following } from './following.ts';
import { literally, unknownWord, type ExpandedWord } from './expanded-word.ts';

/** Follows `xargs`: a program that gets further arguments from the input. */
export function followXargs(at: Following, args: readonly ExpandedWord[]): void {
  let replaced: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const { written } = args[index]!;
    const [, letter, attached = ''] = /^-([A-Za-z0])(.*)$/.exec(written) ?? [];
    if (!written.startsWith('-')) return followGiven(at, args.slice(index), replaced);
    if (written.startsWith('--')) continue;
    if (letter === undefined) return followAnything(at, 'xargs', args.slice(index));
    const takesValue = 'aEIdLnPs'.includes(letter);
    if (letter === 'I') replaced = attached || args[index + 1]?.written;
    if (takesValue && attached === '') index++;
  }
  return undefined;
}

function followGiven(
  at: Following,
  words: readonly ExpandedWord[],
  replaced: string | undefined,
): void {
  const { input } = at;
  const files = input?.from === 'pipe' ? (input.files ?? []) : [];
  for (const file of files) at.findings.names(file, 'data');
  const given = unknownWord('what xargs reads');
  if (replaced === undefined) return at.run([...words, given]);
  return at.run(
    words.map((word) => (word.written.includes(replaced) ? unknownWord(word.written) : word)),
  );
}

/** Follows `find`: the programs that it runs get the paths that it finds. */
export function followFind(at: Following, args: readonly ExpandedWord[]): void {
  const first = args.findIndex(({ written }) => /^[-(!]/.test(written));
  const folders = first === -1 ? args : args.slice(0, first);
  const name = args[args.findIndex(({ written }) => written === '-name') + 1];
  const [shape = '*'] = (args.some(({ written }) => written === '-name') && name && literally(name)) || []; // prettier-ignore
  const patterns = folders
    .flatMap((folder) => literally(folder) ?? [])
    .map((folder) => `${folder}/**/${shape}`.replace(/^\.\//, ''));
  for (const [index, { written }] of args.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(written)) continue;
    const words = args.slice(index + 1);
    const end = words.findIndex(({ meant }) => [';', '+'].includes(meant.texts[0] ?? ''));
    const run = end === -1 ? words : words.slice(0, end);
    at.run(run.map((word) => (word.written.includes('{}') ? unknownWord('{}', patterns) : word)));
  }
  if (args.some(({ written }) => /^-f(?:print|ls)/.test(written))) followAnything(at, 'find', args);
}

/** Follows `run-parts`: it runs all files of a folder. */
export function followRunParts(at: Following, args: readonly ExpandedWord[]): void {
  at.findings.runs('"run-parts" runs all files of a folder');
  for (const folder of args.flatMap((argument) => literally(argument) ?? []))
    if (at.places.pathsOf(folder).some((path) => at.places.disk.isFolder(path)))
      at.findings.selects(`${folder}/*`);
}
