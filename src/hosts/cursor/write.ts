import { entryWriter, inSeconds, unanchored, type Writer } from '../../core/dialects/writer.ts';
import { keepsDenials, type CursorEventName } from './events.ts';
import { installation } from './install.ts';
import { toCursorTool } from './tools.ts';

/** Writes hooks as Cursor's `hooks.json` has them. */
export const writer: Writer = {
  ...installation,
  ...unanchored,
  toolName: toCursorTool,
  write: entryWriter({
    runs: { command: 'command', prompt: 'prompt' },
    inGroups: false,
    typeIsOptional: true,
    fields: { model: 'model', loopLimit: 'loop_limit' },
    onBlock: { failClosed: true },
    blocksAt: (event) => keepsDenials(event as CursorEventName),
    timeout: inSeconds,
  }),
};
