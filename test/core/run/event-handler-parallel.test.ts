import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LifecycleEvent } from '../../../src/core/protocol/events.ts';
import { BeforeToolHookOutput } from '../../../src/core/protocol/output.ts';
import {
  inParallel,
  print,
  someFields,
  startSession,
  type HookCommand,
} from '../../support/session.ts';

async function fire(event: LifecycleEvent, ...commands: HookCommand[]) {
  const session = await startSession({ [event]: inParallel(...commands) });
  return { ...(await session.fire(event, someFields[event])), session };
}

const named = (name: string, command: string) => ({ name, command });
const slowly = (seconds: number, command: string) => `sleep ${seconds}; ${command}`;

const say = (text: string) => print({ reason: text, systemMessage: text });

test('results are in plan order, whatever the order of finishing (C-40, G-03)', async () => {
  const { results, allOutputs, finalOutput, plan } = await fire(
    'BeforeTool',
    named('slow', slowly(0.3, say('slow'))),
    named('middle', slowly(0.15, say('middle'))),
    named('quick', say('quick')),
  );
  expect(results.map(({ hook }) => hook.name)).toEqual(['slow', 'middle', 'quick']);
  expect(allOutputs.map(({ reason }) => reason)).toEqual(['slow', 'middle', 'quick']);
  expect(finalOutput).toMatchObject({
    reason: 'slow\nmiddle\nquick',
    systemMessage: 'slow\nmiddle\nquick',
  });
  expect(plan).toEqual({ mode: 'parallel', count: 3 });
});

const temperature = (value: number) =>
  print({ hookSpecificOutput: { llm_request: { config: { temperature: value } } } });

test('the last hook in plan order wins a field, even if it finishes first (000 §8.1, U1)', async () => {
  const { finalOutput, conflicts, setBy, session } = await fire(
    'BeforeModel',
    named('cold', slowly(0.2, temperature(0))),
    named('hot', temperature(1)),
  );
  expect(finalOutput?.hookSpecificOutput).toEqual({ llm_request: { config: { temperature: 1 } } });
  expect(conflicts).toEqual([
    { field: 'llm_request.config', hooks: ['cold', 'hot'], winner: 'hot' },
  ]);
  expect(setBy).toEqual({ 'llm_request.config': 'hot' });
  expect(session.warnings).toEqual([
    expect.stringMatching(/"cold" and "hot".*llm_request\.config/),
  ]);
});

test('the messages of one hook survive the config of another (UB2, C-41)', async () => {
  const messages = [{ role: 'user', content: 'enlarged' }];
  const { finalOutput, conflicts } = await fire(
    'BeforeModel',
    print({ hookSpecificOutput: { llm_request: { messages } } }),
    print({ hookSpecificOutput: { llm_request: { config: { temperature: 0.1 } } } }),
  );
  expect(finalOutput?.hookSpecificOutput).toEqual({
    llm_request: { messages, config: { temperature: 0.1 } },
  });
  expect(conflicts).toEqual([]);
});

test('one block among allows blocks, with its reason intact (UC, HOOK-092)', async () => {
  const allow = print({ decision: 'allow' });
  const block = print({ decision: 'block', reason: 'Policy violation' });
  for (const commands of [
    [slowly(0.1, block), allow, slowly(0.1, allow)],
    [allow, block, slowly(0.1, allow)],
    [slowly(0.1, allow), allow, block],
  ]) {
    const { finalOutput, setBy } = await fire(
      'BeforeTool',
      ...commands.map((c, i) => `: ${i}; ${c}`),
    );
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(finalOutput?.getEffectiveReason()).toBe('Policy violation');
    expect(setBy['decision']).toContain('Policy violation');
  }
});

test('NONE beside a list of tools leaves no tool (UA, 000 §8.1)', async () => {
  const { finalOutput } = await fire(
    'BeforeToolSelection',
    print({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }),
    print({
      hookSpecificOutput: {
        toolConfig: { mode: 'AUTO', allowedFunctionNames: ['read_file', 'write_file'] },
      },
    }),
  );
  expect(finalOutput?.hookSpecificOutput).toEqual({
    toolConfig: { mode: 'NONE', allowedFunctionNames: [] },
  });
});

describe('nothing undoes a denial (C-40)', () => {
  const others = [
    print({ decision: 'allow', continue: true, reason: 'fine' }),
    'echo plain text',
    'exit 1',
    'kill -KILL $$',
    './missing',
    'true',
    print({ decision: null }),
  ];

  test.each([
    'BeforeTool',
    'BeforeModel',
    'AfterModel',
    'SessionEnd',
    'BeforeToolSelection',
  ] as const)('nothing undoes a denial at %s, whichever hook finishes last', async (event) => {
    const deny = 'echo denied >&2; exit 2';
    const early = await fire(event, deny, ...others.map((command) => slowly(0.1, command)));
    const late = await fire(event, slowly(0.2, deny), ...others);
    for (const { finalOutput, results } of [early, late]) {
      expect(results).toHaveLength(8);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
      expect(finalOutput?.getBlockReason()).toContain('denied');
    }
  });

  test('a timeout does not undo a denial', async () => {
    const { finalOutput } = await fire('BeforeTool', print({ decision: 'deny', reason: 'no' }), {
      command: 'sleep 20',
      timeout: 200,
    });
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });
});

test('rewritten arguments are merged in plan order (C-44)', async () => {
  const { finalOutput, conflicts } = await fire(
    'BeforeTool',
    named('one', slowly(0.1, print({ hookSpecificOutput: { tool_input: { a: 1, b: 1 } } }))),
    named('two', print({ hookSpecificOutput: { tool_input: { b: 2 } } })),
  );
  expect(finalOutput).toBeInstanceOf(BeforeToolHookOutput);
  expect((finalOutput as BeforeToolHookOutput).getModifiedToolInput()).toEqual({ a: 1, b: 2 });
  expect(conflicts).toEqual([{ field: 'tool_input.b', hooks: ['one', 'two'], winner: 'two' }]);
});

test('all hooks run, even if one blocks at once (HOOK-108)', async () => {
  const { session } = await fire('BeforeTool', 'exit 2', 'sleep 0.1; touch ran');
  expect(existsSync(join(session.folder, 'ran'))).toBe(true);
});
