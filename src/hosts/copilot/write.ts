import { entryWriter, escaped, type Writer } from '../../core/dialects/writer.ts';
import { installation } from './install.ts';
import { toCopilotTool } from './tools.ts';

/** Writes hooks as a hooks file of Copilot has them; its regular expressions match whole names. */
export const writer: Writer = {
  ...installation,
  toolName: toCopilotTool,
  list: (names) => names.map(escaped).join('|'),
  either: (names, pattern) => `${names.map(escaped).join('|')}|.*(?:${pattern}).*`,
  write: entryWriter({
    runs: { command: 'bash', http: 'url' },
    inGroups: false,
    sequential: 'always',
    fields: {
      args: 'args',
      env: 'env',
      cwd: 'cwd',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    program: 'exec',
    timeout: (ms) => ({ timeoutSec: ms / 1_000 }),
  }),
};
