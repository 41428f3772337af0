import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelFromTurns, scriptedModel } from '../../../src/agent/models/scripted.ts';
import { ModelError } from '../../../src/agent/models/model-error.ts';
import { project } from '../../support/project.ts';
import { ask, failureOf } from './ask.ts';

const script = (yaml: string): string => join(project({ 'session.yaml': yaml }), 'session.yaml');

/** The lines of a script's error, without the folder's name. */
async function mistakesIn(yaml: string): Promise<string[]> {
  const file = script(yaml);
  const error: unknown = await scriptedModel(file).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelError)) throw new Error('the script was read', { cause: error });
  return error.message.split('\n').map((line) => line.replace(file, 'session.yaml'));
}

describe('a scripted model', () => {
  test('a scripted model answers turn by turn and word by word, with whole responses (HOOK-050)', async () => {
    const model = await scriptedModel(
      script(`
- text: |
    I will  look.
    Wait.
  calls:
    - name: read_file
      args: { path: README.md }
    - name: glob
- text: Done.
  finishReason: MAX_TOKENS
  usage: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 }
`),
    );
    expect(model.name).toBe('scripted');
    const first = await ask(model);
    expect(first.streamed).toEqual(['I ', 'will  ', 'look.\n', 'Wait.\n']);
    expect(first.response).toEqual({
      text: 'I will  look.\nWait.\n',
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'I will  look.\nWait.\n' },
              { functionCall: { id: 'call-1-1', name: 'read_file', args: { path: 'README.md' } } },
              { functionCall: { id: 'call-1-2', name: 'glob', args: {} } },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      modelVersion: 'scripted',
    });
    const second = await ask(model);
    expect(second.response).toMatchObject({
      text: 'Done.',
      candidates: [{ finishReason: 'MAX_TOKENS' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
    });
  });

  test('a scripted model reads every script in the documentation', async () => {
    const page = readFileSync(new URL('../../../docs/scripted-models.md', import.meta.url), 'utf8');
    const scripts = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => yaml!);
    expect(scripts.length).toBeGreaterThan(1);
    for (const yaml of scripts)
      await expect(scriptedModel(script(yaml))).resolves.toHaveProperty('name', 'scripted');
  });

  test('a call beyond the last turn of a script is an error', async () => {
    const file = script('- text: Only this');
    const model = await scriptedModel(file);
    await ask(model);
    expect((await failureOf(model)).message).toBe(
      `${file} holds 1 turn, but the model was asked again; add a turn`,
    );
  });

  test('an empty turn gives an empty answer', async () => {
    const { response, streamed } = await ask(modelFromTurns([{}]));
    expect(response.candidates?.[0]?.content?.parts).toEqual([]);
    expect(streamed).toEqual([]);
  });

  test('a scripted model fails like a provider, after the text, and continues with the next turn', async () => {
    const model = modelFromTurns([
      { text: 'Half an', error: 'the line is dead' },
      { error: { message: 'too many requests', status: 429 } },
      { text: 'Back.' },
    ]);
    const streamed: string[] = [];
    const asked = model.generate(
      { model: 'scripted', contents: 'Hi' },
      { signal: new AbortController().signal, onText: (text) => streamed.push(text) },
    );
    await expect(asked).rejects.toThrow('scripted: the line is dead');
    expect(streamed).toEqual(['Half ', 'an']);
    expect(await failureOf(model)).toMatchObject({ status: 429, retryable: true });
    expect((await ask(model)).response.text).toBe('Back.');
  });

  test('an abort ends a long delay at once', async () => {
    const model = modelFromTurns([{ delay: 3_600_000 }, { text: 'a b', wordDelay: 3_600_000 }]);
    const reason = new Error('enough');
    const controller = new AbortController();
    const asked = ask(model, {}, controller.signal);
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);

    const second = new AbortController();
    const streamed: string[] = [];
    const speaking = model.generate(
      { model: 'scripted', contents: 'Hi' },
      {
        signal: second.signal,
        onText: (text) => {
          streamed.push(text);
          second.abort(reason);
        },
      },
    );
    await expect(speaking).rejects.toBe(reason);
    expect(streamed).toEqual(['a ']);
  });

  test('a scripted model returns copies of arguments', async () => {
    const turn = { calls: [{ name: 'glob', args: { pattern: '*' } }] };
    const { response } = await ask(modelFromTurns([turn]));
    response.candidates![0]!.content!.parts![0]!.functionCall!.args!['pattern'] = 'changed';
    expect(turn.calls[0]!.args.pattern).toBe('*');
  });
});

