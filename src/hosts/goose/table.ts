import { dirname, join } from 'node:path';
import { inGroups, type InstallSite, type Scope } from '../../core/dialects/installation.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { isRecord } from '../../base/json.ts';
import { filePathAs } from '../parts/tool-table.ts';
import { decisionWith, flatAnswer } from '../parts/speaking.ts';
import { entriesBelow } from '../table/entries.ts';
import type { DialectTable } from '../table/host-table.ts';
import { events } from './events.ts';

const path = filePathAs('path');
const hookTimeout = 120;

/** Ours is a plugin of its own. */
const pluginIn = (scope: Scope, { cwd, home }: InstallSite): string =>
  join(scope === 'user' ? home : cwd, '.agents', 'plugins', 'hookmachine');

/** Its documentation (guides/context-engineering/hooks) as of version 1.48. */
export const table: DialectTable = {
  title: 'goose',
  tools: [
    { ours: 'run_shell_command', name: 'developer__shell' },
    { ours: 'write_file', name: 'developer__write', renamed: path },
    {
      ours: 'replace',
      name: 'developer__edit',
      renamed: [...path, ['old_string', 'before'], ['new_string', 'after']],
    },
    { ours: 'list_directory', name: 'developer__tree' },
  ],
  names: {
    event: 'event',
    session: 'session_id',
    folder: 'working_dir',
    call: 'tool_call_id',
    prompt: 'message',
    said: 'last_assistant_message',
    response: 'tool_output',
  },
  told(_, { tool_output: output, stop_hook_active: __, ...fields }) {
    const { tool_name: tool, message } = fields;
    return {
      ...fields,
      ...(output !== undefined && {
        tool_output: isRecord(output) ? textsIn(output['llmContent']) : output,
      }),
      ...((tool ?? message) !== undefined && { matcher_context: tool ?? message }),
    };
  },
  given: (_, { matcher_context: __, ...given }) => ({ tool_output: '', ...given }),
  entries: ({ hooks }, complain) =>
    entriesBelow(
      hooks,
      { title: 'goose', events, hookKeys: ['type', 'command', 'timeout', 'on_failure'] },
      complain,
    ),
  more: (field, { event }) => ({
    ...(event === 'PreToolUse' &&
      field(
        'on_failure',
        (value) => value === 'block' || value === 'allow',
        '"block" or "allow"',
      ) === 'block' && { onFailure: 'block' }),
  }),
  timeout: 30_000,
  shell: 'sh',
  environment: ({ hook: { file } }) =>
    file === undefined ? {} : { PLUGIN_ROOT: dirname(dirname(file)) },
  exits: { 2: 'deny' },
  readsAlways: true,
  reads: (event, { decision, reason }) =>
    events[event as keyof typeof events] &&
    'blocks' in events[event as keyof typeof events] &&
    decision === 'block'
      ? { decision: 'deny', reason }
      : decision === 'allow'
        ? { decision: 'allow' }
        : {},
  waits: hookTimeout * 1_000,
  answers: (event, wishes) =>
    event === 'PreToolUse'
      ? flatAnswer(decisionWith('block', wishes.takeRefusal()), { stdout: { decision: 'allow' } })
      : event === 'Stop'
        ? flatAnswer((wishes.take('stop'), decisionWith('block', wishes.takeContinuation())))
        : {},
  silence: { stdout: { decision: 'allow' } },
  installation: {
    kind: 'entries',
    programs: ['goose'],
    fresh: '{\n  "hooks": {}\n}\n',
    isStrict: true,
    file: (scope, site) => join(pluginIn(scope, site), 'hooks', 'hooks.json'),
    beside: (scope, site) => [
      {
        file: join(pluginIn(scope, site), 'plugin.json'),
        mode: 0o644,
        text: '{\n  "name": "hookmachine",\n  "version": "1.0.0",\n  "description": "Calls hookmachine for the events of goose"\n}\n',
      },
    ],
    entries: (call) =>
      inGroups(
        Object.entries(events)
          .filter(([, { at }]) => !at.startsWith('host.'))
          .map(([event]) => event),
        (event) => ({
          type: 'command',
          command: call(),
          timeout: hookTimeout,
          ...(event === 'PreToolUse' && { on_failure: 'block' }),
        }),
      ),
    after: () => ['start a new session of goose: it finds plugins when a session starts'],
    notes: () => [
      'goose before 1.48 does not know "on_failure", and skips the whole file',
      'goose lets no hook refuse a prompt',
    ],
  },
  writes: {
    runs: { command: 'command' },
    inGroups: true,
    fields: {},
    onBlock: { on_failure: 'block' },
    blocksAt: (event) => event === 'PreToolUse',
    timeout: (ms) => ({ timeout: Math.ceil(ms / 1_000) }),
  },
};
