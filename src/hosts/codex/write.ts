import { entryWriter, unanchored, type Writer } from '../../core/dialects/writer.ts';
import { codexEvents, traitsOf, type CodexEventName } from './events.ts';
import { installation } from './install.ts';
import { toCodexSource } from './matcher.ts';
import { toCodexTool } from './tools.ts';

const isName = (name: string): boolean => /^\w+$/.test(name);

/** The longest timeout that Codex allows for an event, in seconds. */
const longestOf = (event: string): number =>
  Object.hasOwn(codexEvents.ours, event)
    ? 3 * (traitsOf(event as CodexEventName).seconds ?? Infinity)
    : Infinity;

/** Writes hooks as Codex's `hooks.json` has them. */
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
    // Whole seconds, and no more than Codex allows.
    timeout: (ms, event) => ({ timeout: Math.min(Math.ceil(ms / 1_000), longestOf(event)) }),
  }),
};
