import { join } from 'node:path';
import type { Wishes } from '../../core/dialects/speaker.ts';
import { extensionNames, longestWait } from '../parts/extension-relay.ts';
import { flatAnswer } from '../parts/speaking.ts';
import { filePathAs } from '../parts/tool-table.ts';
import type { Fields, HostTable } from '../table/host-table.ts';
import { pluginText } from './plugin.ts';

const path = filePathAs('path');

/** The plugin's id, and its folder. */
const id = 'hookmachine';

const inJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** OpenClaw 2026.9.6, as measured and as the documentation in its package says. */
export const table: HostTable = {
  title: 'OpenClaw',
  tools: [
    { ours: 'run_shell_command', name: 'exec', renamed: [['directory', 'workdir']] },
    { ours: 'read_file', name: 'read', renamed: path },
    { ours: 'write_file', name: 'write', renamed: path },
    {
      ours: 'replace',
      name: 'edit',
      renamed: [...path, ['old_string', 'oldText'], ['new_string', 'newText']],
    },
    { ours: 'list_directory', name: 'ls' },
    { ours: 'web_fetch', name: 'web_fetch' },
    { ours: 'google_web_search', name: 'web_search' },
  ],
  names: extensionNames,
  // It asks the user itself; what nobody answers is denied.
  asks: ['before_tool_call'],
  waits: longestWait,
  answers: (event, wishes, { native }) => flatAnswer(answerTo(event, wishes, native)),
  installation: {
    kind: 'files',
    programs: ['openclaw'],
    measured: '2026.9.6',
    files(scope, { cwd, home, env: { OPENCLAW_STATE_DIR: state } }, call) {
      const folder = scope === 'user' ? state || join(home, '.openclaw') : join(cwd, '.openclaw');
      const file = (name: string, text: string) => ({
        file: join(folder, 'extensions', id, name),
        mode: 0o644,
        text,
      });
      return [
        file('index.js', pluginText(call())),
        file(
          'package.json',
          inJson({
            name: id,
            version: '1.0.0',
            type: 'module',
            openclaw: { extensions: ['./index.js'] },
          }),
        ),
        file(
          'openclaw.plugin.json',
          inJson({
            id,
            name: id,
            activation: { onStartup: true },
            configSchema: { type: 'object', additionalProperties: false },
          }),
        ),
      ];
    },
    after: () => [
      'enable the plugin: openclaw plugins enable hookmachine',
      'let it see prompts: openclaw config set plugins.entries.hookmachine.hooks.allowConversationAccess true',
    ],
    notes: () => ['until the plugin is enabled, OpenClaw runs every tool unguarded'],
  },
};

function answerTo(event: string, wishes: Wishes, native: Fields): Fields {
  switch (event) {
    case 'before_tool_call':
      return {
        deny: wishes.takeRefusal(),
        ask: wishes.take('ask') ?? wishes.take('defer'),
        args: wishes.take('toolInput') && native['toolInput'],
      };
    case 'before_agent_run':
      return { deny: wishes.takeRefusal() };
    case 'before_agent_finalize':
      // The agent stops by itself if no hook says anything.
      wishes.take('stop');
      return { prompt: wishes.takeContinuation() };
    default:
      return {};
  }
}
