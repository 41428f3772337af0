import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { extname, isAbsolute, resolve } from 'node:path';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { markName } from './strays.ts';
import { findProgram, isExecutable, ownFolders } from '../../base/programs.ts';
import { environment, keptInProcess } from '../../base/surroundings.ts';

const shellFound = keptInProcess((): { path?: string | undefined; shell?: string } => ({}));

/** The shell that runs hook commands: `bash` if the PATH has one, otherwise `sh`. */
export function findShell(): string {
  const known = shellFound();
  const path = environment()['PATH'];
  if (known.shell === undefined || known.path !== path) {
    known.path = path;
    known.shell = findProgram('bash', ownFolders()) ?? '/bin/sh';
  }
  return known.shell;
}

let systems: string | undefined;

/** The shell of the system itself, whatever the PATH says. */
export const systemShell = (): string =>
  (systems ??= ['/bin/bash', '/usr/bin/bash'].find(isExecutable) ?? '/bin/sh');

/** Where in the shell's grammar the scanner is. */
type Place = 'text' | 'double' | 'group' | 'arithmetic' | 'braces' | 'quoted braces' | 'backticks';

/** A here-document whose text is still to come. */
interface HereDocument {
  readonly delimiter: string;
  readonly isIndented: boolean;
}

const anyOf = (...patterns: RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'y');

/** Tokens that have a meaning outside quotes; anything else is text. */
const unquotedToken = anyOf(
  /\\[^]/,
  /'[^']*'/,
  /\$'(?:\\[^]|[^'\\])*'/,
  /(?<=^|[\s;&|()<>])#.*/,
  /<<</,
  /<<(?<indented>-?)[ \t]*(?<delimiter>(?:\\.|'[^'\n]*'|"[^"\n]*"|[^\s;&|()<>'"\\])+)/,
  /\$(?:(?<name>\w+)|\{(?<braced>\w+)\})/,
  /\$\{/,
  /\$?\({1,2}/,
  /\bcase\b/,
  /[\n"`)}]/,
);

/**
 * Tokens that have a meaning inside double quotes. Backticks are one token there, because a backslash in them
 * may mean two things.
 */
const quotedToken = anyOf(/\\[^]/, /`(?:\\[^]|[^\\`])*`/, /\$\{/, /\$\({1,2}/, /["}]/);

/**
 * Makes a hook's command safe for a project folder with blanks in its name.
 *
 * The shell itself expands `$LLXPRT_PROJECT_DIR`, `${extensionPath}` and whatever else we add to the
 * environment. Where it would split the value, outside quotes, the reference is put into double quotes. The
 * value never becomes part of the command, so no folder name can run anything.
 *
 * @example
 * expandCommand('$LLXPRT_PROJECT_DIR/check.sh', { LLXPRT_PROJECT_DIR: '/my project' })
 * // '"$LLXPRT_PROJECT_DIR"/check.sh'
 */
export function expandCommand(command: string, env: Readonly<Record<string, string>>): string {
  if (!command.includes('$')) return command;
  const places: Place[] = ['text'];
  const documents: HereDocument[] = [];
  let expanded = '';
  for (let index = 0; index < command.length;) {
    const place = places.at(-1)!;
    const quoted = isQuoted(place);
    const pattern = quoted ? quotedToken : unquotedToken;
    pattern.lastIndex = index;
    const found = pattern.exec(command);
    let token = found?.[0] ?? command[index]!;
    const { name, braced, delimiter, indented } = found?.groups ?? {};
    const variable = name ?? braced;
    // The pattern of a case ends with a lone parenthesis, and only a parser can tell it from the end of the
    // substitution: what follows stays as it is.
    if (token === 'case' && places.some(isQuoted)) token = command.slice(index);
    else if (variable !== undefined && Object.hasOwn(env, variable)) token = `"${token}"`;
    else if (delimiter !== undefined && place !== 'arithmetic')
      documents.push({
        delimiter: delimiter.replaceAll(/["'\\]/g, ''),
        isIndented: indented === '-',
      });
    else if (token === '\n')
      token = command.slice(index, afterDocuments(command, index + 1, documents));
    else if (token === '"') toggle(places, 'double');
    else if (token === '`') toggle(places, 'backticks');
    else if (token.startsWith('#') && place !== 'text' && place !== 'group') token = '#';
    else if (token === '}' && place.endsWith('braces')) places.pop();
    else if (token === ')' && (place === 'group' || place === 'arithmetic')) places.pop();
    else if (token === '${') places.push(quoted ? 'quoted braces' : 'braces');
    else if (token.endsWith('((')) places.push('arithmetic', 'arithmetic');
    else if (token.endsWith('(')) places.push('group');
    expanded += token;
    index += variable === undefined ? token.length : found![0].length;
  }
  return expanded;
}

