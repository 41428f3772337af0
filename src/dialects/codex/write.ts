import { entryWriter, unanchored, type Writer } from '../writer.ts';
import { codexEvents, traitsOf, type CodexEventName } from './events.ts';
import { installation } from './install.ts';
import { toCodexSource } from './matcher.ts';
import { toCodexTool } from './tools.ts';

const isName = (name: string): boolean => /^\w+$/.test(name);

/** The most that Codex gives a hook of an event, in seconds. */
const longestOf = (event: string): number =>
  event in codexEvents ? 3 * (traitsOf(event as CodexEventName).seconds ?? Infinity) : Infinity;

/** How Codex's `hooks.json` says what a hook is. */
export const writer: Writer = {
  ...installation,
  toolName: toCodexTool,
  word: (_, ours) => toCodexSource(ours),
  list: (names) => (names.every(isName) ? names.join('|') : unanchored.list(names)),
  either: unanchored.either,
  write: entryWriter({
    runs: { command: 'command' },
    inGroups: true,
    fields: { async: 'async' },
    // Whole seconds, and no more than Codex gives.
    timeout: (ms, event) => ({ timeout: Math.min(Math.ceil(ms / 1_000), longestOf(event)) }),
  }),
};
