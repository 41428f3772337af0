import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/hosts/plain/answer.ts';
import { mergeAnswers } from '../../../src/hosts/plain/merge-answers.ts';
import type { Answer } from '../../../src/core/answers/answer.ts';
import { hookEventNames, type HookEventName } from '../../../src/core/protocol/events.ts';
import { createSpecificHookOutput } from '../../../src/core/translate/model-outputs.ts';
import { exited, named } from '../../support/answers.ts';

/** Ways in which hooks may end, good and bad. */
const endings: readonly Parameters<typeof exited>[0][] = [
  {},
  { stdout: 'plain text' },
  { stdout: '{}' },
  { stdout: 'null' },
  { stdout: '{"decision":null,"continue":null}' },
  { stdout: '{"decision":"allow","reason":"fine","continue":true}' },
  { stdout: '{"decision":"approve","hookSpecificOutput":{"permissionDecision":"allow"}}' },
  { stdout: '{"decision":"ask","stopReason":"ignored","systemMessage":"m"}' },
  { stdout: '{"hookSpecificOutput":{"permissionDecision":"deny"}}' },
  {
    stdout: '{"decision":"deny","reason":"no","hookSpecificOutput":{"llm_response":{"text":"n"}}}',
  },
  { stdout: '{"decision":"block","hookSpecificOutput":{"permissionDecision":"approve"}}' },
  { stdout: '{"continue":false,"stopReason":"enough","decision":"allow"}' },
  { stdout: '{"continue":false,"decision":"block","reason":"both"}' },
  { stdout: '{"suppressOutput":true,"hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}' },
  { stdout: '{"hookSpecificOutput":{"llm_response":{"text":"y"},"llm_request":{"model":"z"}}}' },
  { exitCode: 2, stderr: 'denied' },
  { exitCode: 2 },
  { exitCode: 1, stdout: '{"decision":"allow","continue":true}', stderr: 'failed' },
  { exitCode: null, signal: 'SIGTERM' },
];

const answers = new Map<HookEventName, readonly Answer[]>(
  hookEventNames.map((event) => [
    event,
    [
      ...endings.map((ending) => readAnswer(event, exited(ending))),
      readAnswer(event, { status: 'timedOut', timeout: 5 }),
      readAnswer(event, { status: 'failed', error: new Error('no process') }),
      readAnswer(event, { status: 'cancelled', reason: 'left' }),
    ],
  ]),
);

/** Returns whether the answers together block, and whether they stop. */
function verdict(event: HookEventName, chosen: readonly Answer[]) {
  const { output } = mergeAnswers(event, named(...chosen));
  const merged = createSpecificHookOutput(output ?? {}, event);
  return { blocked: merged.isBlockingDecision(), stop: merged.shouldStopExecution() };
}

describe.each(hookEventNames)('denials in %s are monotone', (event) => {
  const all = answers.get(event)!;

  test('two or three answers together block if and only if one of them blocks, and likewise stop', () => {
    for (const one of all)
      for (const two of all)
        for (const three of [undefined, ...all]) {
          const chosen = [one, two, ...(three ? [three] : [])];
          const { blocked, stop } = verdict(event, chosen);
          // A hundred thousand single expectations would take longer than the code under test.
          if (
            blocked !== chosen.some(({ decision }) => decision === 'deny') ||
            stop !== chosen.some((answer) => answer.stop)
          )
            expect.fail(JSON.stringify({ chosen, blocked, stop }));
        }
  });

  test('an added answer, anywhere in the plan, never undoes a block or a stop', () => {
    const random = randomNumbers(17);
    for (let round = 0; round < 300; round++) {
      const chosen = Array.from({ length: 2 + (random() % 6) }, () => all[random() % all.length]!);
      const before = verdict(event, chosen);
      const place = random() % (chosen.length + 1);
      const after = verdict(event, chosen.toSpliced(place, 0, all[random() % all.length]!));
      if (before.blocked) expect(after.blocked).toBe(true);
      if (before.stop) expect(after.stop).toBe(true);
    }
  });

  test('merging a single answer neither adds nor removes a denial or a stop', () => {
    for (const answer of all)
      expect(verdict(event, [answer])).toEqual({
        blocked: answer.decision === 'deny',
        stop: answer.stop,
      });
  });
});

/** A repeatable source of numbers (the minimal standard generator). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647);
}
