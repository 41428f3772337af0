import { describe, expect, test } from 'vitest';
import { emptyVerdict } from '../../../src/core/answers/merge-effects.ts';
import { mergeAnswers } from '../../../src/hosts/plain/merge-answers.ts';
import { exited, answersOf, named, printed, type Printed } from '../../support/answers.ts';
import { readAnswer } from '../../../src/hosts/plain/answer.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const merge = (...outputs: Printed[]) =>
  mergeAnswers('BeforeTool', answersOf('BeforeTool', ...outputs));

describe('decisions', () => {
  test('one block blocks, wherever it is in the plan (HOOK-092, UC)', () => {
    const block = { decision: 'block', reason: 'policy' };
    const allow = { decision: 'allow' };
    for (const outputs of [
      [block, allow, allow],
      [allow, block, allow],
      [allow, 'plain text', block],
      [block, {}, ''],
    ])
      expect(merge(...outputs).output).toMatchObject({ decision: 'block', reason: 'policy' });
  });

  test('exit 2 blocks despite an allow (HOOK-066)', () => {
    const answers = named(
      readAnswer('BeforeTool', exited({ exitCode: 2, stderr: 'no' })),
      printed('BeforeTool', { decision: 'allow', reason: 'fine' }),
    );
    expect(mergeAnswers('BeforeTool', answers).output).toMatchObject({
      decision: 'deny',
      reason: 'no\nfine',
    });
  });

  test('without a block the decision defaults to allow, and an ask is kept (003, HOOK-182)', () => {
    expect(merge({}).output).toEqual({ decision: 'allow' });
    expect(merge({ decision: null }).output).toEqual({ decision: 'allow' });
    expect(merge({ decision: 'approve' }, {}).output).toEqual({ decision: 'allow' });
    expect(merge({ decision: 'ask' }, { decision: 'allow' }).output).toEqual({ decision: 'ask' });
  });

  test('a stop alone decides nothing (HOOK-097, C-37)', () => {
    const { output } = merge({ continue: false, stopReason: 'enough' }, { decision: 'allow' });
    expect(output).toEqual({ continue: false, stopReason: 'enough' });
  });

  test('a block and a stop are both kept (G-20)', () => {
    const { output } = merge(
      { continue: false, stopReason: 'enough', decision: 'allow' },
      { decision: 'deny', reason: 'no' },
      { continue: true },
    );
    expect(output).toEqual({
      decision: 'deny',
      reason: 'no',
      continue: false,
      stopReason: 'enough',
    });
  });
});

const context = (text: unknown) => ({ hookSpecificOutput: { additionalContext: text } });

describe('texts', () => {
  test('the reasons of all hooks, even allowing ones, are joined in plan order (HOOK-093, C-38)', () => {
    const { output } = merge(
      { decision: 'allow', reason: 'one' },
      { decision: 'deny', reason: 'two' },
      { reason: '' },
      { reason: 'three' },
    );
    expect(output?.reason).toBe('one\ntwo\nthree');
  });

  test('the verdict has only the reasons of a denial (S-07)', () => {
    const { reason } = merge(
      { decision: 'ask', reason: 'sure?' },
      { decision: 'deny', reason: 'one' },
      { decision: 'allow', reason: 'fine' },
      { decision: 'block', reason: 'two' },
    );
    expect(reason).toBe('one\ntwo');
  });

  test('stop reasons are joined, except those of hooks that do not stop (C-38)', () => {
    const { output } = merge(
      { continue: false, stopReason: 'one' },
      { stopReason: 'not stopping' },
      { continue: false, stopReason: 'two' },
    );
    expect(output?.stopReason).toBe('one\ntwo');
  });

  test('system messages, plain text and contexts are joined (HOOK-094, HOOK-095, HOOK-208, C-58)', () => {
    const { output } = merge(
      { systemMessage: 'one', ...context('first') },
      'two',
      { systemMessage: '', ...context('') },
      { systemMessage: 'three', ...context('second') },
      context(5),
    );
    expect(output).toEqual({
      decision: 'allow',
      systemMessage: 'one\ntwo\nthree',
      hookSpecificOutput: { additionalContext: 'first\nsecond' },
    });
  });

  test('any suppressOutput suppresses (HOOK-096)', () => {
    expect(merge({ suppressOutput: true }, { suppressOutput: false }).output).toMatchObject({
      suppressOutput: true,
    });
    expect(merge({ suppressOutput: false }).output).not.toHaveProperty('suppressOutput');
  });
});

const rewrite = (tool_input: unknown) => ({ hookSpecificOutput: { tool_input } });

