import { basename } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import { builtins } from './builtins.ts';
import { code } from './code.ts';
import { databases } from './databases.ts';
import { filePrograms } from './file-programs.ts';
import { filters } from './filters.ts';
import { gitProgram } from './git.ts';
import { launchers, runOptions } from './launchers.ts';
import { isGlob, isKnown, unknownMark } from './marks.ts';
import { network } from './network.ts';
import { anyProgram, type Program } from './program.ts';
import type { Running } from './running.ts';
import { runners } from './runners.ts';
import { runScript } from './scripts.ts';
import { secretSources } from './secret-sources.ts';
import { wrappers } from './wrappers.ts';

const programs: ReadonlyMap<string, Program> = new Map([
  ...secretSources,
  ...filters,
  ...filePrograms,
  ...network,
  ...databases,
  ...runners,
  ...code,
  ...wrappers,
  ...builtins,
  ...launchers,
  ['git', gitProgram],
]);

/** Whether we know which files a program reads and writes. */
export const isKnownProgram = (name: string): boolean => programs.has(versionless(name));

/** Runs a program, a function, an alias or a script. */
export function runProgram(at: Running, words: readonly string[]): string {
  const [first = '', ...args] = words;
  const { state } = at;
  if (first === '') return args.length > 0 ? at.run(args) : '';
  if (!isKnown(first) || isGlob(first)) {
    at.emit({ kind: 'code', text: words.join(' '), language: 'program' });
    return unknownMark;
  }
  const body = state.functions.get(first);
  if (body !== undefined) return callFunction(at, body, args);
  const alias = state.aliases.get(first);
  if (alias !== undefined) return runAlias(at, first, alias, args);
  const name = basename(first);
  if (first.includes('/') && !isInstalled(first)) {
    const output = runScript(at, at.path(first), args);
    if (output !== undefined) return output;
  }
  const { folder, stdin, env } = at;
  at.emit({ kind: 'run', name, args, cwd: folder, via: state.via, stdin, env });
  runOptions(at, name, args);
  const program = programs.get(versionless(name));
  return program === undefined ? anyProgram(at, args, name) : program(at, args, versionless(name));
}

/** `python3.12` and `gcc-13` are what their names say. */
const versionless = (name: string): string =>
  programs.has(name) ? name : name.replace(/(?:-?\d+(?:\.\d+)*|\.exe)$/, '');

/** Whether a path is a place of the system's programs, or of a project's installed ones. */
const isInstalled = (path: string): boolean =>
  /^(?:\/(?:usr\/)?(?:local\/)?s?bin|\/opt\/homebrew\/bin|\/snap\/bin|(?:.*\/)?node_modules\/\.bin)\/[^/]+$/.test(
    path,
  );

function callFunction(
  at: Running,
  body: Parameters<Running['node']>[0],
  args: readonly string[],
): string {
  const { state } = at;
  const before = state.positional;
  state.positional = args;
  const output = at.node(body);
  state.positional = before;
  state.hasEnded = false;
  return output;
}

/** An alias may name itself, which then means the program. */
function runAlias(at: Running, name: string, alias: string, args: readonly string[]): string {
  at.state.aliases.delete(name);
  const output = at.code([alias, ...args.map(shellWord)].join(' '));
  at.state.aliases.set(name, alias);
  return output;
}
