import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer as readKodelet } from '../../src/hosts/kodelet/answer.ts';
import { readAnswer } from '../../src/hosts/plain/answer.ts';
import { embeddedObjects } from '../../src/hosts/parts/printed-json.ts';
import { holdsDenial } from '../../src/hosts/parts/near-misses.ts';
import { denyFailure } from '../../src/core/answers/process-facts.ts';
import { holds } from '../properties/check.ts';
import { exited } from '../support/answers.ts';

const denials = [
  '{"decision":"deny","reason":"no"}',
  '{ "decision" : "block" }',
  '{"Decision":"DENY"}',
  '{"continue":false}',
  '{"hookSpecificOutput":{"permissionDecision":"deny"}}',
  '{"permission":"deny"}',
  '{"blocked":true}',
  '{"reason":"a } and a { and a \\" in it","decision":"deny"}',
  '{"decision":{"behavior":"deny"}}',
];

const around: ((json: string) => string)[] = [
  (json) => `checking...\n${json}`,
  (json) => `${json}\ndone`,
  (json) => `[INFO] {ctx} it's "fine\n${json}\n}`,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `{"systemMessage":"one"}\n${json}`,
  (json) => `${json}\n${json}`,
  (json) => `${json}${json}`,
  (json) => `[${json}]`,
  (json) => `{"a": {"b": ${json}, oops`,
  (json) => `{{${json}}}`,
  (json) => `\uFEFFlog\r\n${json}`,
  (json) => `\u001B[31m${json}\u001B[0m`,
  (json) => `{"log: ${json}`,
];

describe('a denial with something around it', () => {
  test.each(denials)('the denial %s is found with any text around it', (json) => {
    for (const wrap of around)
      expect([wrap(json), holdsDenial(wrap(json))]).toEqual([wrap(json), true]);
  });

  test.each(denials)(
    'the denial %s with text around it is reported as not read, and denies if a failure blocks',
    (json) => {
      for (const wrap of around) {
        const answer = readAnswer('BeforeTool', exited({ stdout: wrap(json) }));
        expect(answer).toMatchObject({ plainText: true, decision: 'allow' });
        expect(answer.notes).toEqual([expect.stringMatching(/^a denial was NOT read: /)]);
        const closed = denyFailure(answer, 'guard');
        expect(closed.decision).toBe('deny');
        expect(closed.output?.reason).toContain('"guard" failed: a denial was NOT read');
      }
    },
  );

  test('text around an object that does not decide stays a message', () => {
    for (const text of [
      'Formatted {"a":1} in 3 ms.',
      'No decision: denied nothing.',
      'Allowed {x} and blocked none of {y}.',
      'say {"systemMessage":"the word deny"} please',
    ]) {
      const answer = readAnswer('BeforeTool', exited({ stdout: text }));
      expect([text, answer.notes, answer.unreadable]).toEqual([text, [], undefined]);
      expect(answer.output?.systemMessage).toBe(text);
    }
  });

  test('a denial inside a string of an answer is not a denial', () => {
    const answer = readAnswer(
      'BeforeTool',
      exited({ stdout: JSON.stringify({ systemMessage: denials[0] }) }),
    );
    expect(answer).toMatchObject({ decision: undefined, notes: [] });
  });

  test.each<[string, object]>([
    ['on stderr', { stderr: denials[0] }],
    ['on stderr next to an answer', { stdout: '{}', stderr: `log\n${denials[0]}` }],
  ])('a denial %s is noted', (_, exit) => {
    expect(readAnswer('BeforeTool', exited(exit)).notes).toEqual([
      expect.stringMatching(/^a denial was NOT read: /),
    ]);
  });

  test('a denial that counts is not noted again', () => {
    for (const exit of [
      { exitCode: 2, stdout: denials[0]!, stderr: denials[0]! },
      { stdout: denials[0]!, stderr: denials[0]! },
    ])
      expect(readAnswer('BeforeTool', exited(exit)).notes).toEqual([]);
  });

  test('a lost denial in a Kodelet hook is reported too', () => {
    for (const wrap of around) {
      const answer = readKodelet('BeforeTool', exited({ stdout: wrap('{"blocked":true}') }), {});
      expect(answer.status).toBe('failed');
      expect(answer.error?.message).toMatch(/^a denial was NOT read: stdout is not /);
    }
  });
});

const found = (text: string): string[] => [...embeddedObjects(text)];

describe('the JSON objects in a text', () => {
  test('the JSON objects found in a text are the outermost complete ones', () => {
    expect(found('a {"b":{"c":[1,{"d":null}]}} e {} {"f":1')).toEqual([
      '{"b":{"c":[1,{"d":null}]}}',
      '{}',
    ]);
    expect(found('{"a":{"b":1},"c":{"d":2},')).toEqual(['{"b":1}', '{"d":2}']);
    expect(found('{"x":01} {"x":-1.5e+3} {"x":tru} {,} {"a" 1} {"a":1,}')).toEqual([
      '{"x":-1.5e+3}',
    ]);
    expect(found('"{" {"a":"}{"} "')).toEqual(['{"a":"}{"}']);
  });

  test('JSON objects are found with any text around them, and all are valid JSON', async () => {
    const noise = fc.string({
      unit: fc.constantFrom('{', '}', '"', '[', ']', ',', ':', '\\', 'a', ' ', '1'),
      maxLength: 30,
    });
    await holds(
      fc.tuple(noise, fc.dictionary(fc.string(), fc.jsonValue()), noise),
      ([before, object, after]) => {
        const json = JSON.stringify(object);
        for (const each of found(`${before}${json}${after}`))
          expect(typeof JSON.parse(each)).toBe('object');
        // Text without a quote or a brace cannot become part of the JSON after it.
        const plain = before.replaceAll(/["{[\\]/g, '');
        expect(found(`${plain}${json}${after}`)[0]).toBe(json);
      },
      500,
    );
  });

  test('JSON objects are found in linear time, whatever the text holds', () => {
    const size = 4 * 2 ** 20;
    for (const unit of [
      '{',
      '{"a":',
      '{"',
      '{"a":[',
      '{ ',
      '{"a":{"b":1},',
      '{":{":{",":{":',
      '{}',
      '"{',
    ])
      for (const _ of embeddedObjects(unit.repeat(size / unit.length))) break;
    // The whole text is read, because nothing in it is complete.
    expect(found('{"a":'.repeat(size / 5))).toEqual([]);
    expect(found('{'.repeat(size))).toEqual([]);
    expect(found('{":{":{",":{":'.repeat(size / 14))).toEqual([]);
  });
});
