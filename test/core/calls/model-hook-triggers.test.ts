import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
} from '../../../src/core/calls/hook-triggers.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { someRequest } from '../../support/call-model.ts';
import { inParallel, print, startSession } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { untilWritten } from '../../support/until.ts';
import { frozen } from '../translate/conversation.ts';

const request = frozen(structuredClone(someRequest));
const response = frozen(saying('Hello'));

const configOf = async (hooks: Parameters<typeof startSession>[0]) =>
  (await startSession(hooks)).config;

const failing = (): never => {
  throw new Error('no settings today');
};

const before = async (...commands: string[]) =>
  fireBeforeModelHook(await configOf({ BeforeModel: inParallel(...commands) }), request);

describe('fireBeforeModelHook', () => {
  test.each([['true'], [print({})], [print({ decision: 'allow' })]])(
    'fireBeforeModelHook lets the call go ahead unchanged after %s (HOOK-135, 152)',
    async (command) => {
      expect(await before(command)).toEqual({
        blocked: false,
        shouldStop: false,
        suppressOutput: false,
      });
    },
  );

  test('fireBeforeModelHook reports a block, its reason and the answer (HOOK-036, 135)', async () => {
    const answer = {
      decision: 'deny',
      reason: 'no',
      hookSpecificOutput: { llm_response: { text: 'Hi' } },
    };
    expect(await before(print(answer))).toMatchObject({
      blocked: true,
      reason: 'no',
      shouldStop: false,
      syntheticResponse: { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] },
    });
  });

  test('fireBeforeModelHook returns no answer if no hook gave one (HOOK-037)', async () => {
    const result = await before('echo no >&2; exit 2');
    expect(result).toEqual({
      blocked: true,
      reason: 'no',
      shouldStop: false,
      suppressOutput: false,
    });
  });

  test('fireBeforeModelHook treats a stop as a block and reports both (HOOK-184, C-80)', async () => {
    expect(await before(print({ continue: false, stopReason: 'Enough.' }))).toEqual({
      blocked: true,
      reason: 'Enough.',
      shouldStop: true,
      stopReason: 'Enough.',
      suppressOutput: false,
    });
  });

  test('fireBeforeModelHook returns the changed request and leaves the given one alone (HOOK-038, 217)', async () => {
    const change = print({
      systemMessage: 'Note.',
      hookSpecificOutput: { llm_request: { config: { temperature: 0 } } },
    });
    expect(await before(change)).toEqual({
      blocked: false,
      shouldStop: false,
      suppressOutput: false,
      systemMessage: 'Note.',
      modifiedRequest: { ...someRequest, config: { ...someRequest.config, temperature: 0 } },
    });
  });

  test('fireBeforeModelHook returns no request with a block', async () => {
    const both = {
      decision: 'block',
      hookSpecificOutput: { llm_request: { config: { topK: 1 } } },
    };
    expect(await before(print(both))).not.toHaveProperty('modifiedRequest');
  });
});

const after = async (...commands: string[]) =>
  fireAfterModelHook(await configOf({ AfterModel: inParallel(...commands) }), request, response);

describe('fireAfterModelHook', () => {
  test('fireAfterModelHook returns the model’s response if no hook changed it (HOOK-136, 153)', async () => {
    const result = await after('true');
    expect(result).toEqual({ response, shouldStop: false, suppressOutput: false });
    expect(result.response).toBe(response);
  });

  test('fireAfterModelHook returns the changed response and the hooks’ other effects (C-83)', async () => {
    const result = await after(
      print({
        suppressOutput: true,
        systemMessage: 'Note.',
        hookSpecificOutput: { llm_response: { text: 'Other' } },
      }),
    );
    expect(result).toMatchObject({
      response: { text: 'Other' },
      shouldStop: false,
      suppressOutput: true,
      systemMessage: 'Note.',
    });
  });

  test('fireAfterModelHook returns a response with the reason of a stop (HOOK-048, C-82)', async () => {
    expect(await after(print({ continue: false, stopReason: 'Enough.' }))).toMatchObject({
      response: { candidates: [{ content: { parts: [{ text: 'Enough.' }] } }] },
      shouldStop: true,
      stopReason: 'Enough.',
    });
  });

  test('fireAfterModelHook keeps the tool calls of a changed response, and warns if a block removes them (C-86)', async () => {
    const change = { hookSpecificOutput: { llm_response: { text: 'Other' } } };
    const given = saying('Hello', wanting('read', {}));
    const kept = await startSession({ AfterModel: inParallel(print(change)) });
    const changed = await fireAfterModelHook(kept.config, request, given);
    expect(changed.response).toMatchObject(saying('Other', wanting('read', {})));
    expect(kept.warnings).toEqual([]);
    const blocked = await startSession({
      AfterModel: inParallel(print({ ...change, decision: 'block', reason: 'no' })),
    });
    await fireAfterModelHook(blocked.config, request, given);
    expect(blocked.warnings).toContainEqual(
      expect.stringContaining("lost some of the model's tool calls"),
    );
  });
});

