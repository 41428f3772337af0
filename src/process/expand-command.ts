import { quoteForShell } from './quote.ts';

/** Where the scanner is: in plain shell text, inside double quotes, or inside a command substitution. */
type Context = 'plain' | 'double' | 'paren' | 'backtick';

const variable = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/y;

/**
 * Writes the values of `variables` into a shell command, wherever the shell would split them at blanks.
 *
 * Only unquoted `$NAME` and `${NAME}` are replaced, by the quoted value; a name that merely begins
 * with a known one stays. Quoted ones are left to the shell, whose environment has the variable, and
 * so is everything after a here-document begins. A value is never spliced raw (HOOK-188, C-14).
 *
 * @example
 * expandCommand('$LLXPRT_PROJECT_DIR/check.sh', { LLXPRT_PROJECT_DIR: '/my proj' })
 * // "'/my proj'/check.sh"
 */
export function expandCommand(
  command: string,
  variables: Readonly<Record<string, string>>,
): string {
  if (!command.includes('$')) return command;
  const contexts: Context[] = ['plain'];
  let expanded = '';
  let index = 0;
  /** Copies up to `end` as it stands. */
  const copyTo = (end: number): void => {
    expanded += command.slice(index, end);
    index = end;
  };
  while (index < command.length) {
    const context = contexts.at(-1)!;
    const char = command[index]!;
    const quoted = context === 'double';
    if (char === '\\') copyTo(index + 2);
    else if (char === "'" && !quoted) copyTo(closing(command, index));
    else if (command.startsWith("$'", index) && !quoted) copyTo(closingAnsi(command, index));
    else if (char === '"') {
      if (quoted) contexts.pop();
      else contexts.push('double');
      copyTo(index + 1);
    } else if (char === '`') {
      if (context === 'backtick') contexts.pop();
      else contexts.push('backtick');
      copyTo(index + 1);
    } else if (char === '(' && !quoted) {
      contexts.push('paren');
      copyTo(index + 1);
    } else if (command.startsWith('$(', index)) {
      contexts.push('paren');
      copyTo(index + 2);
    } else if (char === ')' && context === 'paren') {
      contexts.pop();
      copyTo(index + 1);
    } else if (char === '#' && !quoted && /(^|[\s;&|(])$/.test(command.slice(0, index))) {
      const end = command.indexOf('\n', index);
      copyTo(end === -1 ? command.length : end);
    } else if (!quoted && /^<<-?\s*["'\\\w]/.test(command.slice(index, index + 64))) {
      copyTo(command.length);
    } else if (char === '$' && !quoted) {
      variable.lastIndex = index;
      const found = variable.exec(command);
      const name = found?.[1] ?? found?.[2];
      if (found && name !== undefined && Object.hasOwn(variables, name)) {
        expanded += quoteForShell(variables[name]!);
        index += found[0].length;
      } else copyTo(index + 1);
    } else copyTo(index + 1);
  }
  return expanded;
}

/** The place behind a single-quoted text. */
function closing(command: string, start: number): number {
  const end = command.indexOf("'", start + 1);
  return end === -1 ? command.length : end + 1;
}

/** The place behind a `$'…'` text, in which a backslash escapes the quote. */
function closingAnsi(command: string, start: number): number {
  for (let index = start + 2; index < command.length; index++) {
    if (command[index] === '\\') index++;
    else if (command[index] === "'") return index + 1;
  }
  return command.length;
}
