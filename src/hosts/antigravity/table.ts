import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { filePathAs, folderPathAs } from '../parts/tool-table.ts';
import { flatAnswer } from '../parts/speaking.ts';
import { entriesBelow } from '../table/entries.ts';
import type { Fields, DialectTable } from '../table/host-table.ts';
import { events } from './events.ts';

const file = filePathAs('TargetFile');
const hookTimeout = 120;

/** The name under which our entries stand. */
const ours = 'hookmachine';

/** What users and makers of other guards measured on versions 1.1.2 to 1.1.25, and its documentation. */
export const table: DialectTable = {
  title: 'Antigravity CLI',
  tools: [
    {
      ours: 'run_shell_command',
      name: 'run_command',
      renamed: [
        ['command', 'CommandLine'],
        ['directory', 'Cwd'],
        ['dir_path', 'Cwd'],
      ],
    },
    { ours: 'read_file', name: 'view_file', renamed: filePathAs('AbsolutePath') },
    { ours: 'write_file', name: 'write_to_file', renamed: [...file, ['content', 'CodeContent']] },
    {
      ours: 'replace',
      name: 'replace_file_content',
      aliases: ['multi_replace_file_content'],
      renamed: [...file, ['old_string', 'TargetContent'], ['new_string', 'ReplacementContent']],
    },
    { ours: 'list_directory', name: 'list_dir', renamed: folderPathAs('DirectoryPath') },
    {
      ours: 'search_file_content',
      name: 'grep_search',
      renamed: [...folderPathAs('SearchPath'), ['pattern', 'Query']],
    },
    { ours: 'web_fetch', name: 'read_url_content', renamed: [['url', 'Url']] },
    { ours: 'google_web_search', name: 'search_web' },
  ],
  names: {
    event: 'hookEventName',
    session: 'conversationId',
    folder: 'cwd',
    call: 'stepIdx',
    prompt: 'prompt',
    response: 'result',
    transcript: 'transcriptPath',
  },
  told(_, { tool_name: name, tool_input: args, cwd, stepIdx, ...fields }) {
    const step = Number(stepIdx);
    return {
      ...fields,
      ...(name !== undefined && { toolCall: { name, args } }),
      ...(stepIdx !== undefined && { stepIdx: Number.isInteger(step) ? step : 0 }),
      workspacePaths: [cwd],
    };
  },
  given(_, { toolCall, workspacePaths, stepIdx, ...given }) {
    const { name, args } = isRecord(toolCall) ? toolCall : ({} as Fields);
    return {
      ...given,
      ...(name !== undefined && { tool_name: name, tool_input: args ?? {} }),
      ...(stepIdx !== undefined && { stepIdx: JSON.stringify(stepIdx) }),
      ...(Array.isArray(workspacePaths) && { cwd: workspacePaths[0] }),
    };
  },
  *entries(values, complain) {
    for (const [name, hook] of Object.entries(values))
      if (isRecord(hook) && hook['enabled'] !== false)
        yield* entriesBelow(
          hook,
          {
            title: 'Antigravity CLI',
            events,
            hookKeys: ['type', 'command', 'timeout'],
            under: [name],
            reserved: ['enabled'],
            isFlat: (event) => !event.endsWith('ToolUse'),
          },
          complain,
        );
  },
  timeout: 30_000,
  shell: 'sh',
  exits: {},
  reads: (event, { decision, reason }) =>
    decision === 'deny' && 'blocks' in events[event as keyof typeof events]
      ? { decision: 'deny', reason }
      : event !== 'PreToolUse'
        ? {}
        : decision === 'ask' || decision === 'force_ask'
          ? { decision: 'ask', reason }
          : decision === 'allow'
            ? { decision: 'allow', reason }
            : {},
  // A hook that fails, or does not decide, denies.
  needsDecision: ['PreToolUse'],
  more: (_, { event }) => (event === 'PreToolUse' ? { onFailure: 'block' } : {}),
  asks: ['PreToolUse'],
  projectIn: ({ workspacePaths: folders }) => (Array.isArray(folders) ? folders : []),
  silence: { stdout: { decision: 'allow' } },
  waits: hookTimeout * 1_000,
  answers(event, wishes) {
    if (event === 'Stop') {
      wishes.take('stop');
      const reason = wishes.takeContinuation();
      return {
        stdout: reason === undefined ? { decision: 'allow' } : { decision: 'deny', reason },
      };
    }
    if (event !== 'PreToolUse') return flatAnswer({});
    const reason = wishes.takeRefusal();
    if (reason !== undefined) return { stdout: { decision: 'deny', reason } };
    const question = wishes.take('ask') ?? wishes.take('defer');
    if (question !== undefined) return { stdout: { decision: 'force_ask', reason: question } };
    wishes.take('allow');
    return { stdout: { decision: 'allow' } };
  },
  installation: {
    kind: 'entries',
    programs: ['agy'],
    under: ours,
    fresh: '{}\n',
    isStrict: true,
    file: (scope, { cwd, home }) =>
      scope === 'user'
        ? join(home, '.gemini', 'config', 'hooks.json')
        : join(cwd, '.agents', 'hooks.json'),
    entries: (call) =>
      ['PreToolUse', 'PostToolUse', 'Stop', 'SessionStart'].map((event) => {
        const hook = { type: 'command', command: call(event), timeout: hookTimeout };
        return { event, entry: event.endsWith('ToolUse') ? { matcher: '*', hooks: [hook] } : hook };
      }),
    after: () => ['restart Antigravity CLI: it reads its hooks when it starts'],
    notes: () => [
      'one mistake in hooks.json makes Antigravity CLI ignore the whole file, and say nothing',
      'an approval of a hook does not spare you the question of Antigravity CLI itself',
    ],
  },
};