describe('tool_input', () => {
  test('a tool_input is spread key by key in plan order, and nested values are replaced (C-43, C-44, HOOK-216)', () => {
    const { output, conflicts, setBy } = merge(
      rewrite({ command: 'ls', env: { A: 1, B: 2 }, cwd: '/' }),
      rewrite({ command: 'ls -l', env: { A: 1 } }),
      rewrite({ cwd: '/' }),
    );
    expect(output?.hookSpecificOutput).toEqual({
      tool_input: { command: 'ls -l', env: { A: 1 }, cwd: '/' },
    });
    expect(conflicts).toEqual([
      { field: 'tool_input.command', hooks: ['a', 'b'], winner: 'b' },
      { field: 'tool_input.env', hooks: ['a', 'b'], winner: 'b' },
    ]);
    expect(setBy).toEqual({
      'tool_input.command': 'b',
      'tool_input.env': 'b',
      'tool_input.cwd': 'c',
    });
  });

  test('a tool_input that is not an object is left out, and the rest of the answer still counts', () => {
    for (const value of ['rm -rf /', 5, [1], null, true]) {
      const [answer] = answersOf('BeforeTool', { decision: 'deny', ...rewrite(value) });
      expect(answer?.answer.decision).toBe('deny');
      expect(answer?.answer.output?.hookSpecificOutput).toEqual({});
      expect(answer?.answer.notes).toHaveLength(value === null ? 0 : 1);
    }
  });

  test('keys like __proto__ in a tool_input are plain keys', () => {
    const evil = '{"hookSpecificOutput":{"tool_input":{"__proto__":{"polluted":1},"a":1}}}';
    const { output } = merge(evil, rewrite({ b: 2 }));
    const input = output?.hookSpecificOutput?.['tool_input'] as Record<string, unknown>;
    expect(Object.keys(input)).toEqual(['__proto__', 'a', 'b']);
    expect(input['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });
});

const compat = (permissionDecision: unknown, permissionDecisionReason?: unknown) => ({
  hookSpecificOutput: { permissionDecision, permissionDecisionReason },
});

describe('permissionDecision', () => {
  test.each(['deny', 'block'])(
    'permissionDecision %s blocks, even between hooks that allow (HOOK-169, HOOK-199, C-52)',
    (word) => {
      const { output } = merge({ decision: 'allow' }, compat(word, 'compat reason'), {
        decision: 'allow',
      });
      expect(output).toMatchObject({
        decision: word,
        reason: 'compat reason',
        hookSpecificOutput: { permissionDecision: word, permissionDecisionReason: 'compat reason' },
      });
    },
  );

  test('permissionDecision never weakens the decision next to it', () => {
    expect(merge({ decision: 'deny', ...compat('allow') }).output).toMatchObject({
      decision: 'deny',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(merge({ decision: 'allow', ...compat('deny') }).output?.decision).toBe('deny');
    expect(merge({ decision: 'deny' }, compat('allow')).output).toMatchObject({
      decision: 'deny',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  test('permissionDecisionReason takes precedence over the top-level reason (HOOK-170, HOOK-199)', () => {
    const [answer] = answersOf('BeforeTool', { reason: 'top', ...compat('deny', 'inner') });
    expect(answer?.answer.output?.reason).toBe('inner');
    const [empty] = answersOf('BeforeTool', { reason: 'top', ...compat('deny', '') });
    expect(empty?.answer.output?.reason).toBe('top');
  });

  test('permissionDecision ask asks, and a misspelled value is reported', () => {
    expect(merge(compat('ask')).output?.decision).toBe('ask');
    expect(merge({ decision: null, ...compat('ask') }).output?.decision).toBe('ask');
    const [misspelt] = answersOf('BeforeTool', compat('Deny', 5));
    expect(misspelt?.answer.decision).toBeUndefined();
    expect(misspelt?.answer.notes).toHaveLength(2);
  });

  test('permissionDecision has no effect in other events', () => {
    expect(mergeAnswers('AfterTool', answersOf('AfterTool', compat('deny'))).output?.decision).toBe(
      'allow',
    );
  });
});

describe('provenance', () => {
  test('setBy names the last hook that blocks and the last that stops (G-18)', () => {
    const { setBy } = merge(
      { decision: 'deny' },
      { decision: 'block' },
      { decision: 'allow', continue: false },
      {},
    );
    expect(setBy).toEqual({ decision: 'b', continue: 'c' });
  });

  test('of a field that only hooks know the last value is kept', () => {
    const { output, conflicts, setBy } = merge(
      { hookSpecificOutput: { hookEventName: 'BeforeTool', colour: 'red', same: [1] } },
      { hookSpecificOutput: { hookEventName: 'BeforeTool', colour: 'blue', same: [1] } },
    );
    expect(output?.hookSpecificOutput).toEqual({
      hookEventName: 'BeforeTool',
      colour: 'blue',
      same: [1],
    });
    expect(conflicts).toEqual([{ field: 'colour', hooks: ['a', 'b'], winner: 'b' }]);
    expect(setBy).toEqual({ colour: 'b', same: 'b' });
  });
});

describe('outputs that are not merged', () => {
  const failing = readAnswer(
    'BeforeTool',
    exited({ exitCode: 1, stdout: '{"decision":"deny"}', stderr: 'boom' }),
  );

  test('the output of a failed hook is not merged (C-27, HOOK-112)', () => {
    const answers = named(failing, printed('BeforeTool', { systemMessage: 'kept' }));
    expect(mergeAnswers('BeforeTool', answers).output).toEqual({
      decision: 'allow',
      systemMessage: 'kept',
    });
  });

  test('the verdict is empty when no hook said anything', () => {
    for (const answers of [[], named(failing), named(printed('BeforeTool', ''), failing)])
      expect(mergeAnswers('BeforeTool', answers)).toEqual(emptyVerdict);
  });
});

test('two hundred thousand arguments are merged in reasonable time', () => {
  const tool_input = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, key) => [`k${key}`, key]),
  );
  const output = JSON.stringify({ hookSpecificOutput: { tool_input } });
  const answers = answersOf('BeforeTool', output, output, { decision: 'deny' });
  const before = cpuTime();
  const merged = mergeAnswers('BeforeTool', answers);
  expect(cpuTime() - before).toBeLessThan(10_000);
  expect(merged.output?.decision).toBe('deny');
  expect(merged.conflicts).toEqual([]);
});
