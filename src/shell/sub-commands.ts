import { forEachChild, type Command, type SyntaxNode, type Word } from 'unbash';
import { parseShell } from './parse-shell.ts';

/** Programs that run the command after them, so that a rule looks through them. */
const wrappers: ReadonlySet<string> = new Set([
  'timeout',
  'time',
  'nice',
  'nohup',
  'stdbuf',
  'xargs',
]);

/**
 * Returns the commands in a shell command, each without its assignments and redirections, as written
 * and with quotes removed. Undefined if the shell would not understand it, or if there is no command in
 * it.
 */
export function subCommands(text: string): readonly string[] | undefined {
  const script = parseShell(text);
  if (script === undefined || script.errors?.length) return undefined;
  const found: string[] = [];
  const walk = (node: SyntaxNode): void => {
    if (node.type === 'Command') found.push(...spellings(node));
    forEachChild(node, walk);
  };
  walk(script);
  return found.length === 0 ? undefined : found;
}

function spellings({ name, args }: Command): string[] {
  if (name === undefined) return [];
  const words = [name, ...args.filter((arg): arg is Word => arg.type === 'Word')];
  const variants = [words, unwrapped(words)];
  return [
    ...new Set(
      variants.flatMap((some) => [
        some.map(({ text }) => text).join(' '),
        some.map(({ value }) => value).join(' '),
      ]),
    ),
  ];
}

/** Returns what a wrapper runs: everything from the first word that is neither an option nor a number. */
function unwrapped(words: readonly Word[]): readonly Word[] {
  if (!wrappers.has(words[0]?.value ?? '')) return words;
  const start = words.findIndex(
    ({ value }, index) => index > 0 && !value.startsWith('-') && !/^[\d.]+[smhd]?$/.test(value),
  );
  return start === -1 ? words : unwrapped(words.slice(start));
}
