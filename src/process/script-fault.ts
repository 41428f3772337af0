import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { findProgram, isExecutable } from './programs.ts';

/** Why a script cannot run, as far as its file shows. */
export interface ScriptFault {
  readonly code: 'not-executable' | 'line-ends' | 'interpreter-missing';
  /** Continues "its script …". */
  readonly message: string;
  readonly fix: string;
}

/** Examines a script that is run `by` an interpreter, or by itself. `name` is what its command calls it. */
export function scriptFault(file: string, name: string, by?: string): ScriptFault | undefined {
  const text = beginningOf(file);
  const first = /^#!([^\n]*)/.exec(text)?.[1];
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
