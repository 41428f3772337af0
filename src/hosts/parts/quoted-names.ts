/**
 * Returns a shell command in which variables expand in single quotes too, for hosts that put values into
 * the text of a command. The value itself never becomes part of the command.
 *
 * @example
 * withQuotedNames(`node -e 'run("$DIR")'`, ['DIR']);
 * // `node -e 'run("'"$DIR"'")'`
 */
export function withQuotedNames(command: string, names: readonly string[]): string {
  const name = new RegExp(`\\$(?:${names.join('|')})(?!\\w)|\\$\\{(?:${names.join('|')})\\}`, 'g');
  return command.replaceAll(/\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'/g, (part) =>
    part.startsWith("'") ? part.replaceAll(name, `'"$&"'`) : part,
  );
}
