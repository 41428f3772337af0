import { isKnown, isRemote, unknownMark } from './marks.ts';
import type { Running } from './running.ts';

/** Runs a file with these arguments; undefined if there is none that can be read. */
export function runScript(
  at: Running,
  path: string,
  args: readonly string[],
  language?: string,
): string | undefined {
  const { state } = at;
  const isThere = state.files.has(path) || state.around.disk.kindOf(path) !== undefined;
  const text = at.contentOf(path);
  if (!isThere && !path.startsWith('/dev/fd/')) return undefined;
  if (at.enters(path)) return '';
  if (isRemote(text) || text === unknownMark) {
    if (isRemote(text)) at.emit({ kind: 'code', text, language: language ?? 'sh' });
    return unknownMark;
  }
  const interpreter = language ?? interpreterOf(text);
  if (interpreter === undefined) return undefined;
  if (isShell(interpreter))
    return at.apart((inner) => {
      inner.positional = args;
      return at.code(text);
    });
  return at.run([interpreter, path, ...args]);
}

/** Runs a file in this shell, as `source` does. */
export function sourceScript(at: Running, path: string, args: readonly string[]): string {
  const text = at.contentOf(path);
  if (!isKnown(text)) {
    // A file of variables that nobody can read is not code from elsewhere.
    if (isRemote(text)) at.emit({ kind: 'code', text, language: 'sh' });
    return unknownMark;
  }
  if (at.enters(path)) return '';
  const before = at.state.positional;
  if (args.length > 0) at.state.positional = args;
  const output = at.code(text);
  at.state.positional = before;
  return output;
}

/** Whether a program reads shell code. */
export const isShell = (name: string): boolean => /^(?:ba|z|da|k|a)?sh$/.test(name);

/** Returns the program that a script's first line names. */
export function interpreterOf(text: string): string | undefined {
  const [, line] = /^#!([^\n]*)/.exec(text) ?? [];
  if (line === undefined)
    return /^\s*(?:[\w./-]+|:|#)/.test(text) && text.length < 262_144 ? 'sh' : undefined;
  const words = line
    .trim()
    .split(/\s+/)
    .filter((word) => !/(?:^|\/)env$|^-S$/.test(word));
  return words[0]?.slice(words[0].lastIndexOf('/') + 1);
}
