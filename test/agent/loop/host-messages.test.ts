import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { claudeCode } from '../../../src/hosts/claude-code/index.ts';
import { codex } from '../../../src/hosts/codex/index.ts';
import { geminiCli } from '../../../src/hosts/gemini-cli/index.ts';
import { qwenCode } from '../../../src/hosts/qwen-code/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { all, everything } from '../../support/chat.ts';
import { sandbox } from '../../support/sandbox.ts';
import { print } from '../../support/session.ts';
import { someModel } from '../../support/some-model.ts';

const message = print({ systemMessage: 'for the user' });

test.each([
  [
    geminiCli,
    '.gemini/settings.json',
    ['SessionStart', 'BeforeAgent', 'BeforeModel', 'AfterModel'],
  ],
  [qwenCode, '.qwen/settings.json', ['SessionStart', 'UserPromptSubmit']],
  [claudeCode, '.claude/settings.json', ['SessionStart', 'UserPromptSubmit']],
  [codex, '.codex/hooks.json', ['SessionStart', 'UserPromptSubmit']],
] as const)(
  'a message of a hook of $name is shown to the user, never to the model',
  async (...given) => {
    const [dialect, file, events] = given;
    const box = sandbox();
    const hooks = Object.fromEntries(
      events.map((event) => [event, [{ hooks: [{ type: 'command', command: message }] }]]),
    );
    box.write(join(box.project, file), { hooks });
    const config = createConfig({
      cwd: box.project,
      systemFolder: box.systemFolder,
      isTrustedFolder: () => true,
      dialects: [dialect],
      onWarning: () => undefined,
    });
    const model = someModel('Hello.', 'Bye.');
    const chat = new ChatLoop({ config, model, tools: new Map() });
    const seen = [...(await all(chat.run('Hi'))), ...(await all(chat.run('More')))];
    const notices = seen.filter((event) => event.type === 'notice');
    expect(notices.length).toBeGreaterThanOrEqual(events.length);
    expect(everything(notices)).toContain('for the user');
    expect(model.requests.length).toBe(2);
    expect(everything(model.requests)).not.toContain('for the user');
  },
);
