import { describe, expect, test } from 'vitest';
import { mergeAnswers, mergeToolConfigs } from '../../../src/hosts/plain/merge-answers.ts';
import { answersOf, type Printed } from '../../support/answers.ts';

const merge = (...outputs: Printed[]) =>
  mergeAnswers('BeforeToolSelection', answersOf('BeforeToolSelection', ...outputs));

const select = (toolConfig: unknown) => ({ hookSpecificOutput: { toolConfig } });

describe('modes and names', () => {
  test('mode NONE wins and empties the list (HOOK-100, HOOK-101, 000 §8.1, UA)', () => {
    const names = select({ mode: 'AUTO', allowedFunctionNames: ['read_file', 'write_file'] });
    for (const outputs of [
      [select({ mode: 'NONE' }), names],
      [names, select({ mode: 'NONE' })],
    ]) {
      const { output, conflicts, setBy } = merge(...outputs);
      expect(output?.hookSpecificOutput).toEqual({
        toolConfig: { mode: 'NONE', allowedFunctionNames: [] },
      });
      const winner = outputs[0] === names ? 'b' : 'a';
      expect(conflicts).toEqual([{ field: 'toolConfig.mode', hooks: ['a', 'b'], winner }]);
      expect(setBy).toEqual({ 'toolConfig.mode': winner });
    }
  });

  test('tool names are united, without duplicates, sorted by code unit (HOOK-099, HOOK-102, C-51)', () => {
    const { output, conflicts } = merge(
      select({ mode: 'ANY', allowedFunctionNames: ['write', 'read'] }),
      select({ allowedFunctionNames: ['read', 'Zip', 'äh', 'apply'] }),
      select({ mode: 'ANY' }),
    );
    expect(output?.hookSpecificOutput).toEqual({
      toolConfig: { mode: 'ANY', allowedFunctionNames: ['Zip', 'apply', 'read', 'write', 'äh'] },
    });
    expect(conflicts).toEqual([]);
  });

  test('mode ANY wins over AUTO (HOOK-100)', () => {
    expect(mergeToolConfigs([{ mode: 'AUTO' }, { mode: 'ANY' }, { mode: 'AUTO' }])).toEqual({
      mode: 'ANY',
    });
  });
});

describe('absent parts stay absent (C-48, C-49)', () => {
  test('without any tool config the output has none', () => {
    for (const output of [{}, 'plain text', select({}), select(null), { systemMessage: 'x' }])
      expect(merge(output).output).not.toHaveProperty('hookSpecificOutput.toolConfig');
  });

  test('a merged tool config has a mode or a list only if a hook gave one, and an empty list stays', () => {
    expect(mergeToolConfigs([{ allowedFunctionNames: ['a'] }, {}])).toEqual({
      allowedFunctionNames: ['a'],
    });
    expect(mergeToolConfigs([{ mode: 'AUTO' }])).toEqual({ mode: 'AUTO' });
    expect(mergeToolConfigs([{ mode: 'ANY', allowedFunctionNames: [] }])).toEqual({
      mode: 'ANY',
      allowedFunctionNames: [],
    });
    expect(mergeToolConfigs([{}, {}])).toBeUndefined();
    expect(mergeToolConfigs([])).toBeUndefined();
  });

  test('misspelled values in a tool config are left out and reported (HOOK-056, HOOK-074)', () => {
    const [answer] = answersOf(
      'BeforeToolSelection',
      select({ mode: 'none', allowedFunctionNames: ['read', 7] }),
    );
    expect(answer?.answer.output?.hookSpecificOutput).toEqual({
      toolConfig: { allowedFunctionNames: ['read'] },
    });
    expect(answer?.answer.notes).toHaveLength(2);
    expect(merge(select('NONE')).output?.hookSpecificOutput).toBeUndefined();
  });
});

test('in BeforeToolSelection common fields are merged as for tools (C-50, HOOK-058, HOOK-094)', () => {
  const { output } = merge(
    { systemMessage: 'one', ...select({ mode: 'ANY' }) },
    { continue: false, stopReason: 'enough', suppressOutput: true },
    'two',
  );
  expect(output).toEqual({
    continue: false,
    stopReason: 'enough',
    suppressOutput: true,
    systemMessage: 'one\ntwo',
    hookSpecificOutput: { toolConfig: { mode: 'ANY' } },
  });
});

test('a denial in BeforeToolSelection is recorded (C-63)', () => {
  expect(merge({ decision: 'deny', reason: 'no' }, {}).output).toEqual({
    decision: 'deny',
    reason: 'no',
  });
});
