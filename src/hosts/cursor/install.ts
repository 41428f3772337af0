import { join } from 'node:path';
import type { EntriesInstallation } from '../../core/dialects/installation.ts';
import { speaker } from './speak.ts';

/**
 * An event that Cursor does not know would cost the whole file. Events for shell or MCP calls alone are
 * left out, because `preToolUse` comes with them.
 */
const events = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'beforeSubmitPrompt',
  'stop',
  'subagentStart',
  'subagentStop',
  'sessionStart',
  'sessionEnd',
  'preCompact',
];

/** How hooks are installed in Cursor's `hooks.json`. */
export const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['cursor-agent', 'cursor'],
  fresh: '{\n  "version": 1,\n  "hooks": {}\n}\n',
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.cursor', 'hooks.json'),
  entries: (call) =>
    events.map((event) => ({
      event,
      entry: { command: call(), timeout: speaker.timeoutAt(event) / 1_000 },
    })),
  after: (scope) =>
    scope === 'project'
      ? ['trust the workspace in Cursor: it runs project hooks only in trusted workspaces']
      : [],
  notes: () => ["in print mode, Cursor's command line runs no hooks for prompts or at the end"],
};
