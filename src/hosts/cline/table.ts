import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Wishes } from '../../core/dialects/speaker.ts';
import { relayMark } from '../parts/relay-entry.ts';
import { flatAnswer } from '../parts/speaking.ts';
import type { DialectTable, Fields } from '../table/host-table.ts';
import { calls, parts } from './calls.ts';
import { events } from './events.ts';

/** Cline ends a hook after this time, in ms, and goes on. */
const longestWait = 120_000;

/** Cline 3.0.65, as measured. */
export const table: DialectTable = {
  title: 'Cline',
  tools: [
    { ours: 'search_file_content', name: 'search_codebase' },
    { ours: 'web_fetch', name: 'fetch_web_content' },
    { ours: 'task', name: 'spawn_agent' },
  ],
  calls,
  parts,
  names: {
    event: 'hookEvent',
    session: 'taskId',
    folder: 'cwd',
    call: 'call_id',
    prompt: 'prompt',
    response: 'output',
  },
  told(
    event,
    {
      hookEvent: _,
      cwd,
      tool_name: name,
      tool_input: input,
      call_id: id,
      output,
      prompt,
      ...fields
    },
  ) {
    const isAfter = event === 'PostToolUse';
    const parameters = isRecord(input) ? textsOf(input) : {};
    return {
      clineVersion: '',
      hookName: hookNames[event],
      timestamp: new Date().toISOString(),
      workspaceRoots: [cwd],
      userId: 'unknown',
      ...fields,
      ...(name !== undefined && {
        [isAfter ? 'tool_result' : 'tool_call']: { id, name, input, ...(isAfter && { output }) },
        [isAfter ? 'postToolUse' : 'preToolUse']: {
          toolName: name,
          parameters,
          ...(isAfter && { result: JSON.stringify(output), success: true }),
        },
      }),
      ...(prompt !== undefined && { userPromptSubmit: { prompt, attachments: [] } }),
    };
  },
  given(
    _,
    { tool_call: before, tool_result: after, workspaceRoots: roots, userPromptSubmit, ...given },
  ) {
    const call = isRecord(before) ? before : isRecord(after) ? after : undefined;
    return {
      ...given,
      ...(Array.isArray(roots) && { cwd: roots[0] as unknown }),
      ...(call && {
        tool_name: call['name'],
        tool_input: call['input'],
        call_id: call['id'],
        ...(isRecord(after) && { output: JSON.stringify(after['output']) }),
      }),
      ...(isRecord(userPromptSubmit) && { prompt: userPromptSubmit['prompt'] }),
    };
  },
  entries: () => [],
  areExecutables: true,
  timeout: longestWait,
  shell: 'sh',
  // Everywhere else this denies, and its author may not know that it does not in Cline.
  exits: { 2: 'deny' },
  ignoresExits: true,
  readsAlways: true,
  reads(
    event,
    { cancel, errorMessage, contextModification, context = contextModification, overrideInput },
  ) {
    if (cancel === true && 'blocks' in events[event as keyof typeof events]) {
      const reason = errorMessage ?? context;
      return { decision: 'deny', reason, stop: reason };
    }
    return {
      context,
      ...(isRecord(overrideInput) && { input: { all: overrideInput } }),
    };
  },
  projectIn: ({ workspaceRoots: roots }) => (Array.isArray(roots) ? roots : []),
  waits: longestWait - 5_000,
  answers: (event, wishes, outcome) => flatAnswer(answerTo(event, wishes, outcome)),
  installation: {
    kind: 'files',
    programs: ['cline'],
    measured: '3.0.65',
    files: (scope, { cwd, home }, call) =>
      [
        'PreToolUse',
        'PostToolUse',
        'UserPromptSubmit',
        'TaskStart',
        'PreCompact',
        'SessionShutdown',
      ].map((event) => ({
        file: join(...(scope === 'user' ? [home, '.cline'] : [cwd, '.clinerules']), 'hooks', event),
        mode: 0o755,
        text: `#!/bin/sh\n# ${relayMark}\nexec ${call(event)}\n`,
      })),
    after: () => [],
    notes: () => [
      'Cline has no denial of a single call: a denied call of a tool of its own is made with arguments that fail, any other ends the task',
      'Cline runs the tool if the relay is killed or takes more than 120 s',
      'Cline on the command line gives no prompt to hooks',
    ],
  },
};

/** What its payloads call their events. */
const hookNames: Readonly<Record<string, string>> = {
  PreToolUse: 'tool_call',
  PostToolUse: 'tool_result',
  UserPromptSubmit: 'prompt_submit',
  TaskStart: 'agent_start',
  TaskResume: 'agent_resume',
  TaskComplete: 'agent_end',
  TaskCancel: 'agent_abort',
  TaskError: 'agent_error',
  PreCompact: 'pre_compact',
  SessionShutdown: 'session_shutdown',
};

const textsOf = (input: Fields): Fields =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

/** Its own tools that fail without their arguments. */
const needArguments: ReadonlySet<unknown> = new Set([
  'read_files',
  'search_codebase',
  'fetch_web_content',
  'editor',
  'spawn_agent',
]);

function answerTo(event: string, wishes: Wishes, { given, native }: EventOutcome): Fields {
  switch (event) {
    case 'PreToolUse': {
      const stop = wishes.take('stop');
      if (stop !== undefined) return { cancel: true, errorMessage: wishes.take('deny') ?? stop };
      const deny = wishes.take('deny');
      const { tool_call: call } = given;
      if (deny !== undefined) return denialOf(isRecord(call) ? call['name'] : undefined, deny);
      return {
        overrideInput: wishes.take('toolInput') && native['toolInput'],
        context: wishes.take('context'),
      };
    }
    case 'PostToolUse':
      return {
        cancel: wishes.peek('stop') === undefined ? undefined : true,
        errorMessage: wishes.take('stop'),
        context: joinTexts([wishes.take('deny'), wishes.take('context')]),
      };
    case 'UserPromptSubmit': {
      const reason = wishes.takeRefusal();
      return reason === undefined
        ? { context: wishes.take('context') }
        : { cancel: true, errorMessage: reason };
    }
    default:
      return {};
  }
}

/**
 * Keeps a call from being made. `cancel` would end the whole task, and the model would never read why; so a tool
 * that certainly fails without its arguments gets others instead.
 */
function denialOf(tool: unknown, reason: string): Fields {
  const context = `The call was denied: ${reason}`;
  if (tool === 'run_commands')
    return {
      overrideInput: { commands: [`printf '%s\\n' ${shellWord(reason)} >&2; exit 1`] },
      context,
    };
  return needArguments.has(tool)
    ? { overrideInput: { denied: reason }, context }
    : { cancel: true, errorMessage: reason };
}
