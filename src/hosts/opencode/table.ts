import { join } from 'node:path';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import type { EventOutcome, Wishes } from '../../core/dialects/speaker.ts';
import { extensionNames, longestWait } from '../parts/extension-relay.ts';
import { flatAnswer } from '../parts/speaking.ts';
import type { Fields, HostTable } from '../table/host-table.ts';
import { pluginText } from './plugin.ts';

const filePath = [
  ['file_path', 'filePath'],
  ['absolute_path', 'filePath'],
] as const;

const tools: HostTable['tools'] = [
  { ours: 'run_shell_command', name: 'bash' },
  { ours: 'read_file', name: 'read', renamed: filePath },
  { ours: 'write_file', name: 'write', renamed: filePath },
  {
    ours: 'replace',
    name: 'edit',
    renamed: [
      ...filePath,
      ['old_string', 'oldString'],
      ['new_string', 'newString'],
      ['replace_all', 'replaceAll'],
    ],
  },
  { ours: 'glob', name: 'glob' },
  { ours: 'search_file_content', name: 'grep' },
  { ours: 'list_directory', name: 'list' },
  { ours: 'web_fetch', name: 'webfetch' },
  { ours: 'todo_write', name: 'todowrite' },
  { ours: 'task', name: 'task' },
];

/** An agent that has OpenCode's plugins: its name, and the folder of its files. */
interface Made extends Pick<FilesInstallation, 'programs' | 'measured'> {
  readonly title: string;
  readonly folder: string;
}

/** The table of OpenCode, or of an agent made from it. */
export const tableOf = ({ title, folder, ...about }: Made): HostTable => ({
  title,
  tools,
  // The second is that of earlier versions.
  patches: { tools: ['apply_patch', 'patch'], field: 'patchText' },
  names: { ...extensionNames, call: 'call_id' },
  given: (event, { tool, args, again, ...given }) => ({
    ...given,
    ...(event.startsWith('tool.') && { tool_name: tool, tool_input: args }),
    ...(again !== undefined && { stop_hook_active: again }),
  }),
  waits: longestWait,
  answers: (event, wishes, outcome) => flatAnswer(answerTo(event, wishes, outcome)),
  installation: {
    kind: 'files',
    ...about,
    files: (scope, { cwd, home, env: { XDG_CONFIG_HOME: config } }, call) => [
      {
        file: join(
          scope === 'user'
            ? join(config || join(home, '.config'), folder)
            : join(cwd, `.${folder}`),
          'plugin',
          'hookmachine.js',
        ),
        mode: 0o644,
        text: pluginText(call()),
      },
    ],
    gateway: [
      ['anthropic', 'anthropic', '/v1'],
      ['openai', 'openai', ''],
      ['gemini', 'google', '/v1beta'],
    ].map(([provider = '', name = '', suffix = '']) => ({
      provider,
      file: ({ home, env: { XDG_CONFIG_HOME: config } }) =>
        join(config || join(home, '.config'), folder, `${folder}.json`),
      at: ['provider', name, 'options', 'baseURL'],
      suffix,
    })),
    after: () => [`restart ${title}: it reads plugins only when it starts`],
  },
});

/** OpenCode 1.18, as measured. */
export const table: HostTable = tableOf({
  title: 'OpenCode',
  folder: 'opencode',
  programs: ['opencode'],
  measured: '1.18.33',
});

/** What the plugin file carries out. */
function answerTo(event: string, wishes: Wishes, { native }: EventOutcome): Fields {
  switch (event) {
    case 'tool.execute.before':
      return {
        deny: wishes.take('deny'),
        args: wishes.take('toolInput') && native['toolInput'],
      };
    case 'tool.execute.after':
      return {
        output: wishes.take('toolResponse') && native['toolOutput'],
        append: joinTexts([wishes.take('deny'), wishes.take('context')]),
      };
    case 'chat.message':
      return { deny: wishes.takeRefusal(), append: wishes.take('context') };
    case 'session.idle':
      // The agent stops by itself if no hook says anything.
      wishes.take('stop');
      return { prompt: wishes.takeContinuation() };
    default:
      return {};
  }
}
