import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookInterceptor } from '../../../src/adapters/agent-hooks/index.ts';
import type { AgentContext } from '../../../src/adapters/agent-hooks/index.ts';
import { points, type InterceptionPoint } from '../../../src/adapters/agent-hooks/contract.ts';
import { hookmachine } from '../../../src/hosts/hookmachine/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const answer = (json: object): object => ({
  hooks: [{ type: 'command', command: `cat > "$0.in"; printf '%s' '${JSON.stringify(json)}'` }],
});

function interceptorWith(hooks: object) {
  const cwd = tempFolder();
  mkdirSync(join(cwd, '.hookmachine'));
  writeFileSync(join(cwd, '.hookmachine/settings.json'), JSON.stringify({ hooks }));
  return hookInterceptor(
    createConfig({ cwd, dialects: [hookmachine], checkTrust: () => ({ trusted: true }) }),
  );
}

function contextAt(
  point: InterceptionPoint,
  fields: Readonly<Record<string, unknown>>,
): AgentContext {
  const target = points[point]
    .split('.')
    .reduce<unknown>((value, key) => (value as typeof fields)[key], fields);
  return {
    spec: 'agent-hooks/0.1',
    interception_point: point,
    timestamp: '2026-11-28T10:00:00Z',
    sequence: 1,
    agent: { id: 'a', framework: 'test' },
    session: { id: 's' },
    ...fields,
    target,
  };
}

const tool_call = { id: 'c1', name: 'write_file', args: { file_path: 'a', content: 'b' } };
const model = { id: 'm' };
const messages = [{ role: 'user', content: 'Hi' }];

test.each([
  [
    'agent_startup',
    'SessionStart',
    { agent_init: { tools_registered: [] } },
    { continue: false, stopReason: 'no' },
  ],
  [
    'input',
    'BeforeAgent',
    { input: { content: 'Hi', role: 'user' } },
    { decision: 'deny', reason: 'no' },
  ],
  ['pre_model_call', 'BeforeModel', { model, messages }, { decision: 'deny', reason: 'no' }],
  [
    'post_model_call',
    'AfterModel',
    { model, response: { content: 'Hi', tool_calls: [], finish_reason: 'stop' } },
    { continue: false, stopReason: 'no' },
  ],
  ['pre_tool_call', 'BeforeTool', { tool_call }, { decision: 'deny', reason: 'no' }],
  [
    'post_tool_call',
    'AfterTool',
    { tool_call, tool_result: { value: 'x', is_error: false } },
    { decision: 'deny', reason: 'no' },
  ],
  ['output', 'AfterAgent', { output: { content: 'Hi' } }, { decision: 'deny', reason: 'no' }],
] as const)('a denial at %s denies', async (point, event, fields, json) => {
  const { intercept } = interceptorWith({ [event]: [answer(json)] });
  expect(await intercept(contextAt(point, fields))).toMatchObject({
    decision: 'deny',
    reason: expect.stringMatching(/denied|stopped/) as string,
    message: expect.stringContaining('no') as string,
  });
});

test('without an opinion, everything is allowed', async () => {
  const { intercept } = interceptorWith({ BeforeTool: [answer({})] });
  expect(await intercept(contextAt('pre_tool_call', { tool_call }))).toEqual({ decision: 'allow' });
  expect(
    await intercept(contextAt('agent_shutdown', { summary: { reason: 'completed' } })),
  ).toEqual({
    decision: 'allow',
  });
});

test('a question is a denial that may be lifted', async () => {
  const { intercept } = interceptorWith({
    BeforeTool: [answer({ decision: 'ask', reason: 'Sure?' })],
  });
  expect(await intercept(contextAt('pre_tool_call', { tool_call }))).toEqual({
    decision: 'deny',
    reason: 'asked',
    message: 'Sure?',
    approval: {},
  });
});

const changing = (hookEventName: string, fields: object): object =>
  answer({ hookSpecificOutput: { hookEventName, ...fields } });

test('changed arguments, results, messages and answers are transforms', async () => {
  const { intercept } = interceptorWith({
    BeforeTool: [changing('BeforeTool', { tool_input: { content: 'c' } })],
    AfterTool: [
      changing('AfterTool', { tool_response: { llmContent: 'redacted', returnDisplay: '' } }),
    ],
    BeforeModel: [
      changing('BeforeModel', { llm_request: { messages: [{ role: 'user', content: 'Hello' }] } }),
    ],
    AfterModel: [
      changing('AfterModel', {
        llm_response: { candidates: [{ content: { role: 'model', parts: ['redacted'] } }] },
      }),
    ],
  });
  const calls = [{ id: 'c1', name: 'write_file', args: {} }];
  const response = { content: 'secret', tool_calls: calls, finish_reason: 'stop' };
  expect(await intercept(contextAt('post_model_call', { model, response }))).toEqual({
    decision: 'transform',
    transform: { path: '$target', value: { ...response, content: 'redacted' } },
  });
  expect(await intercept(contextAt('pre_tool_call', { tool_call }))).toEqual({
    decision: 'transform',
    transform: { path: '$target', value: { file_path: 'a', content: 'c' } },
  });
  expect(
    await intercept(
      contextAt('post_tool_call', { tool_call, tool_result: { value: 'x', is_error: false } }),
    ),
  ).toEqual({
    decision: 'transform',
    transform: { path: '$target', value: 'redacted' },
  });
  expect(await intercept(contextAt('pre_model_call', { model, messages }))).toEqual({
    decision: 'transform',
    transform: { path: '$target', value: [{ role: 'user', content: 'Hello' }] },
  });
});

test('a failed hook is a warning, not an opinion', async () => {
  const { intercept } = interceptorWith({
    BeforeTool: [{ hooks: [{ type: 'command', command: 'exit 1' }] }],
  });
  expect(await intercept(contextAt('pre_tool_call', { tool_call }))).toMatchObject({
    decision: 'allow',
    warnings: [{ reason: 'hook_failed' }],
  });
});

test.each(['spec', 'target', 'tool_call', 'session'])(
  'a context without %s is an error',
  async (key) => {
    const { intercept } = interceptorWith({ BeforeTool: [answer({})] });
    const { [key]: _, ...context } = contextAt('pre_tool_call', { tool_call });
    await expect(async () => intercept(context as AgentContext)).rejects.toThrow(
      `"${key}" is missing`,
    );
  },
);
