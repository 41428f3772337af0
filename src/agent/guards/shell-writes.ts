import { homedir } from 'node:os';
import { changesGuards } from '../../guards/rules/own-command.ts';
import type { WrittenPath } from '../../hosts/guarded/find-guarded.ts';
import { homeFolder, settingsPlaces, trustFile } from '../../settings/files/levels.ts';
import { disk } from '../../shell/reading/disk.ts';
import type { Effect, RunEffect } from '../../shell/reading/effects.ts';
import { anyMark, isGlob, isKnown, starMark, unknownParts } from '../../shell/reading/marks.ts';
import { absolute } from '../../shell/reading/paths.ts';
import { isKnownProgram } from '../../shell/reading/programs.ts';
import { readCommand } from '../../shell/reading/reader.ts';

/**
 * Returns the paths that a command would write when it is run in `cwd`. Of a program that we do not know, every
 * word counts that may be a path: there are more ways to write a file than a list could hold. What a command
 * computes in a way that cannot be read is not seen; the next start reports guards that are gone.
 */
export function shellWrites(command: string, cwd: string): WrittenPath[] {
  const { effects } = readCommand(command, {
    cwd,
    project: cwd,
    home: homeFolder() ?? homedir(),
    variables: process.env,
    disk,
    isSecretFile: () => false,
  });
  // Of a command that is not followed to its end, whatever looks like a path counts.
  const isLost = effects.some(({ kind }) => kind === 'lost');
  return [
    ...effects.flatMap((effect) => writtenBy(effect, cwd)),
    ...(isLost ? inCode(command, cwd) : []),
  ];
}

/** Programs that run code given as an argument or on stdin, which may put names together. */
const interpreters =
  /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|osascript|[gmn]?awk|ed|ex|vim?|nvim|emacs)$/;

function writtenBy(effect: Effect, cwd: string): readonly WrittenPath[] {
  if (effect.where !== 'here') return [];
  if (changesGuards(effect)) return [guardsOf(cwd)];
  switch (effect.kind) {
    case 'file':
      return effect.action === 'read' ? [] : pathOf(effect.path, effect.isTree);
    case 'run':
      if (interpreters.test(effect.name))
        return inCode([...effect.args, effect.stdin].join('\n'), effect.cwd);
      return isKnownProgram(effect.name) && effect.name !== 'touch'
        ? []
        : named(effect.args, effect);
    case 'code':
      return effect.language === 'sh' ? [] : inCode(effect.text, cwd);
    default:
      return [];
  }
}

/** Nothing is known about a name that consists only of what is not known. */
function pathOf(path: string, isTree: boolean): readonly WrittenPath[] {
  if (!isKnown(path) && !/\.\w[^/]*$/.test(path)) return [];
  if (isKnown(path) && !isGlob(path)) return [{ path, isTree }];
  const pattern = path
    .replaceAll(/[\\*?[\]{}()!+@]/g, String.raw`\$&`)
    .replaceAll(anyMark, '?')
    .replaceAll(`/${starMark}/`, '/{**,{**/,}.*{/**,}}/')
    .replaceAll(unknownParts, starMark)
    .replaceAll(new RegExp(`${starMark}+`, 'g'), '*');
  return [{ path: pattern, isTree, isGlob: true }];
}

/** `--output=FILE`, `of=FILE` and `-oFILE` name a file too. */
const named = (words: readonly string[], { cwd }: RunEffect): readonly WrittenPath[] =>
  words
    .flatMap((word) => [
      word,
      ...(/^-{0,2}[\w-]+=(.+)$|^-[a-zA-Z](.+)$/.exec(word)?.slice(1) ?? []),
    ])
    .filter((word) => word !== undefined && word !== '' && word !== '-')
    .flatMap((word) => pathOf(absolute(word, cwd), true));

/** Everything in a program's text that looks like a path; if that is too much to look at, guards may be in it. */
function inCode(text: string, cwd: string): readonly WrittenPath[] {
  const names = new Set(
    [...text.matchAll(/[\w.~/@+-]+/g)].flatMap(([name]) =>
      /[./]/.test(name) && name.length <= longestPath ? [name] : [],
    ),
  );
  return names.size > mostNames
    ? [guardsOf(cwd)]
    : [...names].map((name) => ({ path: absolute(name, cwd), isTree: true }));
}

/** A place of guards, for what may change any. */
const guardsOf = (cwd: string): WrittenPath => ({
  path: trustFile() ?? settingsPlaces(cwd)[0]!.file,
});

const longestPath = 4_096;
const mostNames = 20_000;
