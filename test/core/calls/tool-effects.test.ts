import { describe, expect, test } from 'vitest';
import { applyToolEffects } from '../../../src/core/calls/tool-effects.ts';
import { type HookOutput, isBlocking } from '../../../src/core/protocol/output.ts';
import { emptyVerdict } from '../../../src/core/answers/merge-effects.ts';
import type { Verdict } from '../../../src/core/answers/verdict.ts';
import { defined } from '../../../src/base/json.ts';
import { written } from '../../support/call-tool.ts';

type Ended =
  | { status: 'done'; result: object }
  | { status: 'blocked'; stop: boolean }
  | { status: 'stopped'; result?: object }
  | { status: 'cancelled'; reason: string; result?: object };

/** What a hook that printed this decides on its own. */
const verdictOf = (output: HookOutput): Verdict => {
  const { decision, reason, stopReason, systemMessage, hookSpecificOutput } = output;
  return defined<Verdict>({
    ...emptyVerdict,
    decision: isBlocking(decision) ? 'deny' : decision === 'allow' ? 'allow' : undefined,
    reason,
    stop: output.continue === false,
    stopReason,
    message: systemMessage,
    hide: output.suppressOutput === true,
    context: hookSpecificOutput?.['additionalContext'] as string | undefined,
  });
};

const effectsOf = (ended: Ended, before?: HookOutput, after?: HookOutput) =>
  applyToolEffects(
    { toolInput: {}, failures: [], ...ended },
    { before: before && verdictOf(before), after: after && verdictOf(after) },
  );

const done: Ended = { status: 'done', result: written };

test('without hooks, the tool’s own object is the result', () => {
  expect(effectsOf(done).toolResult).toBe(written);
});

test('hooks without effects leave the tool’s own object as the result', () => {
  expect(effectsOf(done, { decision: 'allow' }, { decision: 'allow' }).toolResult).toBe(written);
});

test('all effects are applied in a fixed order (HOOK-208, C-56, C-62)', () => {
  const before = { systemMessage: 'Before.' };
  const after = {
    systemMessage: 'After.',
    suppressOutput: true,
    decision: 'deny',
    reason: 'No.',
    hookSpecificOutput: { additionalContext: 'Context.' },
  } as const;
  expect(effectsOf(done, before, after)).toEqual({
    toolResult: {
      ...written,
      llmContent: 'written\n\nContext.\n\n[System] Before.\n\n[System] After.\n\n[System] No.',
      suppressDisplay: true,
    },
    plainResult: { ...written, suppressDisplay: true },
    appended: ['\n\nContext.', '\n\n[System] Before.', '\n\n[System] After.', '\n\n[System] No.'],
  });
});

test('context and suppressOutput of BeforeTool hooks have no effect (HOOK-177, C-58)', () => {
  const before = {
    suppressOutput: true,
    reason: 'fine',
    hookSpecificOutput: { additionalContext: 'Ignored.' },
  };
  expect(effectsOf(done, before).toolResult).toBe(written);
});

describe('a stop', () => {
  test('a stop after the tool gives its own reason, not that of BeforeTool hooks', () => {
    const after = { continue: false, stopReason: 'Enough.' };
    const { stop, toolResult } = effectsOf(
      { status: 'stopped', result: written },
      { reason: 'fine' },
      after,
    );
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(toolResult).toBe(written);
  });

  test('a stop before the tool gives its reason to the model too', () => {
    const { stop, toolResult } = effectsOf(
      { status: 'stopped' },
      { continue: false, stopReason: 'Enough.' },
    );
    expect(stop).toEqual({ reason: 'Enough.' });
    expect(toolResult.llmContent).toBe('Enough.');
  });
});

describe('a block', () => {
  const before = { decision: 'block', reason: 'No.', stopReason: 'Enough.' } as const;

  test('a block reports its reason and does not stop the agent', () => {
    const { toolResult, stop } = effectsOf({ status: 'blocked', stop: false }, before);
    expect(stop).toBeUndefined();
    expect(toolResult).toEqual({
      llmContent: 'No.',
      returnDisplay: 'No.',
      error: { message: 'No.', type: 'blocked_by_hook' },
    });
  });

  test('a block that also stops has a reason for each (G-20, C-39)', () => {
    const both = { ...before, continue: false };
    const { stop, toolResult } = effectsOf({ status: 'blocked', stop: true }, both);
    expect(toolResult.llmContent).toBe('No.');
    expect(stop).toEqual({ reason: 'Enough.' });
  });
});

describe('a cancellation', () => {
  test('a cancelled call does not stop the agent, even if hooks asked for it (G-02)', () => {
    const said = { continue: false, decision: 'block', reason: 'No.' } as const;
    const { stop, toolResult } = effectsOf({ status: 'cancelled', reason: 'user' }, said, said);
    expect(stop).toBeUndefined();
    expect(toolResult.llmContent).toBe('The tool call was cancelled: user');
  });

  test('a cancelled call keeps its result with the messages from before the tool ran', () => {
    const { toolResult } = effectsOf(
      { status: 'cancelled', reason: 'user', result: written },
      { systemMessage: 'Before.' },
      { systemMessage: 'Ignored.', suppressOutput: true },
    );
    expect(toolResult).toEqual({ ...written, llmContent: 'written\n\n[System] Before.' });
  });
});
