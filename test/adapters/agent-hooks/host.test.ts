import { expect, test } from 'vitest';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { modelFromTurns } from '../../../src/agent/models/scripted.ts';
import {
  agentHooks,
  type InterceptionRecord,
  type Interceptor,
} from '../../../src/adapters/agent-hooks/index.ts';
import { hookmachine } from '../../../src/hosts/hookmachine/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

function session(intercept: Interceptor['intercept'], more: object = {}) {
  const records: InterceptionRecord[] = [];
  const hooks = agentHooks({
    agent: 'a',
    tools: [],
    interceptors: [{ name: 'mine', intercept }],
    onRecord: (record) => records.push(record),
    ...more,
  });
  const config = createConfig({ cwd: tempFolder(), dialects: [hookmachine, hooks.dialect] });
  const model = modelFromTurns([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const chat = new ChatLoop({ config, model: hooks.model(model) });
  return { hooks, chat, records };
}

test('a denied input ends its turn, and the session goes on', async () => {
  const { hooks, chat, records } = session(({ input }) =>
    (input as { content?: string } | undefined)?.content === 'bad'
      ? { decision: 'deny', reason: 'no', message: 'Not that.' }
      : { decision: 'allow' },
  );
  expect(await hooks.run(chat, 'bad')).toEqual({
    outcome: 'blocked',
    output: null,
    reason: 'no: Not that.',
  });
  expect(await hooks.run(chat, 'good')).toEqual({ outcome: 'completed', output: 'One.' });
  await hooks.end();
  await hooks.end();
  expect(await hooks.run(chat, 'late')).toMatchObject({
    outcome: 'blocked',
    reason: 'the session has ended',
  });
  expect(
    records.map((one) => [one.sequence, one.interception_point, one.verdict.decision]),
  ).toEqual([
    [0, 'agent_startup', 'allow'],
    [1, 'input', 'deny'],
    [2, 'input', 'allow'],
    [3, 'pre_model_call', 'allow'],
    [4, 'post_model_call', 'allow'],
    [5, 'output', 'allow'],
    [6, 'agent_shutdown', 'allow'],
  ]);
});

test('inputs, messages, responses and outputs are as interceptors changed them', async () => {
  const changes: Record<string, unknown> = {
    input: { content: 'asked', role: 'user' },
    pre_model_call: [{ role: 'user', content: 'sent' }],
    post_model_call: { content: 'answered', tool_calls: [], finish_reason: 'stop' },
  };
  const seen: unknown[] = [];
  const { hooks, chat } = session(({ interception_point: point, target }) => {
    seen.push([point, target]);
    return point === 'output'
      ? { decision: 'transform', transform: { path: '$target.content', value: 'returned' } }
      : point in changes
        ? { decision: 'transform', transform: { path: '$target', value: changes[point] } }
        : { decision: 'allow' };
  });
  expect(await hooks.run(chat, 'given')).toEqual({ outcome: 'completed', output: 'returned' });
  expect(seen).toEqual([
    ['agent_startup', { tools_registered: [] }],
    ['input', { content: 'given', role: 'user' }],
    ['pre_model_call', [{ role: 'user', content: 'asked' }]],
    ['post_model_call', { content: 'One.', tool_calls: [], finish_reason: 'stop' }],
    ['output', { content: 'answered' }],
  ]);
});

test('an interceptor that takes too long denies', async () => {
  const { hooks, chat, records } = session(() => new Promise(() => undefined), { timeout: 20 });
  expect(await hooks.run(chat, 'hi')).toMatchObject({
    outcome: 'blocked',
    reason: 'host_error:interceptor_timeout',
  });
  expect(records.at(0)).toMatchObject({ decided_by: 0, interceptors_registered: 1 });
});

test.each(['jcs-mine', 'Mine', ''])('an identity provider cannot be called %j', (name) => {
  expect(() =>
    session(() => ({ decision: 'allow' }), { identity: { name, identify: () => 'x' } }),
  ).toThrow(`"${name}" is no name for an identity provider`);
});
