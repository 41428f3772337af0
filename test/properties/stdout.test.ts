import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { mergeEffects, passChanges } from '../../src/core/answers/merge-effects.ts';
import { outputOf } from '../../src/core/views/outputs.ts';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { createSpecificHookOutput } from '../../src/core/translate/model-outputs.ts';
import { exited } from '../support/answers.ts';
import { definition } from '../support/definition.ts';
import { lookedFor } from '../support/looked-for.ts';
import { someFields } from '../support/session.ts';
import { holds } from './check.ts';
import { anyCharacter, printedText } from './endings.ts';

/** Bytes as a pipe delivers them and the stream decodes them. */
const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => new TextDecoder().decode(some));

/** An answer that is cut off, or contains what it should not. */
const mangled = fc
  .tuple(printedText, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 3 }))
  .map(([text, at, noise]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + noise + (at % 2 === 0 ? text.slice(place) : '');
  });

const stdout = fc.oneof(bytes, mangled, printedText);
const exitCode = fc.constantFrom(0, 0, 0, 2, 1);

describe.each(knownDialects)('any bytes on the stdout of a hook of $name', (dialect) => {
  beforeAll(() => lookedFor(dialect));
  const events = hookEventNames.filter((name) => Object.values(dialect.events).includes(name));

  test.each(events)(
    'any bytes on the stdout of a %s hook give a verdict or a named failure',
    (event) =>
      holds(fc.record({ stdout, exitCode, stderr: fc.string({ maxLength: 5 }) }), (exit) => {
        const payload = { ...someFields[event] };
        const answer = dialect.read(definition(event), exited(exit), payload);
        expect(['ok', 'failed']).toContain(answer.status);
        if (answer.status === 'failed') expect(answer.error?.message).toMatch(/\S{3}/);
        else expect(answer.error).toBeUndefined();
        const { chain = passChanges, merge = mergeEffects } = dialect;
        chain(event, payload, answer);
        const merged = merge(event, [{ hook: 'some hook', answer }], payload);
        if (answer.status === 'ok' && answer.decision !== undefined)
          expect(merged.decision).toBe(answer.decision);
        expect(merged.stop).toBe(answer.stop);
        const verdict = createSpecificHookOutput(outputOf(merged) ?? {}, event);
        expect(verdict.isBlockingDecision()).toBe(merged.decision === 'deny');
        expect(verdict.shouldStopExecution()).toBe(merged.stop);
        // Hosts write it down and pass it on.
        expect(JSON.stringify(verdict)).toMatch(/^\{/);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
  );

  test.each(events)("a %s hook's denial is never lost silently, whatever surrounds it", (event) =>
    holds(
      fc.record({ text: printedText, before: noise, after: noise }),
      ({ text, before, after }) => {
        const payload = { ...someFields[event] };
        const read = (printed: string) =>
          dialect.read(definition(event), exited({ stdout: printed }), payload);
        if (!text.trimStart().startsWith('{') || read(text).output?.decision === undefined) return;
        if (!['deny', 'block'].includes(read(text).output!.decision!)) return;
        const answer = read(`${before}${text}${after}`);
        const said = [answer.output?.decision, ...answer.notes, answer.error?.message].join('\n');
        expect(said).toMatch(/^(?:deny|block)\b|a denial was NOT read/m);
      },
    ),
  );
});

/** What hooks print around an answer: logs, fences, other objects; no quote that could swallow it. */
const noise = fc.constantFrom(
  '',
  '\n',
  'checking...\n',
  '\n```\n',
  '```json\n',
  '{}\n',
  '{"systemMessage":"one"}\n',
  '[INFO] {ctx} done ',
  '}}{{',
  '\uFEFF',
  '[',
  ']',
);