/** The shell does not split values in such a place. */
const isQuoted = (place: Place): boolean => place === 'double' || place === 'quoted braces';

/** Leaves the innermost place if it is of this kind, otherwise enters one. */
function toggle(places: Place[], place: Place): void {
  if (places.at(-1) === place) places.pop();
  else places.push(place);
}

/** The position after the here-documents that begin at `start`; the shell does not split values in them. */
function afterDocuments(command: string, start: number, documents: HereDocument[]): number {
  for (const { delimiter, isIndented } of documents.splice(0)) {
    for (let line: string | undefined; line !== delimiter && start < command.length;) {
      const end = command.indexOf('\n', start);
      line = command.slice(start, end === -1 ? undefined : end);
      if (isIndented) line = line.replace(/^\t+/, '');
      start = end === -1 ? command.length : end + 1;
    }
  }
  return start;
}

/*
 * The environment of a hook.
 *
 * An administrator's hook must decide the same whatever the user, or an agent in the user's name, has put
 * into the environment: no `BASH_ENV`, `NODE_OPTIONS`, `PYTHONPATH`, `LD_PRELOAD`, `GIT_DIR` or exported
 * function reaches it, and its programs come from the system's folders. The variables that are let through
 * say where home is, which language to use, and what the terminal can do; they are those that sudo lets
 * through, under the same conditions.
 */

/** The folders in which programs of a clean environment are looked up. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Values that name a language, a terminal or a time zone: a path in them would cause a file to be read. */
const plainWord = /^[\w.,:+@=-]*$/;
const zone = /^[\w.,:+-]+(?:\/[\w.,:+-]+)*$/;

const allowed: readonly [name: RegExp, value: (value: string) => boolean][] = [
  [/^HOME$/, isAbsolute],
  [/^(?:LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|NO_COLOR)$/, (value) => plainWord.test(value)],
  [/^TZ$/, (value) => zone.test(value) && !value.startsWith(':') && !value.includes('..')],
  // Marks of the hosts that this one runs under, so that they can find their processes.
  [new RegExp(`^${markName}$`), (value) => /^[\w.;]*$/.test(value)],
];

/** The environment of a hook: the host's, or a clean one, plus the hook's own variables. */
export function environmentOf({
  env,
  isClean,
}: Pick<HookCommand, 'env' | 'isClean'>): Record<string, string | undefined> {
  return { ...(isClean ? cleanEnvironment() : hostEnvironment()), ...env };
}

/** A copy of the host's environment. Spreading it would ask the system for each variable twice. */
function hostEnvironment(): Record<string, string> {
  const copy = Object.create(null) as Record<string, string>;
  const given = environment();
  for (const name of Object.getOwnPropertyNames(given)) {
    const value = given[name];
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}

function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(environment()).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      allowed.some(([name, fits]) => name.test(entry[0]) && fits(entry[1]!)),
  );
  return { ...Object.fromEntries(kept), ...whoRunsIt(), PATH: systemPath };
}

let who: Record<string, string> | undefined;

/** The user as the system knows them, not as the environment says. */
function whoRunsIt(): Record<string, string> {
  if (who === undefined) {
    try {
      const { username } = userInfo();
      who = { USER: username, LOGNAME: username };
    } catch {
      // The system has no name for this user.
      who = {};
    }
  }
  return who;
}

/**
 * A file that changed shortly before a start may have changed shortly after it: file timestamps are coarse.
 * In ms.
 */
export const coarse = 50;

/** Which files these names lead to, and in which state those are. */
export const identitiesOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      try {
        const real = realpathSync.native(file);
        const { dev, ino, size, mtimeMs, ctimeMs } = statSync(real);
        return [real, dev, ino, size, mtimeMs, ctimeMs].join(':');
      } catch {
        return 'none';
      }
    })
    .join('\n');

