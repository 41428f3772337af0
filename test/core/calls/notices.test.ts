import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { ToolScheduler } from '../../../src/agent/loop/tool-scheduler.ts';
import { toolEvents } from '../../../src/agent/loop/chat-events.ts';
import { claudeCode } from '../../../src/hosts/claude-code/index.ts';
import { codex } from '../../../src/hosts/codex/index.ts';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { geminiCli } from '../../../src/hosts/gemini-cli/index.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { qwenCode } from '../../../src/hosts/qwen-code/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { settingsOf } from '../../support/claude-code.ts';
import { written } from '../../support/call-tool.ts';
import { sandbox } from '../../support/sandbox.ts';
import { someTool } from '../../support/some-tool.ts';

const prints = (answer: object | string): string =>
  `echo '${typeof answer === 'string' ? answer : JSON.stringify(answer)}'`;

/** The config of a project whose hosts' files contain these hooks. */
function projectWith(files: Readonly<Record<string, object>>, dialects: readonly Dialect[]) {
  const { project, systemFolder, write } = sandbox();
  for (const [file, settings] of Object.entries(files)) write(join(project, file), settings);
  return createConfig({ cwd: project, systemFolder, dialects, isTrustedFolder: () => true });
}

const callIn = (...project: Parameters<typeof projectWith>) =>
  executeToolWithHooks(
    projectWith(...project),
    'write_file',
    { file_path: 'a' },
    async () => written,
  );

test.each<[host: string, file: string, settings: object, dialect: Dialect]>([
  [
    'Claude Code',
    '.claude/settings.json',
    settingsOf('PostToolUse', prints({ systemMessage: 'hi' })),
    claudeCode,
  ],
  ['Codex', '.codex/hooks.json', settingsOf('PostToolUse', prints({ systemMessage: 'hi' })), codex],
  [
    'Gemini CLI',
    '.gemini/settings.json',
    settingsOf('AfterTool', prints({ systemMessage: 'hi' })),
    geminiCli,
  ],
  [
    'Gemini CLI, as plain text,',
    '.gemini/settings.json',
    settingsOf('AfterTool', prints('hi')),
    geminiCli,
  ],
  [
    'Qwen Code',
    '.qwen/settings.json',
    settingsOf('PostToolUse', prints({ systemMessage: 'hi' })),
    qwenCode,
  ],
])('after a tool, a message of %s is for the user only', async (_, file, settings, dialect) => {
  expect(await callIn({ [file]: settings }, [dialect])).toEqual({ ...written, notice: 'hi' });
});

const answering = (answer: object) => ({
  '.claude/settings.json': settingsOf('PreToolUse', prints({ systemMessage: 'hi', ...answer })),
});

test('before a tool, a message of a Claude Code hook is for the user only, denied or not', async () => {
  expect(await callIn(answering({}), [claudeCode])).toEqual({ ...written, notice: 'hi' });
  const denied = await callIn(answering({ decision: 'block', reason: 'no' }), [claudeCode]);
  expect([denied.llmContent, denied.notice]).toEqual(['no', 'hi']);
});

test('a message of an LLxprt hook is for the model, even if a Claude Code hook has one for the user (HOOK-131)', async () => {
  const answer = prints({ systemMessage: 'for the model' });
  const files = {
    '.claude/settings.json': settingsOf('PostToolUse', prints({ systemMessage: 'for the user' })),
    '.llxprt/settings.json': { ...settingsOf('AfterTool', answer), enableHooks: true },
  };
  const { llmContent, notice } = await callIn(files, [llxprt, claudeCode]);
  expect(llmContent).toBe('written\n\n[System] for the model');
  expect(notice).toBe('for the user');
});

test('the events of a turn include a message for the user right after the decision of its hooks', async () => {
  const config = projectWith(
    { '.claude/settings.json': settingsOf('PreToolUse', prints({ systemMessage: 'hi' })) },
    [claudeCode],
  );
  const tools = new Map([['write_file', someTool('write_file', async () => written)]]);
  const { calls } = await new ToolScheduler({ config, tools }).schedule([
    { id: '1', name: 'write_file', input: { path: 'a' } },
  ]);
  const events = calls.flatMap((call) => toolEvents(call));
  expect(events.map(({ type }) => type)).toEqual(['hookDecision', 'notice', 'toolResult']);
  expect(events[1]).toEqual({ type: 'notice', text: 'hi' });
});
