import {
  entryWriter,
  inMilliseconds,
  unanchored,
  type Writer,
} from '../../core/dialects/writer.ts';
import { installation } from './install.ts';
import { toGeminiTool } from './tools.ts';

/** How Gemini CLI's settings describe a hook. */
export const writer: Writer = {
  ...installation,
  ...unanchored,
  toolName: toGeminiTool,
  write: entryWriter({
    runs: { command: 'command' },
    inGroups: true,
    sequential: 'said',
    fields: { env: 'env', name: 'name', description: 'description' },
    timeout: inMilliseconds,
  }),
};
