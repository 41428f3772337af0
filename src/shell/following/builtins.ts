import { followAnything, followArgument } from './arguments.ts';
import { followDeclaration } from './assignments.ts';
import { followEvaluated, followSourced } from './code.ts';
import { changeFolder } from './folders.ts';
import type { Following } from './following.ts';
import { literally, quote, type ExpandedWord } from './expanded-word.ts';

type Builtin = (at: Following, args: readonly ExpandedWord[], name: string) => void;

const declare: Builtin = (at, args, name) => followDeclaration(at, name, args);
const source: Builtin = (at, args, name) => followSourced(at, name, args);

const read: Builtin = (at, args, name) => {
  // `-C` names code to run.
  if (args.some(({ written }) => /^-\w*C/.test(written))) followAnything(at, name, args);
};

const test: Builtin = (at, args) => {
  const look = (argument: ExpandedWord | undefined): void => {
    if (argument) followArgument(at, argument, 'path');
    if (argument) at.findings.looksFor([argument]);
  };
  for (const [index, { written }] of args.entries()) {
    if (testsFile.test(written)) look(args[index + 1]);
    if (comparesFiles.test(written)) for (const side of [index - 1, index + 1]) look(args[side]);
  }
};

/** Operators of `test` and `[[` that examine one file. */
export const testsFile = /^-[a-hkprstuwxLNOGSe]$/;
/** Operators of `test` and `[[` that compare two files. */
export const comparesFiles = /^-(?:nt|ot|ef)$/;

/** Builtins of the shell for which more matters than the text of their arguments. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', changeFolder],
  ['pushd', changeFolder],
  ['popd', () => undefined],
  ['.', source],
  ['source', source],
  ['eval', (at, args, name) => followEvaluated(at, name, args)],
  [
    'trap',
    (at, args, name) => {
      if (args[0]?.written !== '-') followEvaluated(at, name, args.slice(0, 1));
    },
  ],
  [
    'alias',
    (at, args) => {
      for (const argument of args) {
        const [text] = literally(argument) ?? [];
        if (text === undefined) at.findings.lost(`alias ${quote(argument.written)} is not literal`);
        else at.code(text.slice(text.indexOf('=') + 1));
      }
    },
  ],
  ['export', declare],
  ['readonly', declare],
  ['local', declare],
  ['declare', declare],
  ['typeset', declare],
  ['read', read],
  ['mapfile', read],
  ['readarray', read],
  ['test', test],
  ['[', test],
]);
