import type { UnaskedHook } from '../settings/hook-definition.ts';
import { isRecord } from '../protocol/output.ts';
import { readBounded } from '../settings/read-bounded.ts';

/** A word of a shell command, a comment, or a separator between commands. */
const token =
  /((?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\|&;<>()`#]|(?<=[^\s|&;<>()`])#)+)|(#[^\n]*)|([|&;<>()`\n"'])/g;

/** Words that only say how the following program is started. */
const starters = /^(?:\w+=.*|exec|env|npx|bunx|-\S+|(?:.*\/)?(?:node|bun))$/;

const shells = /^(?:.*\/)?(?:ba|da|z)?sh$/;

/** Whether a command calls our relay, as the whole command or as a part of it. */
export function relayInCommand(command: string): 'whole' | 'part' | undefined {
  if (!command.includes('hookmachine') || !command.includes('relay')) return undefined;
  const commands: string[][] = [[]];
  for (const [, word, comment] of command.matchAll(token))
    if (word !== undefined) commands.at(-1)!.push(word.replaceAll(/["'\\]/g, ''));
    else if (comment === undefined) commands.push([]);
  const isWhole = commands.length === 1 && !/\$\(/.test(command);
  for (const words of commands) {
    const inner = relayInWords(words);
    if (inner !== undefined) return isWhole ? inner : 'part';
  }
  return undefined;
}

function relayInWords(words: readonly string[]): 'whole' | 'part' | undefined {
  const at = words.findIndex((word) => !starters.test(word));
  const [program = '', ...rest] = words.slice(at);
  if (/(?:^|\/)hookmachine(?:\.cjs)?$/.test(program))
    return rest[0] === 'relay' ? 'whole' : undefined;
  const script = shells.test(program) && rest.find((word) => !word.startsWith('-'));
  return script ? relayInCommand(script) : undefined;
}

/** The comment at the top of a file that `hookmachine install` writes. */
export const relayMark = 'Made by hookmachine install: it calls the relay.';

/** Whether `hookmachine install` wrote this file text. */
export const isMadeByInstall = (text: string): boolean =>
  text.split('\n', 2).some((line) => [`# ${relayMark}`, `// ${relayMark}`].includes(line.trim()));

/** The variable that holds the token of `serve`, for a host whose hooks post to it. */
export const tokenVariable = 'HOOKMACHINE_TOKEN';

/** Whether a request with these headers goes to `serve`: nothing else needs its token. */
export const postsToServe = (headers: unknown): boolean =>
  isRecord(headers) &&
  Object.values(headers).some(
    (value) => typeof value === 'string' && value.includes(tokenVariable),
  );

/** How much of an executable is read, in bytes. */
const mostBytes = 64 * 1024;

/**
 * Whether a hook, in any host's file, calls our relay. No dialect may run such a hook: it would run all
 * hooks once more, and never end.
 */
export function relayIn(hook: UnaskedHook): 'whole' | 'part' | undefined {
  const { type, command, args = [], file, headers } = hook;
  if (type === 'http') return postsToServe(headers) ? 'whole' : undefined;
  if (type !== 'command') return undefined;
  if (file !== undefined && file === command) return isMarked(file) ? 'whole' : undefined;
  return relayInCommand([command, ...args].join(' '));
}

function isMarked(file: string): boolean {
  try {
    const read = readBounded(file, mostBytes);
    return 'bytes' in read && isMadeByInstall(read.bytes.toString('latin1'));
  } catch {
    return false;
  }
}