/** Why a script cannot run, as far as its file shows. */
export interface ScriptFault {
  readonly code: 'not-executable' | 'line-ends' | 'interpreter-missing' | 'not-shell';
  /** Continues "its script …". */
  readonly message: string;
  readonly fix: string;
}

/** The interpreters of scripts that are no shell scripts, by the ends of their names. */
const languages: Readonly<Record<string, string>> = {
  '.cjs': 'node',
  '.js': 'node',
  '.mjs': 'node',
  '.php': 'php',
  '.pl': 'perl',
  '.py': 'python3',
  '.rb': 'ruby',
};

/** Examines a script that is run `by` an interpreter, or by itself. `name` is what its command calls it. */
export function scriptFault(file: string, name: string, by?: string): ScriptFault | undefined {
  const text = beginningOf(file);
  const first = /^#!([^\n]*)/.exec(text)?.[1];
  const language = by === undefined && first === undefined ? languages[extname(file)] : undefined;
  if (language !== undefined && text !== '')
    return {
      code: 'not-shell',
      message: 'does not name its interpreter in its first line, so it would run as a shell script',
      fix: `begin it with #!/usr/bin/env ${language}, or write ${JSON.stringify(`${language} ${name}`)} as the command`,
    };
  if (by === undefined && !isExecutable(file))
    return { code: 'not-executable', message: 'is not executable', fix: `run chmod +x ${name}` };
  const isShells = /\b(?:ba|da|z|k)?sh\b/.test((by === undefined ? first : by) ?? '');
  if ((by === undefined && first?.endsWith('\r')) || (isShells && text.includes('\r\n')))
    return {
      code: 'line-ends',
      message: 'has Windows line endings, with which it cannot run',
      fix: `convert them to line feeds, for example with: sed -i 's/\\r$//' ${name}`,
    };
  const interpreter = by === undefined && first !== undefined ? interpreterOf(first) : undefined;
  if (interpreter === undefined || isInstalled(interpreter)) return undefined;
  return {
    code: 'interpreter-missing',
    message: `names ${JSON.stringify(interpreter)} in its first line, which is not installed here`,
    fix: 'install it, or name another interpreter',
  };
}

/** The program that a script's first line names; for `env`, the one that it looks up. */
function interpreterOf(line: string): string | undefined {
  const [program, ...rest] = line.trim().split(/\s+/);
  if (!program?.endsWith('/env')) return program || undefined;
  return rest.find((word) => !word.startsWith('-') && !word.includes('='));
}

const isInstalled = (program: string): boolean =>
  isAbsolute(program) ? isExecutable(program) : findProgram(program) !== undefined;

/** Reads enough of a script to show its first line and how its lines end. */
function beginningOf(file: string): string {
  try {
    const bytes = Buffer.alloc(16_384);
    const open = openSync(file, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(open, bytes));
    } finally {
      closeSync(open);
    }
  } catch {
    return '';
  }
}

/** What a failed command was. */
interface Failed {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Looks for the reason of an exit code with which a shell says that it could not run something. The files are
 * those that the command's own words name, without reading it as a shell would.
 */
export function faultBehind({ command, args, cwd, env }: Failed): string | undefined {
  const words = args
    ? [command, ...args]
    : (command.match(/(?:"[^"]*"|'[^']*'|[^\s;&|()<>])+/g) ?? []);
  const plain = words.map((word) =>
    word
      .replaceAll(/["']/g, '')
      .replaceAll(/\$\{?(\w+)\}?/g, (text, name: string) => env[name] ?? text),
  );
  for (const [index, word] of plain.entries()) {
    const file = resolve(cwd, word);
    if (!isFile(file)) continue;
    const before = plain[index - 1]?.split('/').at(-1);
    const by = before !== undefined && /^(?:ba|da|z|k)?sh$/.test(before) ? before : undefined;
    // A file that is only read need not be executable.
    if (index > 0 && by === undefined && !/[;&|(]\s*$/.test(textBefore(command, words[index]!)))
      continue;
    const fault = scriptFault(file, word, by);
    if (fault) return `its script ${JSON.stringify(word)} ${fault.message}; ${fault.fix}`;
  }
  return undefined;
}

const textBefore = (command: string, word: string): string =>
  command.slice(0, command.indexOf(word));

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
