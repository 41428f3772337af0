import { join } from 'node:path';
import { type DialectTable, entriesBelow } from 'hookmachine/dialects';
import { events } from './events.ts';

/** Otter 1.0: everything in which it differs from other agents. */
export const table: DialectTable = {
  title: 'Otter',
  // Its tools, and the names of their arguments.
  tools: [
    { ours: 'run_shell_command', name: 'shell', renamed: [['command', 'script']] },
    { ours: 'write_file', name: 'write', renamed: [['file_path', 'path']] },
  ],
  // What its events are called on stdin.
  names: {
    event: 'event',
    session: 'session',
    folder: 'project',
    call: 'call_id',
    prompt: 'text',
    said: 'answer',
    response: 'result',
  },
  // How its file lists hooks: { "hooks": { "before_tool": [{ "matcher": "…", "command": "…" }] } }
  entries: ({ hooks }, complain) =>
    entriesBelow(
      hooks,
      { title: 'Otter', events, hookKeys: ['command', 'timeout'], isFlat: () => true },
      complain,
    ),
  timeout: 30_000,
  shell: 'sh',
  // What it takes for a denial: exit 3, or this answer.
  exits: { 3: 'deny' },
  reads: (_, { verdict, why, script }) => ({
    ...(verdict === 'no' && { decision: 'deny', reason: why }),
    ...(script !== undefined && { input: { some: { script } } }),
  }),
  // How it is answered as one hook of its own; what is not taken is reported as lost.
  waits: 60_000,
  answers(event, wishes, { native }) {
    if (event === 'end') wishes.take('stop');
    const why =
      event === 'end'
        ? wishes.takeContinuation()
        : event === 'after_tool'
          ? undefined
          : wishes.takeRefusal();
    if (why !== undefined) return { stdout: { verdict: 'no', why } };
    const input = wishes.take('toolInput') && (native['toolInput'] as Record<string, unknown>);
    return input ? { stdout: { script: input['script'] } } : {};
  },
  // Where `hookmachine install otter` writes its entries.
  installation: {
    kind: 'entries',
    programs: ['otter'],
    fresh: '{}\n',
    file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.otter', 'hooks.json'),
    entries: (call) =>
      Object.keys(events).map((event) => ({ event, entry: { command: call(), timeout: 60 } })),
    after: () => ['restart Otter'],
  },
};
