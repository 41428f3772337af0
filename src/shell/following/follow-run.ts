import { followAnything, followArgument, followScripts } from './arguments.ts';
import { builtins } from './builtins.ts';
import { followCommandLine } from './command-lines.ts';
import type { Following } from './following.ts';
import { followGit } from './git.ts';
import { followInterpreter, interpreters } from './interpreters.ts';
import { loadedByNode } from './modules.ts';
import { programs, shells, wrappers } from './known-programs.ts';
import { followFind, followRunParts, followXargs } from './passing-on.ts';
import { quote, type ExpandedWord } from './expanded-word.ts';
import { followShell } from './shells.ts';
import { followTool } from './follow-tool.ts';
import { tools } from './tools.ts';
import { followWrapper } from './wrappers.ts';
import { inTable } from '../../base/json.ts';

/** Follows a program with its arguments. */
export function followRun(at: Following, words: readonly ExpandedWord[]): void {
  const { findings, places } = at;
  const [first, ...args] = words;
  const { meant, written } = first!;
  if (meant.unknown !== undefined || meant.texts.length !== 1) {
    findings.runs(`what ${quote(written)} runs is not literal`);
    followArgument(at, first!, 'script');
    for (const pattern of meant.patterns) findings.selects(pattern);
    return followAnything(at, written, args);
  }
  const name = meant.texts[0]!;
  if (name === '') return undefined;
  if (!name.includes('/')) {
    if (!at.functions.has(name) && !isOfShell(name)) findings.starts(name);
    if (looking.has(name)) findings.looksFor(args);
    followSearch(at, name);
    return followProgram(at, name, args);
  }
  findings.starts(name);
  findings.names(name, 'script');
  const isOwn = (path: string): boolean =>
    places.disk.isFile(path) && (!name.startsWith('/') || places.disk.isInProject(path));
  if (places.pathsOf(name).some(isOwn)) return followOwnScript(at, name, args);
  if (!/^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(name)) return followAnything(at, name, args);
  return followProgram(at, baseName(name), args);
}

/** Programs that tell whether there is another. */
const looking: ReadonlySet<string> = new Set(['which', 'type', 'hash']);

/** Whether it is built into the shell. */
const isOfShell = (name: string): boolean => builtins.has(name) || ownWords.has(name);

const ownWords: ReadonlySet<string> = new Set(
  '. : [ alias bg break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/** Returns the name of a program without its folder. */
export const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/**
 * Follows a file of the project: what it reads by itself is its author's business, but the arguments it is
 * given here count.
 */
function followOwnScript(at: Following, name: string, args: readonly ExpandedWord[]): void {
  followFirstLine(at, name);
  if (Object.hasOwn(tools, baseName(name))) return followTool(at, baseName(name), args);
  for (const argument of args) {
    if (argument.meant.unknown !== undefined)
      at.findings.lost(`${quote(name)} is given ${quote(argument.written)}, which is not literal`);
    followArgument(at, argument, 'maybe');
  }
  return undefined;
}

/** Follows what a script's first line says about its interpreter. */
function followFirstLine(at: Following, name: string): void {
  const { findings, places } = at;
  for (const path of places.pathsOf(name)) {
    const [, line] = /^#!([^\n]*)/.exec(places.disk.read(path) ?? '') ?? [];
    if (line === undefined) {
      at.script(path);
      continue;
    }
    const [program = '', ...rest] = line.trim().split(/\s+/);
    for (const text of [program, ...rest]) findings.names(text, 'maybe');
    const words = [program, ...rest].filter((word) => !/(?:^|\/)env$|^-S$/.test(word));
    if (words.slice(1).some((word) => !/^-[A-Za-z]{1,4}$/.test(word)))
      findings.lost(
        `the first line of ${quote(name)} passes ${quote(words.slice(1).join(' '))} to its interpreter`,
      );
    if (/\bnode\b/.test(line)) loadedByNode(findings, [path]);
    if (words.length > 0 && shells.has(baseName(words[0]!))) at.script(path);
  }
}

/** Follows the search for a program: a folder of the PATH that is in the project may contain it. */
function followSearch({ findings, places, variables }: Following, name: string): void {
  const path = variables.valuesOf('PATH')?.[0];
  for (const folder of [...(path?.split(':') ?? []), ...places.searched])
    if (!folder.startsWith('/') || places.disk.isInProject(folder))
      findings.names(`${folder === '' ? '.' : folder}/${name}`, 'script');
}

/** Follows a program that is found by its name. */
export function followProgram(at: Following, name: string, args: readonly ExpandedWord[]): void {
  if (at.functions.has(name)) return followScripts(at, args);
  if (Object.hasOwn(wrappers, name)) return followWrapper(at, name, wrappers[name]!, args);
  if (shells.has(name)) return followShell(at, name, args);
  const builtin = builtins.get(name);
  if (builtin) return builtin(at, args, name);
  if (interpreters.has(name)) return followInterpreter(at, name, args);
  if (name === 'git') return followGit(at, args);
  if (name === 'xargs') return followXargs(at, args);
  if (name === 'find') return followFind(at, args);
  if (name === 'run-parts') return followRunParts(at, args);
  if (Object.hasOwn(tools, name)) return followTool(at, name, args);
  const known = inTable(programs, name);
  if (known !== undefined && followCommandLine(at, name, known, args)) return undefined;
  at.findings.names(name, 'named');
  return followAnything(at, name, args);
}