describe('the expectations of a turn', () => {
  const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello (you)' }] }] };
  const result = {
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'glob', response: { output: 'a.txt' } } }],
      },
    ],
    config: { temperature: 0, systemInstruction: 'Be kind.' },
  };

  test.each([
    [hello, 'Hello (you)'],
    [hello, ['Hello', 'you']],
    [hello, '/^hello/i'],
    [hello, '/^(?!.*secret)/s'],
    [result, 'a.txt'],
    [result, { last: 'glob', request: ['"temperature":0', 'Be kind'] }],
  ])('the request %j meets the expectation %j', async (request, expected) => {
    const { response } = await ask(modelFromTurns([{ expect: expected, text: 'Yes' }]), request);
    expect(response.text).toBe('Yes');
  });

  test.each([
    [hello, 'Goodbye', /the last message should contain "Goodbye", but is "Hello \(you\)"/],
    [hello, ['Hello', 'Hello .you.'], /should contain "Hello \.you\."/],
    [hello, '/^you/', /should contain "\/\^you\/"/],
    [result, 'Hello', /but is .*a\.txt/],
    [result, { request: 'secret' }, /the request should contain "secret"/],
  ])('the request %j does not meet the expectation %j', async (request, expected, message) => {
    const error = await failureOf(modelFromTurns([{ expect: expected }]), request);
    expect(error.message).toMatch(message);
  });

  test('an unmet expectation names the place in the file', async () => {
    const file = script('- text: One\n\n- expect: Two\n  text: Three\n');
    const model = await scriptedModel(file);
    await ask(model);
    expect((await failureOf(model)).message).toBe(
      `${file}:3:3 turn 2: the last message should contain "Two", but is "Hello"`,
    );
  });
});

describe('a mistake in a script', () => {
  test.each([
    [
      'text: Hello',
      'session.yaml:1:1: is not a list of turns; begin each turn with "- ", such as "- text: Hello"',
    ],
    ['', 'session.yaml:1:1: has no turns; begin each turn with "- ", such as "- text: Hello"'],
    ['[]', 'session.yaml:1:1: has no turns; begin each turn with "- ", such as "- text: Hello"'],
    ['- Hello', 'session.yaml:1:3 turn 1: is "Hello"; make it an object such as { text: Hello }'],
    [
      '- text: A\n- text: 42',
      'session.yaml:2:3 turn 2 text: is 42; make it a string; put quotes around it',
    ],
    [
      '- text: A\n  txet: B',
      /^session\.yaml:2:3 turn 1 txet: there is no such key; use one of expect, text, calls/,
    ],
    [
      '- calls: read_file',
      /^session\.yaml:1:3 turn 1 calls: is "read_file"; make it a list such as/,
    ],
    [
      '- calls: [read_file]',
      /^session\.yaml:1:11 turn 1 calls\[0\]: is "read_file"; make it an object such as/,
    ],
    [
      '- calls:\n    - args: {}',
      /^session\.yaml:2:7 turn 1 calls\[0\]\.name: is missing; add the name of a tool/,
    ],
    [
      '- calls:\n    - name: a\n      args: [1]',
      /^session\.yaml:3:7 turn 1 calls\[0\]\.args: is an array; make it an object/,
    ],
    [
      '- calls:\n    - name: a\n      arguments: {}',
      /^session\.yaml:3:7 turn 1 calls\[0\]\.arguments: there is no such key; use name, args or id/,
    ],
    [
      '- delay: soon',
      /^session\.yaml:1:3 turn 1 delay: is "soon"; make it a number of milliseconds/,
    ],
    ['- delay: -1', /^session\.yaml:1:3 turn 1 delay: is -1; make it a number of milliseconds/],
    [
      '- finishReason: DONE',
      /^session\.yaml:1:3 turn 1 finishReason: is "DONE"; make it one of STOP,/,
    ],
    [
      '- expect: /(/',
      /^session\.yaml:1:3 turn 1 expect: is "\/\(\/"; make it a string, a valid \/regular expression\//,
    ],
    ['- expect: { lats: a }', /^session\.yaml:1:\d+ turn 1 expect/],
    ['- error: { status: 200, message: no }', /^session\.yaml:1:\d+ turn 1 error/],
    [
      '- usage: { promptTokenCount: many }',
      /^session\.yaml:1:12 turn 1 usage\.promptTokenCount: is "many"; make it a whole number/,
    ],
    [
      '- text: A\n  text: B',
      /^session\.yaml:2:3: not valid YAML \(Map keys must be unique\); fix the YAML there$/,
    ],
    ['- text: "open', /^session\.yaml:1:\d+: not valid YAML \(.*\); fix the YAML there$/],
    ['- text: *nowhere', /^session\.yaml:?.*nowhere/],
    ['- text: a\n---\n- text: b', /^session\.yaml:2:1: not valid YAML/],
    ['- text: !unknown a', /^session\.yaml:1:9: not valid YAML/],
    ['- text:', /^session\.yaml:1:3 turn 1 text: is null; make it a string; put quotes around it$/],
  ])('%j is reported with its place and fix', async (yaml, expected) => {
    const [first] = await mistakesIn(yaml);
    if (typeof expected === 'string') expect(first).toBe(expected);
    else expect(first).toMatch(expected);
  });

  test('every mistake is reported on its own line', async () => {
    expect(await mistakesIn('- text: 1\n- foo: a\n  delay: x\n- text: fine\n')).toEqual([
      expect.stringMatching(/^session\.yaml:1:3 turn 1 text/),
      expect.stringMatching(/^session\.yaml:2:3 turn 2 foo/),
      expect.stringMatching(/^session\.yaml:3:3 turn 2 delay/),
    ]);
  });

  test('a script that is missing or not a file is an error', async () => {
    const folder = project();
    await expect(scriptedModel(join(folder, 'none.yaml'))).rejects.toThrow(
      /none\.yaml: the scripted model cannot be read \(there is no such file\); check the path/,
    );
    await expect(scriptedModel(folder)).rejects.toThrow(/\(it is not a file\)/);
  });
});
