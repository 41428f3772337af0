import { join } from 'node:path';
import { filePathAs } from '../parts/tool-table.ts';
import { flatAnswer } from '../parts/speaking.ts';
import { anySpelling, entriesBelow } from '../table/entries.ts';
import type { DialectTable } from '../table/host-table.ts';
import { events } from './events.ts';

const filePath = filePathAs('file_path');
const hookTimeout = 120;

/** Its documentation (docs/hooks in its repository) as of version 0.96. */
export const table: DialectTable = {
  title: 'Crush',
  tools: [
    { ours: 'run_shell_command', name: 'bash', renamed: [['directory', 'working_dir']] },
    { ours: 'read_file', name: 'view', renamed: filePath },
    { ours: 'write_file', name: 'write', renamed: filePath },
    { ours: 'replace', name: 'edit', aliases: ['multiedit'], renamed: filePath },
    { ours: 'glob', name: 'glob' },
    { ours: 'search_file_content', name: 'grep' },
    { ours: 'list_directory', name: 'ls' },
    { ours: 'web_fetch', name: 'fetch' },
    { ours: 'todo_write', name: 'todos' },
    { ours: 'task', name: 'agent' },
  ],
  names: { event: 'event', session: 'session_id', folder: 'cwd', prompt: 'prompt' },
  entries: ({ hooks }, complain) =>
    entriesBelow(
      hooks,
      {
        title: 'Crush',
        events,
        hookKeys: ['name', 'command', 'timeout', 'type'],
        eventOf: anySpelling(events),
        isFlat: () => true,
      },
      complain,
    ),
  timeout: 30_000,
  shell: 'sh',
  environment: ({
    payload: { session_id: session, cwd },
    tool,
    input: { command, file_path: file },
  }) => ({
    CRUSH: '1',
    AGENT: 'crush',
    AI_AGENT: 'crush',
    CRUSH_EVENT: tool === '' ? 'PreCompact' : 'PreToolUse',
    CRUSH_TOOL_NAME: tool || 'compact',
    CRUSH_SESSION_ID: String(session),
    CRUSH_CWD: String(cwd),
    CRUSH_PROJECT_DIR: String(cwd),
    ...(typeof command === 'string' && { CRUSH_TOOL_INPUT_COMMAND: command }),
    ...(typeof file === 'string' && { CRUSH_TOOL_INPUT_FILE_PATH: file }),
  }),
  told: (event, fields) =>
    event === 'PreCompact' ? { ...fields, tool_name: 'compact', tool_input: {} } : fields,
  // The same command runs once, whatever its matchers are.
  identity: ({ nativeEvent, command }) => JSON.stringify([nativeEvent, command]),
  exits: { 2: 'deny', 49: 'stop' },
  reads: (_, { decision, halt, reason, context, updated_input: input }) => ({
    ...((decision === 'deny' || decision === 'allow') && { decision, reason }),
    ...(halt === true && { stop: reason ?? '' }),
    context: Array.isArray(context) ? context.filter(Boolean).join('\n') : context,
    ...(input !== undefined && { input: { some: input } }),
  }),
  waits: hookTimeout * 1_000,
  answers(event, wishes, { native }) {
    if (event === 'PreCompact') {
      const reason = wishes.take('deny');
      return flatAnswer({ decision: reason && 'deny', reason });
    }
    const stop = wishes.take('stop');
    const deny = wishes.take('deny') ?? stop;
    const allow = deny === undefined ? wishes.take('allow') : undefined;
    return flatAnswer({
      decision: deny !== undefined ? 'deny' : allow !== undefined ? 'allow' : undefined,
      halt: stop !== undefined || undefined,
      reason: deny ?? (allow || undefined),
      context: wishes.take('context'),
      updated_input: wishes.take('toolInput') && native['toolInput'],
    });
  },
  installation: {
    kind: 'entries',
    programs: ['crush'],
    fresh: '{}\n',
    runsInProject: true,
    file: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }) =>
      scope === 'user'
        ? join(config || join(home, '.config'), 'crush', 'crush.json')
        : join(cwd, 'crush.json'),
    entries: (call) =>
      Object.keys(events).map((event) => ({
        event,
        entry: { name: 'hookmachine', command: call(), timeout: hookTimeout },
      })),
    after: () => ['restart Crush: it reads its hooks when it starts'],
    notes: () => [
      'Crush runs hooks only for the calls of its main agent: start no subagents where that matters (deny its tool "agent")',
      'a relay that Crush ends after its timeout denies nothing',
    ],
  },
  writes: {
    runs: { command: 'command' },
    inGroups: false,
    typeIsOptional: true,
    fields: { name: 'name' },
    timeout: (ms) => ({ timeout: Math.ceil(ms / 1_000) }),
  },
};
