import { entryWriter, unanchored, type Writer } from '../../core/dialects/writer.ts';
import { installation } from './install.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { toQwenTool } from './tools.ts';

/** How Qwen Code's settings describe a hook. */
export const writer: Writer = {
  ...installation,
  ...unanchored,
  toolName: toQwenTool,
  word: toClaudeWord,
  write: entryWriter({
    runs: { command: 'command', http: 'url', prompt: 'prompt' },
    inGroups: true,
    sequential: 'said',
    fields: {
      env: 'env',
      name: 'name',
      description: 'description',
      async: 'async',
      model: 'model',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    // From 1000 on, the number is in milliseconds.
    timeout: (ms) => ({ timeout: ms < 1_000_000 ? ms / 1_000 : ms }),
  }),
};
