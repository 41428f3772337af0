import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer, NamedAnswer } from '../../src/core/answers/answer.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { joinTexts } from '../../src/core/answers/merge-effects.ts';
import { mergeAnswers, mergeToolConfigs } from '../../src/hosts/plain/merge-answers.ts';
import type { HookToolConfig } from '../../src/core/protocol/llm.ts';
import { isBlocking, type HookOutput } from '../../src/core/protocol/output.ts';
import { exited } from '../support/answers.ts';
import { definition } from '../support/definition.ts';
import { holds } from './check.ts';
import { printedText } from './endings.ts';

/** Lists cut into three parts. */
const inThree = <T>(item: fc.Arbitrary<T>) =>
  fc.tuple(
    fc.array(item, { maxLength: 3 }),
    fc.array(item, { maxLength: 3 }),
    fc.array(item, { maxLength: 3 }),
  );

const toolConfig: fc.Arbitrary<HookToolConfig> = fc.record(
  {
    mode: fc.constantFrom('AUTO', 'ANY', 'NONE'),
    allowedFunctionNames: fc.array(fc.constantFrom('a', 'b', 'c', '__proto__')),
  },
  { requiredKeys: [] },
);

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

describe('merging is associative: merging a part first changes nothing', () => {
  test('merging tool configs is associative (HOOK-099 to 102)', () =>
    holds(inThree(toolConfig), ([one, two, three]) => {
      const whole = mergeToolConfigs([...one, ...two, ...three]);
      const merged = mergeToolConfigs(two);
      expect(mergeToolConfigs([...one, ...present(merged), ...three])).toEqual(whole);
    }));

  test('joining texts is associative', () =>
    holds(inThree(fc.string()), ([one, two, three]) => {
      const whole = joinTexts([...one, ...two, ...three]);
      expect(joinTexts([...one, joinTexts(two), ...three])).toBe(whole);
    }));

  const orMerged = ['BeforeTool', 'AfterTool', 'BeforeAgent', 'SessionStart'] as const;
  test.each([...orMerged, 'BeforeToolSelection'] as const)(
    'merging everything that the hooks of %s want is associative (HOOK-092 to 102)',
    (event) =>
      holds(
        inThree(printedText),
        (texts) => {
          const [one, two, three] = texts.map((some) =>
            some.map((stdout) => named(llxprt.read(definition(event), exited({ stdout }), {}))),
          ) as [NamedAnswer[], NamedAnswer[], NamedAnswer[]];
          const whole = mergeAnswers(event, [...one, ...two, ...three]).output;
          const part = mergeAnswers(event, two).output;
          const again = mergeAnswers(event, [...one, ...present(part).map(asAnswer), ...three]);
          expect(decisive(again.output)).toEqual(decisive(whole));
        },
        300,
      ),
  );
});

/** Removes the fields that only mirror the decision, and those that are left empty. */
function decisive(output: HookOutput = {}): object {
  const { hookSpecificOutput = {}, ...common } = output;
  const own = Object.entries(hookSpecificOutput).filter(
    ([name]) => !name.startsWith('permissionDecision'),
  );
  return { ...common, ...(own.length > 0 && { hookSpecificOutput: Object.fromEntries(own) }) };
}

const named = (answer: Answer): NamedAnswer => ({ hook: 'some hook', answer });

/** Turns what hooks want together into the answer of a single hook. */
const asAnswer = (output: HookOutput): NamedAnswer => ({
  hook: 'some hook',
  answer: {
    ...llxprt.read(definition('BeforeTool'), exited({}), {}),
    output,
    decision: isBlocking(output.decision) ? 'deny' : output.decision === 'ask' ? 'ask' : 'allow',
    stop: output.continue === false,
  },
});
