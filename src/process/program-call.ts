/** Parts of a word that mean themselves; in double quotes also references to variables. */
const part = /[\w@%+:,./-]|'[^']*'|"(?:[^"\\$`]|\$(?:\w+|\{\w+\}))*"/.source;
const call = new RegExp(`^[ \\t]*(?<program>(?:${part})+)(?:[ \\t]+(?:${part}|=)+)*\\s*$`);

/**
 * Whether a command is no more than the path of a program and its arguments. A shell given such a
 * command becomes the program; a name without a path may be a function of the shell's, or a word of
 * its grammar. The only variables are those that the hook was given.
 */
export function isProgramCall(text: string, env: Readonly<Record<string, string>>): boolean {
  const { program } = call.exec(text)?.groups ?? {};
  if (program === undefined || !program.includes('/')) return false;
  return [...text.matchAll(/\$\{?(\w+)/g)].every(([, name]) => Object.hasOwn(env, name!));
}
