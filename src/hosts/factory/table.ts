import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { inGroups } from '../../core/dialects/installation.ts';
import { inSeconds } from '../../core/dialects/writer.ts';
import { claudeAnswer, readClaude } from '../table/claude-shape.ts';
import { entriesBelow } from '../table/entries.ts';
import type { DialectTable } from '../table/host-table.ts';
import { filePathAs, folderPathAs } from '../parts/tool-table.ts';
import { events } from './events.ts';

const filePath = filePathAs('file_path');
const hookTimeout = 120;

/** Its documentation (hooks reference) as of November 2026. */
export const table: DialectTable = {
  title: 'Factory Droid',
  tools: [
    { ours: 'run_shell_command', name: 'Execute', aliases: ['Bash'] },
    { ours: 'read_file', name: 'Read', renamed: filePath },
    { ours: 'write_file', name: 'Create', aliases: ['Write'], renamed: filePath },
    {
      ours: 'replace',
      name: 'Edit',
      aliases: ['MultiEdit'],
      renamed: [...filePath, ['old_string', 'old_str'], ['new_string', 'new_str']],
    },
    { ours: 'glob', name: 'Glob', renamed: folderPathAs('folder') },
    { ours: 'search_file_content', name: 'Grep' },
    { ours: 'list_directory', name: 'LS', renamed: folderPathAs('directory_path') },
    { ours: 'web_fetch', name: 'FetchUrl', aliases: ['WebFetch'] },
    { ours: 'google_web_search', name: 'WebSearch' },
    { ours: 'todo_write', name: 'TodoWrite' },
    { ours: 'task', name: 'Task' },
  ],
  names: {
    event: 'hook_event_name',
    session: 'session_id',
    folder: 'cwd',
    call: 'tool_use_id',
    prompt: 'prompt',
    response: 'tool_response',
    transcript: 'transcript_path',
  },
  tells: (_, { permission_mode: mode }) => ({ permission_mode: mode ?? 'default' }),
  entries: (values, complain) =>
    entriesBelow(
      // In hooks.json the events may stand at the top.
      isRecord(values['hooks']) || !('PreToolUse' in values) ? values['hooks'] : values,
      { title: 'Factory Droid', events, hookKeys: ['type', 'command', 'timeout'] },
      complain,
    ),
  timeout: 60_000,
  shell: 'bash',
  matching: 'names or regex',
  environment: ({ payload: { cwd } }) => ({
    FACTORY_PROJECT_DIR: String(cwd),
    DROID_PROJECT_DIR: String(cwd),
  }),
  exits: { 2: 'deny' },
  textIsContext: ['UserPromptSubmit', 'SessionStart'],
  reads: (event, printed) => readClaude(event, printed, 'some'),
  asks: ['PreToolUse'],
  projectIn: ({ cwd }, { FACTORY_PROJECT_DIR, DROID_PROJECT_DIR }) => [
    FACTORY_PROJECT_DIR,
    DROID_PROJECT_DIR,
    cwd,
  ],
  waits: hookTimeout * 1_000,
  answers: (event, wishes, outcome) => claudeAnswer(event, wishes, outcome),
  installation: {
    kind: 'entries',
    programs: ['droid'],
    fresh: '{}\n',
    file: (scope, { cwd, home }) =>
      join(scope === 'user' ? home : cwd, '.factory', 'settings.json'),
    entries: (call) =>
      inGroups(Object.keys(events), () => ({
        type: 'command',
        command: call(),
        timeout: hookTimeout,
      })),
    undoneAt: ['PreToolUse'],
    after: () => ['restart Droid: it reads its hooks when it starts'],
    notes: () => [
      'Droid follows the first hook that decides: put the entry before others that say "allow"',
    ],
  },
  writes: {
    runs: { command: 'command' },
    inGroups: true,
    fields: {},
    timeout: inSeconds,
  },
};
