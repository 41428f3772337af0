import { stateFolder } from '../../settings/files/levels.ts';
import { join } from 'node:path';
import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { isRecord } from '../../base/json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';

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

/**
 * Returns the port of this machine's `serve` that an entry posts to: it has the address of a host's entries
 * and sends the token. Undefined for any other request.
 */
export function servePortIn(url: unknown, headers: unknown): number | undefined {
  const [, port] = typeof url === 'string' ? (serveAddress.exec(url) ?? []) : [];
  if (port === undefined || !isRecord(headers)) return undefined;
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
  const sent = headers[name ?? ''];
  return typeof sent === 'string' && sendsToken.test(sent) ? Number(port) : undefined;
}

const serveAddress = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})\/[\w-]+(?:\/[\w.]+)?$/;
const sendsToken = new RegExp(`^Bearer \\$(?:${tokenVariable}|\\{${tokenVariable}\\})$`);

/** How much of an executable is read, in bytes. */
const mostBytes = 64 * 1024;

/**
 * Whether a hook, in any host's file, calls our relay. No dialect may run such a hook: it would run all
 * hooks once more, and never end. A hook is only a `part` of one if it also does something else, or posts
 * to a `serve` that is not this user's: then what it guards is unknown.
 */
export function relayIn(hook: UnaskedHook): 'whole' | 'part' | undefined {
  const { type, command, args = [], file, headers } = hook;
  if (type === 'http') {
    const port = servePortIn(command, headers);
    if (port === undefined) return undefined;
    return port === keptServePort() ? 'whole' : 'part';
  }
  if (type !== 'command') return undefined;
  if (file !== undefined && file === command) return relayInFile(file);
  return relayInCommand([command, ...args].join(' '));
}

function relayInFile(file: string): 'whole' | 'part' | undefined {
  const text = textIn(file, mostBytes);
  if (text === undefined || !isMadeByInstall(text)) return undefined;
  const [, call = ''] = madeByInstall.exec(text) ?? [];
  return relayInCommand(call) === 'whole' ? 'whole' : 'part';
}

/** An executable as `hookmachine install` writes it. */
const madeByInstall =
  /^#!\/bin\/sh\n#.*\n(?:case "\$1" in\n *hook\) echo \w+ ;;\n *run\) )?exec (.+?)(?: ;;\nesac)?\n$/;

/** The user's folder for what `serve` keeps. */
export const serveState = 'serve';
/** The user's folder for what the gateway keeps. */
export const gatewayState = 'gateway';

/** The port of `hookmachine serve`, kept when it starts or when entries for it are installed. */
export const keptServePort = (): number | undefined => keptPortOf(serveState);

/** The port that `serve` or the gateway keeps. */
export function keptPortOf(owner: typeof serveState | typeof gatewayState): number | undefined {
  const state = stateFolder(owner);
  const kept = state === undefined ? 0 : Number(textIn(join(state, 'port')));
  return Number.isInteger(kept) && kept > 0 && kept < 65_536 ? kept : undefined;
}
