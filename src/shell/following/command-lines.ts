import { followArgument } from './arguments.ts';
import type { Following } from './following.ts';
import type { Program, Role } from './known-programs.ts';
import { literally, quote, literalWord, type ExpandedWord } from './expanded-word.ts';

type Use = readonly [argument: ExpandedWord, role: Role];

/** Follows the command line of a known program; returns false if anything in it is unknown. */
export function followCommandLine(
  at: Following,
  name: string,
  program: Program,
  args: readonly ExpandedWord[],
): boolean {
  const uses = usesOf(name, program, args);
  for (const [argument, role] of uses ?? [])
    if (role !== 'code') followArgument(at, argument, role, name);
    else if (!isHarmless(argument, program)) {
      at.findings.lost(`the code of ${quote(name)} may read or run other files`);
      followArgument(at, argument, 'maybe');
    }
  return uses !== undefined;
}

/** Returns the role of each argument; undefined if one of them is unknown. */
function usesOf(name: string, program: Program, args: readonly ExpandedWord[]): Use[] | undefined {
  const { flags, options = {}, longFlags = [], longOptions = {}, operands } = program;
  const { instead = [], hasNoOptions = false } = program;
  const uses: Use[] = [];
  let position = 0;
  let areOptionsOver = hasNoOptions;
  const rest = [...args];
  for (let argument = rest.shift(); argument; argument = rest.shift()) {
    const [text] = literally(argument) ?? [];
    // An argument that is not literal may be an option as well.
    const start = text ?? argument.meant.start;
    if (name === 'jq' && takeJqPair(start, rest, uses)) continue;
    if (!areOptionsOver && start === '--') areOptionsOver = true;
    else if (!areOptionsOver && start.startsWith('--')) {
      const [, option, value] = /^--([\w-]+)(?:=([^]*))?$/.exec(text ?? '') ?? [];
      if (option === undefined) return undefined;
      if (instead.includes(option)) position = Math.max(position, 1);
      const role = longOptions[option];
      if (role === undefined) {
        if (!longFlags.includes(option)) return undefined;
        continue;
      }
      const given = value === undefined ? rest.shift() : literalWord(value);
      if (given) uses.push([given, role]);
    } else if (
      !areOptionsOver &&
      /^-./.test(start) &&
      !(operands[0] === 'text' && /^-\d+$/.test(start))
    ) {
      if (text === undefined && start.length < 2) return undefined;
      for (let index = 1; index < start.length; index++) {
        const letter = start[index]!;
        const role = options[letter];
        if (instead.includes(letter)) position = Math.max(position, 1);
        if (role !== undefined) {
          const attached = start.slice(index + 1);
          const given =
            text === undefined ? argument : attached === '' ? rest.shift() : literalWord(attached);
          if (given) uses.push([given, role]);
          break;
        }
        if (!flags.includes(letter)) return undefined;
      }
    } else {
      const role = operands[Math.min(position++, operands.length - 1)];
      if (role === undefined) return undefined;
      uses.push([argument, role]);
    }
  }
  return uses;
}

const isHarmless = (argument: ExpandedWord, { harmlessCode }: Program): boolean =>
  literally(argument)?.every((code) => code.length < 4_000 && harmlessCode?.test(code)) ?? false;

/** jq takes names and values in pairs: `--arg name value`, `--slurpfile name file`. */
function takeJqPair(option: string, rest: ExpandedWord[], uses: Use[]): boolean {
  if (option === '--args' || option === '--jsonargs') {
    for (const one of rest.splice(0)) uses.push([one, 'text']);
    return true;
  }
  const role = jqPairs.get(option);
  if (role === undefined) return false;
  rest.shift();
  const value = rest.shift();
  if (value) uses.push([value, role]);
  return true;
}

const jqPairs: ReadonlyMap<string, Role> = new Map([
  ['--arg', 'text'],
  ['--argjson', 'text'],
  ['--slurpfile', 'file'],
  ['--rawfile', 'file'],
]);
