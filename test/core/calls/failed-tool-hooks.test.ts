import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { sandbox } from '../../support/sandbox.ts';
import { print } from '../../support/session.ts';

const request = { id: '1', name: 'glob', input: { pattern: '*' } };

const hooks = (command: string) => [{ hooks: [{ type: 'command', command }] }];

async function called(answer: object, fails = true) {
  const box = sandbox();
  const warnings: string[] = [];
  const log = `jq -c '[.hook_event_name, .tool_name, .error, .tool_response.error.message]' >> log`;
  box.write(box.own.user, {
    hooks: { 'tool.failed': hooks(`${log}; ${print(answer)}`), 'tool.after': hooks(log) },
  });
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    isTrustedFolder: () => true,
    onWarning: (line) => warnings.push(line),
  });
  const tool = async () => {
    if (fails) throw new Error('No such folder');
    return { llmContent: 'a', returnDisplay: 'a' };
  };
  const ended = await runToolCall(config, request, tool);
  const lines = readFileSync(join(box.project, 'log'), 'utf8').trim().split('\n');
  return { ...ended, warnings, log: lines.map((line) => JSON.parse(line) as unknown) };
}

describe('ToolFailed hooks', () => {
  test('ToolFailed hooks run only for a tool that failed, before its AfterTool hooks', async () => {
    const { log } = await called({});
    expect(log).toEqual([
      ['ToolFailed', 'glob', 'No such folder', 'No such folder'],
      ['AfterTool', 'glob', null, 'No such folder'],
    ]);
    expect((await called({}, false)).log).toEqual([['AfterTool', 'glob', null, null]]);
  });

  test('the context and the denial of ToolFailed hooks are reported with the failure', async () => {
    const { toolResult, warnings } = await called({
      decision: 'deny',
      reason: 'Do not try again.',
      hookSpecificOutput: { additionalContext: 'Try ls.' },
    });
    expect(toolResult.llmContent).toBe('No such folder\n\nTry ls.\n\n[System] Do not try again.');
    expect(warnings).toEqual([]);
  });

  test('a ToolFailed hook can stop the agent, after AfterTool hooks have run too', async () => {
    const { stop, outcome, log } = await called({ continue: false, stopReason: 'enough' });
    expect([stop, outcome.status, log.length]).toEqual([{ reason: 'enough' }, 'stopped', 2]);
  });
});
