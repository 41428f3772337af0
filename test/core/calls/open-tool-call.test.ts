import { expect, test } from 'vitest';
import { beginToolCall } from '../../../src/core/calls/open-tool-call.ts';
import { createConfig, type CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { sandbox } from '../../support/sandbox.ts';
import { inParallel, print, startSession } from '../../support/session.ts';
import { written } from '../../support/call-tool.ts';

/** LLxprt's hooks under a dialect whose questions count. */
const { unasked: _, ...rest } = llxprt;
const asking: Dialect = { ...rest, name: 'asking', family: 'asking' };

const request = { id: 'call-1', name: 'write_file', input: { file_path: 'a.txt' } };

const begin = async (
  hooks: Parameters<typeof startSession>[0],
  options: Partial<CreateConfigOptions> = {},
) => {
  const { config } = await startSession(hooks, options);
  return { call: beginToolCall(config, request) };
};

test('a call that no hook matches is allowed, and ends with its result', async () => {
  const { call } = await begin({});
  expect(await call.verdict).toEqual({ status: 'allowed', toolInput: request.input });
  const { toolResult, appended } = await call.succeed(written);
  expect(toolResult).toBe(written);
  expect(appended).toEqual([]);
});

test('a call is allowed with the arguments that hooks left, and hooks see its result', async () => {
  const rewrite = { hookSpecificOutput: { tool_input: { file_path: 'b.txt' } } };
  const context = { hookSpecificOutput: { additionalContext: 'Mind the gap.' } };
  const { call } = await begin({
    BeforeTool: inParallel(print(rewrite)),
    AfterTool: inParallel(print(context)),
  });
  expect(await call.verdict).toEqual({ status: 'allowed', toolInput: { file_path: 'b.txt' } });
  const ended = await call.succeed({ llmContent: { degrees: 20 }, returnDisplay: '' });
  expect(ended.plainResult.llmContent).toEqual({ degrees: 20 });
  expect(ended.appended).toEqual(['\n\nMind the gap.']);
  expect(ended.toolResult.llmContent).toEqual([{ degrees: 20 }, { text: '\n\nMind the gap.' }]);
  expect(await call.ended).toBe(ended);
});

test('a denied call has ended, and a result that is handed in later changes nothing', async () => {
  const { call } = await begin({ BeforeTool: inParallel('echo no >&2; exit 2') });
  const verdict = await call.verdict;
  expect(verdict).toMatchObject({ status: 'ended', call: { toolResult: { llmContent: 'no' } } });
  expect((await call.succeed(written)).toolResult.llmContent).toBe('no');
});

test('an error that the tool threw becomes a result with an error that hooks see', async () => {
  const seen = `jq -c '{hookSpecificOutput: {additionalContext: .tool_response.error.message}}'`;
  const { call } = await begin({ AfterTool: inParallel(seen) });
  await call.verdict;
  const { toolResult } = await call.fail(new RangeError('too far'));
  expect(toolResult).toMatchObject({
    llmContent: 'too far\n\ntoo far',
    error: { message: 'too far', type: 'RangeError' },
  });
});

test('cancelling a call ends its hooks and gives the reason', async () => {
  const { call } = await begin({ BeforeTool: inParallel('sleep 600') });
  const ended = await call.cancel('the user left');
  expect(ended.outcome).toMatchObject({ status: 'cancelled', reason: 'the user left' });
  expect(await call.verdict).toMatchObject({ status: 'ended' });
});

test.each([
  [true, { status: 'allowed', toolInput: request.input }],
  [false, { status: 'ended', call: { toolResult: { error: { type: 'declined' } } } }],
])('a hook that asks waits for the answer %s', async (approved, after) => {
  const asks = { decision: 'ask', reason: 'Really?' };
  const { call } = await begin({ BeforeTool: inParallel(print(asks)) }, { dialects: [asking] });
  expect(await call.verdict).toEqual({
    status: 'asked',
    toolInput: request.input,
    reason: 'Really?',
  });
  expect(await call.answer(approved)).toMatchObject(after);
});

test('hooks receive the session, the transcript and the folder of the call', async () => {
  const says = `jq -c '{hookSpecificOutput: {additionalContext: ([.session_id, .transcript_path, .cwd] | join(" "))}}'`;
  const { config, folder } = await startSession({ AfterTool: inParallel(says) });
  const call = beginToolCall(config, request, {
    sessionId: 'other',
    transcriptPath: '/tmp/other.jsonl',
    cwd: '/',
  });
  await call.verdict;
  expect((await call.succeed(written)).appended).toEqual(['\n\nother /tmp/other.jsonl /']);
  const plain = beginToolCall(config, request);
  await plain.verdict;
  expect((await plain.succeed(written)).appended[0]).toContain(` ${folder}`);
});

test('a question of the host’s own is asked once if no hook answers it, and never about a call that has ended', async () => {
  const { call } = await begin({});
  expect(await call.question()).toEqual({ status: 'asked', toolInput: request.input });
  expect(await call.question()).toMatchObject({ status: 'asked' });
  expect(await call.answer(true)).toMatchObject({ status: 'allowed' });
  expect((await call.succeed(written)).outcome.status).toBe('done');
  const { call: other } = await begin({});
  await other.verdict;
  await other.succeed(written);
  expect(await other.question()).toMatchObject({ status: 'ended' });
});

test('a call that the user refuses in answer to the host’s own question never runs', async () => {
  const { call } = await begin({});
  await call.question();
  expect(await call.answer('not now')).toMatchObject({ status: 'ended' });
  expect((await call.succeed(written)).toolResult.llmContent).toBe('not now');
});

test('concurrent questions get the same answer, and a later denial overrides an approval', async () => {
  const box = sandbox();
  const command = print({ decision: 'allow' });
  box.write(box.own.user, { hooks: { 'tool.permission': [{ hooks: [{ type: 'command', command }] }] } }); // prettier-ignore
  const { project: cwd, systemFolder } = box;
  const call = beginToolCall(createConfig({ cwd, systemFolder }), request);
  const twice = await Promise.all([call.question(), call.question()]);
  const once = { status: 'allowed', toolInput: request.input };
  expect([...twice, await call.question()]).toEqual([once, once, once]);
  const { call: other } = await begin({});
  await other.question();
  expect(await other.answer(true)).toMatchObject({ status: 'allowed' });
  expect(await other.answer('not now')).toMatchObject({ status: 'ended' });
  expect((await other.succeed(written)).outcome).toMatchObject({ reason: 'not now' });
});
