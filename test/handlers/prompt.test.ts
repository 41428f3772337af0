import { expect, test } from 'vitest';
import { answerOf, runHandler } from './run-handler.ts';

const judge = (answer: string, prompt = 'Is this right?') => {
  const asked: string[] = [];
  const ask = async (text: string) => {
    asked.push(text);
    return answer;
  };
  return answerOf(prompt, { kind: 'prompt', ask }, { input: { a: '$&' } }).then((said) => ({
    said,
    asked,
  }));
};

test.each([
  ['{"ok":true}', undefined],
  ['{"ok":true,"reason":"fine"}', undefined],
  ['{"ok":false,"reason":"It deletes all."}', { decision: 'block', reason: 'It deletes all.' }],
  ['{"ok":false}', { decision: 'block', reason: 'Blocked by hook' }],
  ['```json\n{"ok": false, "reason": "no"}\n```', { decision: 'block', reason: 'no' }],
  [
    'Here it is:\n```\n{"ok": false, "reason": "no"}\n```\nBye.',
    { decision: 'block', reason: 'no' },
  ],
  ['I think not.', 'the model did not answer with {"ok": …, "reason": …} but with: I think not.'],
  ['', 'the model did not answer with {"ok": …, "reason": …} but with: nothing'],
  [
    '{"ok":"false"}',
    'the model did not answer with {"ok": …, "reason": …} but with: {"ok":"false"}',
  ],
])('the judgement %j gives %j', async (answer, expected) => {
  const { said } = await judge(answer);
  expect(said).toEqual(expected);
});

test('the event is inserted where the prompt says', async () => {
  const { asked } = await judge('{"ok":true}', 'Look at $ARGUMENTS, I mean $ARGUMENTS.');
  expect(asked[0]).toMatch(/^Look at {"a":"\$&"}, I mean {"a":"\$&"}\.\n/);
});

test('the event follows a prompt that does not say where to insert it', async () => {
  const { asked } = await judge('{"ok":true}', 'Is it right?');
  expect(asked[0]).toMatch(/^Is it right\?\n\n{"a":"\$&"}\n/);
});

test('a model that fails is a failure', async () => {
  const error = new Error('overloaded');
  expect(await answerOf('', { kind: 'prompt', ask: () => Promise.reject(error) })).toBe(
    'overloaded',
  );
});

test('a model that is too slow runs into the deadline, which is reported', async () => {
  let given: AbortSignal | undefined;
  const ask = (_: string, signal: AbortSignal) => {
    given = signal;
    return new Promise<string>(() => undefined);
  };
  const outcome = await runHandler('', { kind: 'prompt', ask }, { timeout: 1 });
  expect(outcome).toMatchObject({ status: 'timedOut' });
  expect(given?.aborted).toBe(true);
});
