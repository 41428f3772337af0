import { followValue } from './assignments.ts';
import { followAnything } from './arguments.ts';
import { followEvaluated } from './code.ts';
import { changeFolder } from './folders.ts';
import type { Following } from './following.ts';
import type { Wrapper } from './known-programs.ts';
import { literally, literalWord, type ExpandedWord } from './expanded-word.ts';

/** Follows a program that starts another: `env`, `timeout 5`, `nice -n 3`. */
export function followWrapper(
  at: Following,
  name: string,
  wrapper: Wrapper,
  args: readonly ExpandedWord[],
): void {
  const { flags, options = '', longFlags = [], longOptions = [], operands = 0 } = wrapper;
  const rest = [...args];
  let left = operands;
  for (let argument = rest.shift(); argument; argument = rest.shift()) {
    const [text] = literally(argument) ?? [];
    if (text === undefined) {
      if (left-- > 0) continue;
      return at.run([argument, ...rest]);
    }
    // `command -v x` only looks the name up.
    if (name === 'command' && /^-[pvV]*[vV]/.test(text)) return at.findings.looksFor(rest);
    const assignment = /^([A-Za-z_]\w*)=([^]*)$/.exec(text);
    if (assignment && (name === 'env' || name === 'sudo')) {
      followValue(at, assignment[1]!, [assignment[2]!], assignment[2]!);
      continue;
    }
    if (text === '--') continue;
    const long = /^--([\w-]+)(?:=([^]*))?$/.exec(text);
    if (long) {
      if (longFlags.includes(long[1]!)) continue;
      if (!longOptions.includes(long[1]!)) return followAnything(at, name, [argument, ...rest]);
      const value = long[2] === undefined ? rest.shift() : literalWord(long[2]);
      if (name === 'env' && long[1] === 'chdir' && value) changeFolder(at, [value]);
      if (name === 'env' && long[1] === 'split-string' && value) return split(at, value, rest);
      continue;
    }
    if (/^-./.test(text)) {
      for (let index = 1; index < text.length; index++) {
        const letter = text[index]!;
        if (flags.includes(letter)) continue;
        if (!options.includes(letter)) return followAnything(at, name, [argument, ...rest]);
        const value = index + 1 < text.length ? literalWord(text.slice(index + 1)) : rest.shift();
        if (name === 'env' && letter === 'C' && value) changeFolder(at, [value]);
        if (name === 'env' && letter === 'S' && value) return split(at, value, rest);
        break;
      }
      continue;
    }
    if (left-- > 0) continue;
    return at.run([argument, ...rest]);
  }
  return undefined;
}

/**
 * Follows `env -S 'sh guard.sh'`. It has its own syntax for words, close enough to the shell's to be read as
 * such.
 */
function split(at: Following, value: ExpandedWord, rest: readonly ExpandedWord[]): void {
  followEvaluated(at, 'env -S', [value]);
  if (rest.length > 0) followAnything(at, 'env -S', rest);
}
