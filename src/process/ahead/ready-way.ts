/** How a shell that waits goes on: it becomes the program, runs the line itself, or becomes a shell of the text. */
export type ReadyWay = 'program' | 'line' | 'text';

/** Parts of a word that mean themselves; in double quotes also references to variables. */
const part = /[\w@%+:,./-]|'[^']*'|"(?:[^"\\$`]|\$(?:\w+(?!\w)|\{\w+\}))*"/.source;
/** A word where it must not be taken for an assignment, and where it cannot. */
const [first, word] = [`(?:~/)?(?:${part})+`, `(?:~/)?(?:${part}|=)+`];
const [blank, blanks] = ['[ \\t]*', '[ \\t]+'];
const programCall = new RegExp(`^${blank}(?<program>${first})(?:${blanks}${word})*\\s*$`);

/** Programs that neither ask what runs them nor run anything themselves. */
const programs = ['cat', 'cut', 'date', 'grep', 'head', 'jq', 'sleep', 'tail', 'touch', 'tr', 'wc'];
const builtins = ['echo', 'exit', 'false', 'printf', 'true'];
/** Programs that run others' code; no shell has a builtin or a word of these names. */
const runners = ['bun', 'deno', 'node', 'npm', 'npx', 'perl', 'php', 'pnpm', 'ruby', 'uv', 'uvx'];
const interpreters = ['bash', 'python', 'python3', 'sh', 'zsh', ...runners];

const redirection = `[012]?(?:>>?|<)${blank}${first}|[12]?>&[12](?=[\\s;|&]|$)`;
const callOf = (names: readonly string[]): string =>
  `(?:${names.join('|')})(?:${blanks}(?:${redirection}|${word}))*${blank}`;
const line = new RegExp(
  `^${blank}(?:${callOf([...programs, ...builtins])}(?:;|&&|\\|\\|?)${blank})*` +
    `(?<!(?<!\\|)\\|${blank})${callOf(builtins)};?\\s*$`,
);

/** What a waiting shell calls by its name; a function of this name would be called instead. */
export const calledByName: readonly string[] = [...programs, ...interpreters, ...builtins];

const wellKnown = new Set([...programs, ...interpreters]);

/**
 * In which way a waiting shell does what `bash -c` of this command would, as far as anything can tell.
 *
 * - A program with its arguments: a shell would become the program. A name that is neither a path nor
 *   well known may be a function of the shell's, or a word of its grammar.
 * - A line of well-known commands that ends in a builtin: a shell would itself stay to the end, and
 *   none of them can tell by what words it was started.
 * - Anything else gets a shell of its own, in the place of the one that waited.
 *
 * The only variables are those that the hook was given.
 */
export function readyWay(text: string, env: Readonly<Record<string, string>>): ReadyWay {
  for (const [, name] of text.matchAll(/\$\{?(\w+)/g))
    if (!Object.hasOwn(env, name!)) return 'text';
  // Complaints count the lines, and shells know when they were started.
  if (/\n.*\S/.test(text) || text.includes('%(')) return 'text';
  const { program } = programCall.exec(text)?.groups ?? {};
  if (program !== undefined && (program.includes('/') || wellKnown.has(program))) return 'program';
  return line.test(text) ? 'line' : 'text';
}
