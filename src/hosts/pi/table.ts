import { join } from 'node:path';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Wishes } from '../../core/dialects/speaker.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { extensionNames, longestWait } from '../parts/extension-relay.ts';
import { flatAnswer } from '../parts/speaking.ts';
import { filePathAs } from '../parts/tool-table.ts';
import type { Fields, HostTable } from '../table/host-table.ts';
import { extensionText } from './extension.ts';

const path = filePathAs('path');

/** Pi 1.6.0, as measured and as the documentation in its package says. */
export const table: HostTable = {
  title: 'Pi',
  tools: [
    { ours: 'run_shell_command', name: 'bash' },
    { ours: 'read_file', name: 'read', renamed: path },
    { ours: 'write_file', name: 'write', renamed: path },
    {
      ours: 'replace',
      name: 'edit',
      renamed: [...path, ['old_string', 'oldText'], ['new_string', 'newText']],
    },
    { ours: 'search_file_content', name: 'grep' },
    { ours: 'glob', name: 'find' },
    { ours: 'list_directory', name: 'ls' },
  ],
  names: extensionNames,
  // Where nobody can be asked, the extension denies.
  asks: ['tool_call'],
  waits: longestWait,
  answers: (event, wishes, outcome) =>
    flatAnswer({ ...answerTo(event, wishes, outcome), message: wishes.take('message') }),
  installation: {
    kind: 'files',
    programs: ['pi'],
    measured: '1.6.0',
    files: (scope, { cwd, home, env: { PI_CODING_AGENT_DIR: agentFolder } }, call) => [
      {
        file: join(
          scope === 'user' ? agentFolder || join(home, '.pi', 'agent') : join(cwd, '.pi'),
          'extensions',
          'hookmachine.js',
        ),
        mode: 0o644,
        text: extensionText(call()),
      },
    ],
    after: (scope) => [
      'restart Pi, or type /reload: it reads extensions when it starts',
      ...(scope === 'project' ? ['trust the folder in Pi: only then it loads its extensions'] : []),
    ],
  },
};

function answerTo(event: string, wishes: Wishes, { native }: EventOutcome): Fields {
  switch (event) {
    case 'tool_call': {
      const stop = wishes.take('stop');
      return {
        deny: wishes.take('deny') ?? stop,
        stop: stop !== undefined || undefined,
        ask: wishes.take('ask') ?? wishes.take('defer'),
        args: wishes.take('toolInput') && native['toolInput'],
      };
    }
    case 'tool_result':
      return {
        output: wishes.take('toolResponse') && native['toolOutput'],
        append: joinTexts([wishes.take('deny'), wishes.take('context')]),
        stop: wishes.take('stop'),
      };
    case 'input':
      return { deny: wishes.takeRefusal(), append: wishes.take('context') };
    case 'agent_before_settle':
      // The agent stops by itself if no hook says anything.
      wishes.take('stop');
      return { prompt: wishes.takeContinuation() };
    case 'context_with_system': {
      const answer = wishes.take('llmResponse');
      return {
        deny: wishes.takeRefusal(),
        answer: answer && textOf(answer),
        messages: wishes.take('llmRequest')?.['messages'],
      };
    }
    case 'message_end': {
      const answer = wishes.take('llmResponse');
      return { text: answer && textOf(answer), stop: wishes.take('stop') };
    }
    case 'session_before_compact':
      return { deny: wishes.take('deny') };
    default:
      return {};
  }
}

/** The text of a response to replace the model's. */
const textOf = ({ text, candidates }: Fields): string =>
  typeof text === 'string' ? text : textsIn(candidates);
