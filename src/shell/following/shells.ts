import { followAnything, followScripts } from './arguments.ts';
import { followEvaluated, followInput, followScript } from './code.ts';
import type { Following } from './following.ts';
import { literally, type ExpandedWord } from './expanded-word.ts';

/** Follows the command line of a shell: a script, code after `-c`, or the shell's input. */
export function followShell(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const rest = [...args];
  for (let argument = rest.shift(); argument; argument = rest.shift()) {
    const [text] = literally(argument) ?? [];
    if (text === '--rcfile' || text === '--init-file') {
      const file = rest.shift();
      if (file) followScript(at, file, `${name} ${text}`);
    } else if (text !== undefined && harmless.test(text)) continue;
    else if (text !== undefined && /^[-+][A-Za-z]/.test(text)) {
      const letters = text.slice(1);
      if (/[oO]/.test(letters)) rest.shift();
      if (text.startsWith('-') && letters.includes('c')) return followCode(at, name, rest);
      if (text.startsWith('-') && letters.includes('s')) {
        followScripts(at, rest);
        return followInput(at, name, true);
      }
    } else if (text?.startsWith('-')) return followAnything(at, name, [argument, ...rest]);
    else {
      followScript(at, argument, name);
      return followScripts(at, rest);
    }
  }
  return followInput(at, name, true);
}

const harmless = /^(?:-|--|--(?:norc|noprofile|posix|verbose|login|restricted))$/;

function followCode(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const rest = [...args];
  while (rest[0] && /^[-+][A-Za-z]/.test(rest[0].written)) rest.shift();
  const code = rest.shift();
  if (code) followEvaluated(at, `${name} -c`, [code]);
  followScripts(at, rest);
}
