import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type {
  AfterModelHookResult,
  BeforeModelHookResult,
  BeforeToolSelectionHookResult,
} from '../../../src/core/calls/hook-triggers.ts';
import type { ToolResult } from '../../../src/core/protocol/tool-result.ts';
import { defaultHookTranslator } from '../../../src/core/translate/genai-v1.ts';
import type { GenAIRequest, GenAIResponse } from '../../../src/core/translate/genai-types.ts';
import { callModel, someRequest } from '../../support/call-model.ts';
import { inParallel, print } from '../../support/session.ts';
import { saying } from '../../support/some-model.ts';

const stdinOf = (folder: string, event: string): unknown =>
  JSON.parse(readFileSync(join(folder, `${event}.json`), 'utf8'));

const keep = (event: string) => inParallel(`cat > ${event}.json`);

const base = (event: string, folder: string) => ({
  session_id: expect.any(String),
  cwd: folder,
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  hook_event_name: event,
  transcript_path: '',
});

describe('the input of hooks on model events', () => {
  test('hooks before the call receive the whole request in the stable format (HOOK-033, 034, 035, 054, 205)', async () => {
    const { session, reported } = await callModel({
      BeforeToolSelection: keep('BeforeToolSelection'),
      BeforeModel: keep('BeforeModel'),
    });
    const { folder } = session;
    const llm_request = defaultHookTranslator.toHookLLMRequest(someRequest);
    for (const event of ['BeforeToolSelection', 'BeforeModel'])
      expect(stdinOf(folder, event)).toEqual({ ...base(event, folder), llm_request });
    expect(llm_request).toMatchObject({ model: 'some-model', config: { temperature: 0.5 } });
    expect(reported.at(-1)).toBe('model');
  });

  test('AfterModel hooks receive the sent request and the response in the stable format (HOOK-043, 044, 045)', async () => {
    const { session } = await callModel({ AfterModel: keep('AfterModel') });
    expect(stdinOf(session.folder, 'AfterModel')).toEqual({
      ...base('AfterModel', session.folder),
      llm_request: defaultHookTranslator.toHookLLMRequest(someRequest),
      llm_response: defaultHookTranslator.toHookLLMResponse(saying('Hello')),
    });
  });
});

describe('the effects of hooks on model events', () => {
  const answer = { llm_response: { text: 'Instead.' } };

  test.each([
    ['blocks', { decision: 'block', reason: 'no' }, { status: 'blocked', asked: 0 }],
    [
      'answers',
      { decision: 'block', hookSpecificOutput: answer },
      { status: 'answered', asked: 0, text: 'Instead.' },
    ],
    [
      'adds messages',
      {
        hookSpecificOutput: {
          llm_request: { messages: [{ role: 'user', content: 'More.' }] },
        },
      },
      { status: 'done', asked: 1, text: 'Hello' },
    ],
    [
      'stops',
      { continue: false, stopReason: 'Enough.' },
      { status: 'stopped', asked: 0, stop: true },
    ],
  ])('BeforeModel %s (HOOK-179)', async (_, output, { status, asked, text, stop }: Seen) => {
    const call = await callModel({ BeforeModel: inParallel(print(output)) });
    expect(call.sent).toHaveLength(asked);
    expect(call.outcome.status).toBe(status);
    expect(call.stop !== undefined).toBe(stop ?? false);
    if (text !== undefined)
      expect(call.response?.candidates?.[0]?.content?.parts).toEqual([{ text }]);
  });

  test('AfterModel replaces the response and cannot block (HOOK-180, C-63)', async () => {
    const output = { decision: 'block', reason: 'no', hookSpecificOutput: answer };
    const call = await callModel({ AfterModel: inParallel(print(output)) });
    expect(call.outcome.status).toBe('done');
    expect(call.response?.candidates?.[0]?.content?.parts).toEqual([{ text: 'Instead.' }]);
  });

  test('BeforeToolSelection restricts the tools, and neither blocks nor changes anything else (HOOK-181, C-63)', async () => {
    const output = {
      decision: 'block',
      reason: 'no',
      hookSpecificOutput: {
        toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
        llm_request: { model: 'other-model', messages: [] },
        ...answer,
      },
    };
    const call = await callModel({ BeforeToolSelection: inParallel(print(output)) });
    expect(call.outcome.status).toBe('done');
    expect(call.sent).toEqual([
      {
        ...someRequest,
        config: {
          ...someRequest.config,
          toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
        },
      },
    ]);
  });

  interface Seen {
    readonly status: string;
    readonly asked: number;
    readonly text?: string;
    readonly stop?: boolean;
  }
});

test('callers see the SDK’s types, and a flag for output that must not be shown (HOOK-141, 149)', () => {
  expectTypeOf<BeforeModelHookResult['modifiedRequest']>().toEqualTypeOf<
    GenAIRequest | undefined
  >();
  expectTypeOf<BeforeModelHookResult['syntheticResponse']>().toEqualTypeOf<
    GenAIResponse | undefined
  >();
  expectTypeOf<AfterModelHookResult['response']>().toEqualTypeOf<GenAIResponse>();
  expectTypeOf<NonNullable<BeforeToolSelectionHookResult['toolConfig']>>().not.toBeAny();
  expectTypeOf<ToolResult['suppressDisplay']>().toEqualTypeOf<boolean | undefined>();
});
