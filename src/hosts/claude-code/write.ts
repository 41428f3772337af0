import { entryWriter, inSeconds, escaped, type Writer } from '../../core/dialects/writer.ts';
import { failsOpenAt, type ClaudeEventName } from './events.ts';
import { installation } from './install.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { toClaudeTool } from './tools.ts';

const isName = (name: string): boolean => /^[\w-]+$/.test(name);

/** Writes hooks as Claude Code's settings have them. */
export const writer: Writer = {
  ...installation,
  toolName: toClaudeTool,
  word: toClaudeWord,
  list: (names) =>
    names.every(isName) ? names.join('|') : `^(?:${names.map(escaped).join('|')})$`,
  either: (names, pattern) => `^(?:${names.map(escaped).join('|')})$|${pattern}`,
  write: entryWriter({
    runs: { command: 'command', http: 'url', prompt: 'prompt' },
    inGroups: true,
    fields: {
      args: 'args',
      if: 'if',
      async: 'async',
      wakes: 'asyncRewake',
      model: 'model',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    onBlock: { onFailure: 'block' },
    blocksAt: (event) => !failsOpenAt.has(event as ClaudeEventName),
    onAllow: { onFailure: 'continue' },
    saysShell: true,
    timeout: inSeconds,
    fault: ({ type }, event) =>
      type === 'http' && event === 'SessionStart'
        ? 'there are no hooks of type "http" at SessionStart'
        : undefined,
  }),
};
