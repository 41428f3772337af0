import { basename } from 'node:path';
import { touch } from './file-programs.ts';
import { activated, matchesPattern } from './glob.ts';
import { isKnown, starMark, unknownMark, blurred } from './marks.ts';
import { CommandLine, type OptionShape } from './options.ts';
import type { Program } from './program.ts';
import type { Running } from './running.ts';

const mostItems = 24;

/** Runs `xargs`: a program that gets further arguments from the input. */
export const runXargs: Program = (at, args) => {
  const shape: OptionShape = {
    valued: 'aEIJdLnPRSs',
    longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-lines', 'max-chars'],
    isStrict: true,
  };
  const own = args.length - new CommandLine(args, shape).operands.length;
  const line = new CommandLine(
    [...args.slice(0, own).flatMap(withPlace), ...args.slice(own)],
    shape,
  );
  const replaced = line.value('I', 'J');
  const file = line.value('a', 'arg-file');
  const input = file === undefined ? at.stdin : at.contentOf(at.path(file));
  const words = line.operands.length === 0 ? ['echo'] : line.operands;
  const isSplit = replaced === undefined && !line.has('0', 'd', 'null');
  const items = isKnown(input)
    ? input
        .split(isSplit ? /\s+/ : /[\n\0]/)
        .filter(Boolean)
        .map(unquoted)
    : itemsOf(input);
  return at.apart(() => {
    if (replaced === undefined)
      return at.run([...words, ...items.slice(0, 500)], { via: 'xargs', stdin: '' });
    return items
      .slice(0, mostItems)
      .map((item) =>
        at.run(
          words.map((word) => word.replaceAll(replaced, item)),
          { via: 'xargs', stdin: '' },
        ),
      )
      .join('');
  });
};

/** `-i`, `-iX`, `--replace` and `--replace=X` are `-I X`, where X is `{}` if it is missing. */
const withPlace = (option: string): string[] => {
  const [isIt, short, long] = /^(?:-i([^]*)|--replace(?:=([^]*))?)$/.exec(option) ?? [];
  return isIt === undefined ? [option] : ['-I', short || long || '{}'];
};

/** The items of an input of which not everything is known: what is known of it still counts. */
const itemsOf = (input: string): string[] => {
  const items = input.split(/\s+/).filter(Boolean);
  return items.length > 1 ? items : [input === '' ? unknownMark : input];
};

const unquoted = (text: string): string => text.replaceAll(/^(['"])([^]*)\1$/g, '$2');

interface Search {
  readonly folders: readonly string[];
  /** The pattern that names must have. */
  readonly name: string | undefined;
  /** Whether it finds only some files, by any test. */
  readonly isNarrow: boolean;
}

/** Runs `find` and `fd`: the paths that they find may be deleted, or passed to other programs. */
export const runFind: Program = (at, args, name) =>
  name.startsWith('fd') ? runFd(at, args) : runPlainFind(at, args);

const runPlainFind = (at: Running, args: readonly string[]): string => {
  const leading = args.findIndex((text) => !/^-[HLPO]/.test(text));
  const rest = leading === -1 ? [] : args.slice(leading);
  const first = rest.findIndex((text) => /^(?:-|\(|!)/.test(text));
  const folders = first === -1 ? rest : rest.slice(0, first);
  const all = first === -1 ? [] : rest.slice(first);
  const { tests, programs } = withoutPrograms(all);
  const valueOf = (...names: readonly string[]): string | undefined => {
    const index = tests.findIndex((text) => names.includes(text));
    return index === -1 ? undefined : tests[index + 1];
  };
  const search: Search = {
    folders: folders.length === 0 ? ['.'] : folders,
    name: valueOf('-name', '-iname'),
    isNarrow:
      tests.some((text) =>
        /^-(?:i?name|i?path|i?wholename|i?l?name|i?regex|[amc]time|[amc]min|size|empty|[ac]?newer|user|group|uid|gid|perm|xtype|inum|no(?:user|group)|used|links|samefile|fstype|readable|writable|executable)/.test(
          text,
        ),
      ) || valueOf('-type') === 'l',
  };
  if (tests.includes('-delete')) deleteFound(at, search);
  let output = '';
  for (const words of programs) output += runOnFound(at, search, words);
  for (const [index, text] of tests.entries())
    if (/^-f(?:print|ls|print0|printf)$/.test(text)) touch(at, 'write', tests[index + 1] ?? '');
  const isEmpty = tests.includes('-empty');
  return output || (isEmpty ? '' : `${foundBy(at, search).join('\n')}\n`);
};

/** Takes the programs that `find` runs out of what else it does with the paths. */
function withoutPrograms(all: readonly string[]) {
  const tests: string[] = [];
  const programs: string[][] = [];
  for (let index = 0; index < all.length; index++) {
    const text = all[index]!;
    tests.push(text);
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const words = all.slice(index + 1);
    const end = words.findIndex((one) => one === ';' || one === '+');
    programs.push(end === -1 ? words : words.slice(0, end));
    index = end === -1 ? all.length : index + 1 + end;
  }
  return { tests, programs };
}

function deleteFound(at: Running, search: Search): void {
  for (const path of foundBy(at, search)) touch(at, 'delete', path, { isTree: !search.isNarrow });
}

function runOnFound(at: Running, search: Search, words: readonly string[]): string {
  return foundBy(at, search)
    .map((path) =>
      at.run(
        words.map((word) => word.replaceAll('{}', path)),
        { via: 'find', stdin: '' },
      ),
    )
    .join('');
}

/** What is found: a folder with everything in it, or in each folder the names that match. */
function foundBy(at: Running, { folders, name, isNarrow }: Search): string[] {
  return folders.flatMap((folder) => {
    if (!isNarrow) return [folder];
    if (name === undefined || !isKnown(name)) return [`${folder}/${starMark}${unknownMark}`];
    const pattern = activated(name);
    const { disk } = at.state.around;
    const there = isKnown(folder)
      ? disk.list(at.path(folder)).filter((one) => matchesPattern(basename(one), pattern))
      : [];
    return [...there.map((one) => `${folder}/${one}`), `${folder}/${starMark}/${pattern}`];
  });
}

const runFd = (at: Running, args: readonly string[]): string => {
  const start = args.findIndex((text) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  const own = start === -1 ? args : args.slice(0, start);
  const line = new CommandLine(own, {
    valued: 'etdEcjS',
    longValued: ['extension', 'type', 'max-depth', 'exclude', 'base-directory'],
  });
  const [pattern, ...folders] = line.operands;
  const search: Search = {
    folders: folders.length === 0 ? ['.'] : folders,
    name:
      pattern !== undefined && /^\^?[\w.-]+\$?$/.test(pattern)
        ? pattern.replaceAll(/[\^$\\]/g, '')
        : undefined,
    isNarrow:
      (pattern !== undefined && pattern !== '.' && pattern !== '') ||
      line.has('e', 'extension', 'S'),
  };
  if (start === -1) return blurred('');
  const words = args.slice(start + 1);
  return runOnFound(
    at,
    search,
    words.some((word) => word.includes('{'))
      ? words.map((word) => word.replaceAll(/\{[/.]*\}/g, '{}'))
      : [...words, '{}'],
  );
};
