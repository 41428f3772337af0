import { join } from 'node:path';
import { isRecord, inTable } from '../../base/json.ts';
import { inGroups } from '../../core/dialects/installation.ts';
import { decisionWith, flatAnswer } from '../parts/speaking.ts';
import { anySpelling, entriesBelow } from '../table/entries.ts';
import type { DialectTable } from '../table/host-table.ts';
import { events } from './events.ts';

const hookTimeout = 120;

/** What its one tool for files does, by `command`, and our tool for that. */
const edits: Readonly<
  Record<string, { readonly ours: string; readonly names: Readonly<Record<string, string>> }>
> = {
  view: { ours: 'read_file', names: { path: 'file_path' } },
  create: { ours: 'write_file', names: { path: 'file_path', file_text: 'content' } },
  str_replace: {
    ours: 'replace',
    names: { path: 'file_path', old_str: 'old_string', new_str: 'new_string' },
  },
};

/** Its documentation (customization/hooks) as of November 2026. */
export const table: DialectTable = {
  title: 'OpenHands',
  tools: [{ ours: 'run_shell_command', name: 'terminal', aliases: ['execute_bash'] }],
  calls: {
    from({ tool, input: { command, ...rest } }) {
      const edit = tool === 'file_editor' ? inTable(edits, String(command)) : undefined;
      return edit && { tool: edit.ours, input: renamed(rest, edit.names) };
    },
    to({ tool, input }) {
      const [command, edit] = Object.entries(edits).find(([, { ours }]) => ours === tool) ?? [];
      if (edit === undefined) return undefined;
      const back = Object.fromEntries(
        Object.entries(edit.names).map(([theirs, ours]) => [ours, theirs]),
      );
      return {
        tool: 'file_editor',
        input: { command, ...renamed(input, { absolute_path: 'path', ...back }) },
      };
    },
  },
  names: {
    event: 'event_type',
    session: 'session_id',
    folder: 'working_dir',
    prompt: 'message',
    response: 'tool_response',
  },
  entries: (values, complain) =>
    entriesBelow(
      isRecord(values['hooks']) ? values['hooks'] : values,
      {
        title: 'OpenHands',
        events,
        hookKeys: ['type', 'command', 'timeout', 'async'],
        eventOf: anySpelling(events),
        under: isRecord(values['hooks']) ? ['hooks'] : [],
      },
      complain,
    ),
  timeout: 60_000,
  shell: 'bash',
  matching: 'names or regex',
  environment: ({ payload: { hook_event_name: event, session_id: session, cwd }, tool }) => ({
    OPENHANDS_EVENT_TYPE: inTable(nativeNames, String(event)) ?? String(event),
    ...(tool !== '' && { OPENHANDS_TOOL_NAME: tool }),
    OPENHANDS_PROJECT_DIR: String(cwd),
    OPENHANDS_SESSION_ID: String(session),
  }),
  exits: { 2: 'deny' },
  readsAlways: true,
  reads: (event, { decision, reason, additionalContext }) => ({
    ...(decision === 'deny' &&
      'blocks' in events[event as keyof typeof events] && { decision, reason }),
    context: additionalContext,
  }),
  projectIn: ({ working_dir: folder }, { OPENHANDS_PROJECT_DIR }) => [
    OPENHANDS_PROJECT_DIR,
    folder,
  ],
  waits: hookTimeout * 1_000,
  answers(event, wishes) {
    const isEnd = event === 'Stop';
    if (isEnd) wishes.take('stop');
    const reason = isEnd
      ? wishes.takeContinuation()
      : 'blocks' in events[event as keyof typeof events]
        ? wishes.takeRefusal()
        : undefined;
    return flatAnswer({
      ...decisionWith('deny', reason),
      additionalContext: wishes.take('context'),
    });
  },
  installation: {
    kind: 'entries',
    programs: ['openhands'],
    fresh: '{}\n',
    runsInProject: true,
    file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.openhands', 'hooks.json'),
    entries: (call) =>
      inGroups(Object.keys(events), () => ({
        type: 'command',
        command: call(),
        timeout: hookTimeout,
      })),
    after: () => ['start a new conversation: OpenHands reads its hooks when one begins'],
    notes: () => [
      'hookmachine has to be installed where OpenHands runs its tools, in its sandbox too',
    ],
  },
  writes: {
    runs: { command: 'command' },
    inGroups: true,
    fields: { async: 'async' },
    timeout: (ms) => ({ timeout: Math.ceil(ms / 1_000) }),
  },
};

const nativeNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(events).map(([name, { at }]) => [at, name]),
);

const renamed = (
  input: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [inTable(names, name) ?? name, value]),
  );
