import {
  FinishReason,
  type Candidate,
  type Content,
  type GenerateContentParameters,
  type Part,
} from '@google/genai';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LLMConfig } from '../../src/core/protocol/llm.ts';
import type { GenAIResponse } from '../../src/core/translate/genai-types.ts';
import { hasFunctionPart } from '../../src/core/translate/rebuild-contents.ts';
import { defaultHookTranslator } from '../../src/core/translate/genai-v1.ts';
import { frozen } from '../core/translate/conversation.ts';
import { holds } from './check.ts';
import { jsonObject } from './endings.ts';

const { fromHookLLMRequest, toHookLLMRequest, fromHookLLMResponse, toHookLLMResponse } =
  defaultHookTranslator;

const text = fc.string({ maxLength: 6 });
const silentPart: fc.Arbitrary<Part> = fc.oneof(
  fc.constant({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
  fc.constant({ fileData: { fileUri: 'gs://a/b', mimeType: 'image/png' } }),
  fc.constant({ text: 'a thought', thought: true }),
  fc.constant({ executableCode: { code: '1' } }),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  text.map((said) => ({ text: said })),
  silentPart,
);
const call = fc.record({ name: fc.constantFrom('view', 'edit'), args: jsonObject });

const said = (role: string) =>
  fc.array(part, { maxLength: 3 }).map((parts): Content => ({ role, parts }));

/** An exchange as providers accept it: a call is followed by its response. */
const exchange: fc.Arbitrary<Content[]> = fc.oneof(
  fc.tuple(said('user'), said('model')),
  fc
    .tuple(said('user'), fc.array(part, { maxLength: 2 }), call)
    .map(([asked, parts, { name, args }]): Content[] => [
      asked,
      { role: 'model', parts: [...parts, { functionCall: { name, args } }] },
      { role: 'user', parts: [{ functionResponse: { name, response: { output: 'ok' } } }] },
    ]),
);

const settings: fc.Arbitrary<LLMConfig> = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 2),
    maxOutputTokens: fc.nat(100),
    topP: fc.constantFrom(0, 1),
    topK: fc.nat(40),
    stopSequences: fc.array(text, { maxLength: 2 }),
    candidateCount: fc.constantFrom(1, 2),
    presencePenalty: fc.constant(0),
    frequencyPenalty: fc.constant(0),
  },
  { requiredKeys: [] },
);

/** Everything else that a config of the SDK may hold, which hooks are not shown. */
const unseen = fc.record(
  {
    seed: fc.nat(),
    cachedContent: fc.constant('cache/1'),
    tools: fc.constant([{ googleSearch: {} }]),
    systemInstruction: fc.constant('Be brief'),
    responseSchema: jsonObject,
    thinkingConfig: fc.constant({ thinkingBudget: 5 }),
  },
  { requiredKeys: [] },
);

const request = fc
  .record(
    {
      model: fc.constantFrom('gemini-2.5-pro', 'gemini-2.5-flash'),
      contents: fc.array(exchange, { maxLength: 5 }).map((list) => list.flat()),
      config: fc.tuple(unseen, settings).map(([one, other]) => ({ ...one, ...other })),
    },
    { requiredKeys: ['model', 'contents'] },
  )
  .map(
    (made) =>
      frozen(structuredClone(made)) as unknown as GenerateContentParameters & {
        contents: Content[];
      },
  );

