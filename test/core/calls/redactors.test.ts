import { describe, expect, test } from 'vitest';
import type { GenAIResponse } from '../../../src/core/translate/genai-types.ts';
import { callModel } from '../../support/call-model.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { startChat } from '../../support/chat.ts';

/** A hook that answers with the given response, changed by `jq`. */
const jq = (change: string): string =>
  `jq -c '{hookSpecificOutput: {llm_response: (.llm_response | ${change})}}'`;

const onlyText = jq('.text |= gsub("SECRET"; "***")');
const onlyCandidates = jq('.candidates[].content.parts[] |= gsub("SECRET"; "***")');
const both = jq(
  '.text |= gsub("SECRET"; "***") | .candidates[].content.parts[] |= gsub("SECRET"; "***")',
);
const repeat = jq('.');
const asParts = jq('.text |= gsub("SECRET"; "***") | .candidates[].content.parts[] |= {text: .}');

const saidBy = (response: GenAIResponse | undefined): string =>
  (response?.candidates ?? [])
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ text = '' }) => text)
    .join('');

const redacted = async (hooks: Parameters<typeof callModel>[0], given = saying('a SECRET b')) => {
  const call = await callModel(hooks, { model: () => Promise.resolve(given) });
  return { ...call, said: saidBy(call.response) };
};

describe('a redactor (C-73)', () => {
  test.each([
    ['changes the text and copies the candidates', onlyText],
    ['changes the candidates and copies the text', onlyCandidates],
    ['changes both', both],
    ['changes the text and copies the candidates as {text} parts', asParts],
    ['leaves the candidates out', jq('{text: .text | gsub("SECRET"; "***")}')],
    ['leaves the text out', jq('del(.text) | .candidates[].content.parts = ["a *** b"]')],
    ['empties the candidates and gives a clean text', jq('.text = "a *** b" | .candidates = []')],
    ['gives null for the candidates', jq('.text = "a *** b" | .candidates = null')],
  ])('a redactor that %s redacts the response', async (_, hook) => {
    for (const given of [saying('a SECRET b'), saying('a SEC', 'RET', ' b')]) {
      if (hook === onlyCandidates && given.candidates![0]!.content!.parts!.length > 1) continue;
      for (const mode of [inParallel, inSequence])
        for (const onFailure of ['allow', 'block'] as const) {
          const hooks = { AfterModel: mode({ command: hook, onFailure }) };
          const { said, response, session } = await redacted(hooks, given);
          expect([said, response?.text ?? said]).toEqual(['a *** b', 'a *** b']);
          expect(session.warnings).toEqual([]);
        }
    }
  });

  test('the text wins, with a warning, if a redactor changes text and candidates differently', async () => {
    const { said, session } = await redacted({
      AfterModel: inParallel(jq('.text = "one" | .candidates[0].content.parts = ["two"]')),
    });
    expect(said).toBe('one');
    expect(session.warnings).toEqual([expect.stringContaining('were both changed and differ')]);
  });

  test('a redactor that empties the text leaves an empty response', async () => {
    for (const change of ['.text = ""', '.candidates = []', '.candidates[0].content.parts = []']) {
      const { said, response } = await redacted({ AfterModel: inParallel(jq(change)) });
      expect([change, said]).toEqual([change, '']);
      expect(JSON.stringify(response)).not.toContain('SECRET');
    }
  });

  test('a redactor that changes only the text removes the other candidates, which it did not check', async () => {
    const [first] = saying('a SECRET b').candidates!;
    const given = {
      candidates: [
        { ...first!, index: 0 },
        { ...first!, index: 1 },
      ],
    };
    const { said, session } = await redacted({ AfterModel: inParallel(onlyText) }, given);
    expect(said).toBe('a *** b');
    expect(session.warnings).toEqual([expect.stringContaining('replaced them all')]);
  });

  test('in a sequence, a redactor’s output is compared with its own input', async () => {
    const other = jq('.text |= gsub("TOKEN"; "+++")');
    for (const hooks of [
      [onlyText, other],
      [other, onlyText],
      [onlyCandidates, other],
      [other, onlyCandidates],
      [onlyText, repeat, other],
      [onlyText, other, repeat],
    ]) {
      const { said, session } = await redacted(
        { AfterModel: inSequence(...hooks) },
        saying('SECRET TOKEN'),
      );
      expect(said).toBe('*** +++');
      expect(session.warnings).toEqual([]);
    }
  });

  test('a redaction is not undone by a parallel hook that repeats its input', async () => {
    for (const hooks of [
      [onlyText, repeat],
      [repeat, onlyText],
      [onlyCandidates, jq('.usageMetadata = {totalTokenCount: 7}')],
      [onlyText, `jq -c '{continue: false, hookSpecificOutput: {llm_response}}'`],
    ]) {
      const { said, session } = await redacted({ AfterModel: inParallel(...hooks) });
      expect(said).toBe('a *** b');
      expect(session.warnings).toEqual([]);
    }
  });

  test('the later of two parallel redactors wins if they differ, with a warning', async () => {
    const { said, session } = await redacted({
      AfterModel: inParallel(onlyText, jq('.text = "other"')),
    });
    expect(said).toBe('other');
    expect(session.warnings.join('\n')).toContain('set llm_response.text differently');
  });

  test('a redactor keeps the model’s tool calls', async () => {
    const call = { ...wanting('read', { path: 'a.txt' }), thoughtSignature: 'c2ln' };
    for (const hook of [onlyText, onlyCandidates, both, asParts, jq('.text = ""')]) {
      const { response } = await redacted(
        { AfterModel: inParallel(hook) },
        saying('a SECRET b', call),
      );
      expect(response?.candidates?.[0]?.content?.parts?.at(-1)).toEqual(call);
      expect(JSON.stringify(response)).not.toContain('SECRET');
    }
  });
});

test('the candidates of a synthetic answer win over its text, because there was no input (C-73)', async () => {
  const { response, session } = await callModel({
    BeforeModel: inParallel(
      print({
        decision: 'block',
        reason: 'cached',
        hookSpecificOutput: {
          llm_response: {
            text: 'one',
            candidates: [{ content: { role: 'model', parts: ['two'] } }],
          },
        },
      }),
    ),
  });
  expect(saidBy(response)).toBe('two');
  expect(session.warnings).toEqual([expect.stringContaining('differs from the candidates')]);
});

test('an agent keeps using its tools under a redactor, and never shows redacted text', async () => {
  const tool = someTool('read');
  const { run, chat } = await startChat(
    [saying('SECRET, so I look.', wanting('read', { path: 'a.txt' }, '1')), 'Done with SECRET.'],
    {
      hooks: { AfterModel: inParallel({ command: onlyText, name: 'redactor' }) },
      tools: [tool],
    },
  );
  const events = await run();
  expect(tool.runs.map(({ input }) => input.path)).toEqual(['a.txt']);
  expect(JSON.stringify([events, chat.history])).not.toContain('SECRET');
  expect(events.at(-1)).toMatchObject({ type: 'finalAnswer', text: 'Done with ***.', steps: 2 });
});
