import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { claudeCode } from '../../../src/hosts/claude-code/index.ts';
import { qwenCode } from '../../../src/hosts/qwen-code/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { written } from '../../support/call-tool.ts';
import { sandbox } from '../../support/sandbox.ts';

const log = `jq -c '[.hook_event_name, (.duration_ms | type)]' >> log`;
const hooks = Object.fromEntries(
  ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'].map((event) => [
    event,
    [{ hooks: [{ type: 'command', command: log }] }],
  ]),
);
const request = { id: '1', name: 'write_file', input: { file_path: 'a' } };

/**
 * The type of the duration that the hooks of two calls receive: one with a tool that works, one with a tool
 * that fails.
 */
async function durationsIn(file: string, dialect: typeof claudeCode) {
  const { project, systemFolder, write } = sandbox();
  write(join(project, file), { hooks });
  const config = createConfig({
    cwd: project,
    systemFolder,
    dialects: [dialect],
    isTrustedFolder: () => true,
  });
  await runToolCall(config, request, async () => written);
  await runToolCall(config, request, () => Promise.reject(new Error('no')));
  const lines = readFileSync(join(project, 'log'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}

test('Claude Code’s hooks receive how long a tool ran, once it has ended', async () => {
  expect(await durationsIn('.claude/settings.json', claudeCode)).toEqual([
    ['PreToolUse', 'null'],
    ['PostToolUse', 'number'],
    ['PreToolUse', 'null'],
    ['PostToolUseFailure', 'number'],
  ]);
});

test('Qwen Code’s hooks receive how long a tool ran if it did not fail', async () => {
  expect(await durationsIn('.qwen/settings.json', qwenCode)).toEqual([
    ['PreToolUse', 'null'],
    ['PostToolUse', 'number'],
    ['PreToolUse', 'null'],
    ['PostToolUseFailure', 'null'],
  ]);
});
