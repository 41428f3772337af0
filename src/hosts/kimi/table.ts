import { join } from 'node:path';
import { defined, isRecord } from '../../base/json.ts';
import { lostEntry } from '../../core/definitions/problem.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { userFolder } from '../parts/host-places.ts';
import { isText, isTextsByName } from '../parts/hook-groups.ts';
import { filePathAs } from '../parts/tool-table.ts';
import { nestedAnswer } from '../parts/speaking.ts';
import { anySpelling, matcherFault } from '../table/entries.ts';
import type { DialectTable } from '../table/host-table.ts';
import { toml } from '../table/toml.ts';
import { events } from './events.ts';

const path = filePathAs('path');
const hookTimeout = 600;
const kimiFolder = { variable: 'KIMI_CODE_HOME', folder: '.kimi-code' };
const eventNamed = anySpelling(events);

/** Kimi Code 2.1.0, as measured and as its package says. */
export const table: DialectTable = {
  title: 'Kimi Code',
  tools: [
    { ours: 'run_shell_command', name: 'Bash', renamed: [['directory', 'cwd']] },
    { ours: 'read_file', name: 'Read', renamed: path },
    { ours: 'write_file', name: 'Write', renamed: path },
    { ours: 'replace', name: 'Edit', renamed: path },
    { ours: 'glob', name: 'Glob' },
    { ours: 'search_file_content', name: 'Grep' },
    { ours: 'web_fetch', name: 'FetchURL' },
    { ours: 'google_web_search', name: 'WebSearch' },
    { ours: 'todo_write', name: 'TodoList' },
    { ours: 'task', name: 'Agent' },
  ],
  names: {
    event: 'hook_event_name',
    session: 'session_id',
    folder: 'cwd',
    call: 'tool_call_id',
    prompt: 'prompt',
    response: 'tool_output',
  },
  told(event, { tool_output: output, error, prompt, ...fields }) {
    return {
      ...fields,
      ...(output !== undefined && {
        tool_output: textsIn(isRecord(output) ? output['llmContent'] : output).slice(0, 2_000),
      }),
      ...(event === 'PostToolUseFailure' && { error: { name: 'Error', message: error } }),
      ...(prompt !== undefined && { prompt: [{ type: 'text', text: prompt }] }),
    };
  },
  given(event, { prompt, ...given }) {
    return {
      ...given,
      ...(event === 'UserPromptSubmit' && { prompt: textOf(prompt) }),
      ...(event.startsWith('Subagent') && {
        agent_type: given['agent_name'] ?? '',
        agent_id: given['agent_id'] ?? '',
      }),
    };
  },
  format: toml,
  *entries({ hooks }, complain) {
    for (const [index, hook] of (Array.isArray(hooks) ? hooks : []).entries()) {
      const fields = isRecord(hook) ? hook : {};
      const { event: named, matcher } = fields;
      const event = isText(named) ? eventNamed(named) : undefined;
      const place = ['hooks', index];
      if (event === undefined) {
        complain(() => ({
          path: [...place, 'event'],
          message: 'Kimi Code has no such event, so the hook was skipped',
          fix: 'name one of its events, such as PreToolUse',
          code: 'unknown-event',
        }));
        continue;
      }
      const fault = isText(matcher) ? matcherFault(matcher) : undefined;
      if (fault !== undefined)
        complain(() => ({
          path: [...place, 'matcher'],
          message: fault,
          fix: 'write a regular expression such as "Write|Edit"',
        }));
      yield {
        event,
        group: fields,
        matcher: isText(matcher) ? matcher : undefined,
        hook,
        path: place,
        lost: lostEntry(event, hook),
      };
    }
  },
  more: (field) =>
    defined({
      cwd: field('cwd', isText, 'a string'),
      env: field('env', isTextsByName, 'an object of strings'),
    }),
  timeout: 30_000,
  shell: 'sh',
  identity: ({ nativeEvent, cwd, command }) => JSON.stringify([nativeEvent, cwd, command]),
  exits: { 2: 'deny' },
  textIsContext: ['UserPromptSubmit'],
  reads(event, { message, hookSpecificOutput }) {
    const {
      permissionDecision,
      permissionDecisionReason,
      message: inner,
    } = isRecord(hookSpecificOutput) ? hookSpecificOutput : {};
    const said = message ?? inner;
    return permissionDecision === 'deny' && 'blocks' in events[event as keyof typeof events]
      ? { decision: 'deny', reason: permissionDecisionReason ?? said }
      : event === 'UserPromptSubmit'
        ? { context: said }
        : {};
  },
  waits: hookTimeout * 1_000,
  answers(event, wishes) {
    if (event === 'Stop') wishes.take('stop');
    const reason =
      event === 'Stop'
        ? wishes.takeContinuation()
        : event === 'PreToolUse' || event === 'UserPromptSubmit'
          ? wishes.takeRefusal()
          : undefined;
    return nestedAnswer(event, {
      top: {
        message:
          event === 'UserPromptSubmit' && reason === undefined ? wishes.take('context') : undefined,
      },
      specific:
        reason === undefined
          ? {}
          : { permissionDecision: 'deny', permissionDecisionReason: reason, message: reason },
    });
  },
  installation: {
    kind: 'lines',
    programs: ['kimi'],
    measured: '2.1.0',
    pluginFolder: (site) => join(userFolder(kimiFolder, site), 'plugins/managed/hookmachine'),
    file: (_, site) => join(userFolder(kimiFolder, site), 'config.toml'),
    lines: (call) =>
      Object.entries(events)
        .filter(([, { at }]) => !at.startsWith('host.'))
        .flatMap(([event]) => [
          '[[hooks]]',
          `event = ${JSON.stringify(event)}`,
          `command = ${JSON.stringify(call())}`,
          `timeout = ${hookTimeout}`,
        ]),
    after: () => ['start a new session of Kimi Code: it reads its hooks when it starts'],
    notes: (scope) => [
      ...(scope === 'project'
        ? ['Kimi Code has no hooks of a project: the entry is for all projects of this user']
        : []),
      'Kimi Code lets a call run if its hooks are not done in time, and cannot ask or change arguments',
    ],
  },
};

/** The text of a prompt, which comes in parts; null for anything else. */
const textOf = (prompt: unknown): string | null =>
  Array.isArray(prompt) && prompt.length > 0 && prompt.every(isRecord)
    ? prompt
        .map(({ text }) => text)
        .filter(isText)
        .join('\n')
    : null;