/** What a hook reads and prints. */
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('a translation loses nothing that a hook did not touch', () => {
  test('a request that comes back unchanged is the original request (HOOK-078)', () =>
    holds(request, (base) => {
      const back = fromHookLLMRequest(throughJson(toHookLLMRequest(base)), base);
      expect(back).toStrictEqual(base);
      expect(back.contents).toBe(base.contents);
    }));

  test('a changed setting changes only that setting (C-74)', () =>
    holds(fc.record({ base: request, change: settings }), ({ base, change }) => {
      const back = fromHookLLMRequest({ config: change }, base);
      expect(back.contents).toBe(base.contents);
      expect(back.config ?? {}).toStrictEqual({ ...base.config, ...change });
    }));

  test('an edited message leaves every other message with all its parts, in its place (C-75)', () =>
    holds(fc.record({ base: request, which: fc.nat() }), ({ base, which }) => {
      const shown = throughJson(toHookLLMRequest(base));
      fc.pre(shown.messages.length > 0);
      const edited = which % shown.messages.length;
      const messages = shown.messages.map((one, index) =>
        index === edited ? { ...one, content: `${one.content} (edited)` } : one,
      );
      const back = fromHookLLMRequest({ ...shown, messages }, base);
      const contents = back.contents as Content[];
      const visible = base.contents.filter(
        (content) => toHookLLMRequest({ ...base, contents: [content] }).messages.length > 0,
      );
      const touched = visible[edited]!;
      const lost = base.contents.filter((content) => !contents.includes(content));
      // If a message with a call goes, the response to it goes too, since providers reject it alone.
      const after = base.contents[base.contents.indexOf(touched) + 1];
      const allowed = hasFunctionPart(touched) && after ? [touched, after] : [touched];
      expect(allowed).toEqual(expect.arrayContaining(lost));
      const kept = contents.filter((content) => base.contents.includes(content));
      expect(kept).toEqual(base.contents.filter((content) => kept.includes(content)));
      expect({ ...back, contents: [] }).toStrictEqual({ ...base, contents: [] });
    }));

  const candidate: fc.Arbitrary<Candidate> = fc.record(
    {
      content: fc
        .array(
          fc.oneof(
            part,
            call.map((functionCall): Part => ({ functionCall })),
          ),
          {
            maxLength: 3,
          },
        )
        .map((parts): Content => ({ role: 'model', parts })),
      finishReason: fc.constantFrom(
        FinishReason.STOP,
        FinishReason.MAX_TOKENS,
        FinishReason.BLOCKLIST,
      ),
      index: fc.nat(3),
    },
    { requiredKeys: ['content'] },
  );
  const response = fc
    .record({
      candidates: fc.uniqueArray(candidate, {
        maxLength: 3,
        selector: ({ index }) => index ?? -1,
      }),
      usageMetadata: fc.constant({ promptTokenCount: 3, thoughtsTokenCount: 9 }),
      responseId: fc.constant('r1'),
    })
    .map(({ candidates, ...rest }) => ({
      ...rest,
      candidates: candidates.map((one, index) => ({ ...one, index })),
    }))
    .map((made) => frozen(structuredClone(made)) as unknown as GenAIResponse);

  test('a response that comes back unchanged keeps every part', () =>
    holds(response, (base) => {
      const back = fromHookLLMResponse(throughJson(toHookLLMResponse(base)), base);
      expect(back.candidates?.map(({ content }) => content)).toEqual(
        base.candidates?.map(({ content }) => content),
      );
      expect(back.usageMetadata).toEqual(base.usageMetadata);
      expect(back.responseId).toBe('r1');
    }));

  test('an edited candidate keeps its tool calls, and leaves the others with all their parts (HOOK-079, C-86)', () =>
    holds(fc.record({ base: response, which: fc.nat() }), ({ base, which }) => {
      const shown = throughJson(toHookLLMResponse(base));
      const { candidates } = shown;
      fc.pre(candidates.length > 0);
      const edited = which % candidates.length;
      const changed = candidates.map((one, index) =>
        index === edited ? { ...one, content: { ...one.content, parts: ['Redacted.'] } } : one,
      );
      const back = fromHookLLMResponse({ candidates: changed }, base);
      for (const [index, { content }] of back.candidates!.entries())
        if (index === edited) {
          const calls = base.candidates![index]!.content?.parts?.filter(
            ({ functionCall }) => functionCall,
          );
          expect(content?.parts).toEqual([{ text: 'Redacted.' }, ...(calls ?? [])]);
        } else expect(content).toBe(base.candidates![index]!.content);
    }));
});