const selection = async (...commands: string[]) =>
  fireBeforeToolSelectionHook(
    await configOf({ BeforeToolSelection: inParallel(...commands) }),
    request,
  );

describe('fireBeforeToolSelectionHook', () => {
  test('fireBeforeToolSelectionHook returns the tool config and the unchanged tools (HOOK-137, 154, 167)', async () => {
    const toolConfig = { mode: 'ANY', allowedFunctionNames: ['read'] };
    expect(await selection(print({ hookSpecificOutput: { toolConfig } }))).toEqual({
      toolConfig: { functionCallingConfig: toolConfig },
      tools: someRequest.config.tools,
      shouldStop: false,
      suppressOutput: false,
    });
  });

  test.each([['true'], [print({})], ['echo text'], ['exit 1'], ['exit 2']])(
    'fireBeforeToolSelectionHook returns no tool config after %s (C-49)',
    async (command) => {
      const { toolConfig, tools, shouldStop } = await selection(command);
      expect(toolConfig).toBeUndefined();
      expect(tools).toBe(request.config.tools);
      expect(shouldStop).toBe(false);
    },
  );

  test('fireBeforeToolSelectionHook reports a stop and a message (HOOK-058, C-50)', async () => {
    const stop = print({ continue: false, stopReason: 'Enough.', systemMessage: 'Note.' });
    expect(await selection(stop)).toMatchObject({
      shouldStop: true,
      stopReason: 'Enough.',
      systemMessage: 'Note.',
    });
  });
});

const neutral = { shouldStop: false, suppressOutput: false };

async function expectNoEffect(config: HookSystemConfig): Promise<void> {
  expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: false, ...neutral });
  expect(await fireAfterModelHook(config, request, response)).toEqual({ response, ...neutral });
  expect(await fireBeforeToolSelectionHook(config, request)).toEqual({
    tools: someRequest.config.tools,
    ...neutral,
  });
}

describe('a trigger that fails lets the call go ahead and warns (HOOK-111, 116, C-91)', () => {
  test.each<[string, Partial<HookSystemConfig>]>([
    ['the host throws', { getHookSystem: failing }],
    ['the hook system is not ours', { getHookSystem: () => ({}) as never }],
    [
      'the hook system throws',
      { getHookSystem: () => ({ isInitialized: () => true, hasHooksFor: failing }) as never },
    ],
  ])('a trigger lets the call go ahead when %s', async (_, broken) => {
    const warnings: string[] = [];
    await expectNoEffect({
      ...createConfig({ cwd: tempFolder(), settings: {} }),
      onWarning: (line) => void warnings.push(line),
      ...broken,
    });
    expect(warnings.length).toBe(3);
  });

  test('a trigger lets the call go ahead when even the warning fails', async () => {
    await expectNoEffect({
      ...createConfig({ cwd: tempFolder(), settings: {} }),
      onWarning: failing,
      getHookSystem: failing,
    });
  });

  test('a trigger lets the call go ahead when hooks are off (HOOK-002)', async () => {
    await expectNoEffect(createConfig({ cwd: tempFolder(), settings: {} }));
  });

  test.each([null, undefined, 7, 'Hi', {}, { contents: 7, config: null }, { config: 'x' }])(
    'a trigger lets the call go ahead when the request is %j',
    async (wrong) => {
      const config = await configOf({
        BeforeModel: inParallel(
          print({ hookSpecificOutput: { llm_request: { config: { topK: 1 } } } }),
        ),
        AfterModel: inParallel('true'),
        BeforeToolSelection: inParallel(
          print({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }),
        ),
      });
      expect(await fireBeforeModelHook(config, wrong as never)).toMatchObject({ blocked: false });
      expect(await fireAfterModelHook(config, wrong as never, wrong as never)).toMatchObject({
        response: wrong,
      });
      expect(await fireBeforeToolSelectionHook(config, wrong as never)).toMatchObject(neutral);
    },
  );
});

test.each([
  ['BeforeModel', fireBeforeModelHook],
  ['BeforeToolSelection', fireBeforeToolSelectionHook],
] as const)('%s hooks are killed when the call is cancelled (G-02)', async (event, trigger) => {
  const { config, folder } = await startSession({
    [event]: inParallel('echo $$ >pid; sleep 30; touch after-sleep'),
  });
  const abort = new AbortController();
  const result = trigger(config, request, { signal: abort.signal });
  await untilWritten(join(folder, 'pid'));
  abort.abort();
  expect(await result).toMatchObject({ shouldStop: false });
  expect(existsSync(join(folder, 'after-sleep'))).toBe(false);
});
