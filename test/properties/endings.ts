import * as fc from 'fast-check';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import { exited } from '../support/answers.ts';
import type { ScriptedHook } from './scripted-event.ts';

/** Names that every object already has, besides ordinary ones. */
const name = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'file_path', 'content', 'text'),
  fc.string({ maxLength: 8 }),
);

/** Any JSON object. */
export const jsonObject = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 4,
  noNullPrototype: true,
});

/**
 * Any character. A "binary" string of fast-check would be the same, but takes a second to build a table of
 * them all.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ max: 0xd7ff, min: 0 }), fc.integer({ max: 0x10_ffff, min: 0xe000 }))
  .map((point) => String.fromCodePoint(point));

/** Usually a field of this kind; sometimes one of a wrong type. */
const mostly = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
    { weight: 6, arbitrary: value },
    fc.jsonValue({ maxDepth: 1 }),
  );

/**
 * What people write besides ASCII: combining marks, letters beyond the first plane, text that is read from
 * right to left.
 */
const grapheme = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme-ascii' }),
  fc.constantFrom(
    'é',
    'e\u0301',
    'ß',
    '한',
    '漢',
    'न्',
    '👩‍👩‍👧',
    '🇨🇭',
    '𝒳',
    'ש',
    '\u200d',
    '\u2028',
    '\u0000',
  ),
);

const text = mostly(fc.string({ maxLength: 12, unit: grapheme }));
const flag = mostly(fc.boolean());
const decision = mostly(fc.constantFrom('block', 'deny', 'allow', 'approve', 'ask', null));

const llmMessage = fc.record({
  role: fc.constantFrom('user', 'model', 'system', 'assistant'),
  content: text,
});
const specific = fc.record(
  {
    permissionDecision: decision,
    permissionDecisionReason: text,
    tool_input: mostly(jsonObject),
    additionalContext: text,
    llm_request: mostly(
      fc.record(
        { model: text, messages: fc.array(llmMessage, { maxLength: 3 }), config: jsonObject },
        { requiredKeys: [] },
      ),
    ),
    llm_response: mostly(
      fc.record(
        {
          text,
          candidates: mostly(
            fc.array(fc.record({ content: fc.record({ parts: fc.array(text) }) }), {
              maxLength: 2,
            }),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
    toolConfig: mostly(
      fc.record(
        {
          mode: mostly(fc.constantFrom('AUTO', 'ANY', 'NONE')),
          allowedFunctionNames: mostly(fc.array(name, { maxLength: 3 })),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

/** What LLxprt's hooks print: an object with its fields, both right and wrong ones. */
const llxprtOutput = fc.record(
  {
    decision,
    reason: text,
    continue: flag,
    stopReason: text,
    suppressOutput: flag,
    systemMessage: text,
    hookSpecificOutput: mostly(specific),
  },
  { requiredKeys: [] },
);

/** What Kodelet's hooks print. */
const kodeletOutput = fc.record(
  {
    blocked: flag,
    reason: text,
    input: mostly(jsonObject),
    output: mostly(jsonObject),
    follow_up_messages: mostly(fc.array(text, { maxLength: 2 })),
  },
  { requiredKeys: [] },
);

/** What a hook may print: answers of both dialects, other JSON, text and noise. */
export const printedText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: llxprtOutput.map((output) => JSON.stringify(output)) },
  { weight: 4, arbitrary: kodeletOutput.map((output) => JSON.stringify(output)) },
  fc.json({ maxDepth: 3 }),
  fc.json({ maxDepth: 2 }).map((json) => JSON.stringify(json)),
  fc.string({ unit: anyCharacter }),
  fc.constant(''),
);

/** How a hook's process may end, whatever it is a hook of. */
const ending: fc.Arbitrary<HookProcessOutcome> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        stdout: printedText,
        stderr: fc.string({ maxLength: 12 }),
        exitCode: fc.oneof(
          { weight: 6, arbitrary: fc.constant(0) },
          { weight: 2, arbitrary: fc.constant(2) },
          fc.constantFrom(1, 126, 127, 255),
        ),
        truncated: fc.subarray(['stdout', 'stderr'] as const, { maxLength: 1 }),
        leftBackground: fc.boolean(),
      })
      .map(({ leftBackground, ...exit }) => exited(exit, leftBackground)),
  },
  fc
    .constantFrom('SIGTERM', 'SIGKILL', 'SIGSEGV')
    .map((signal) => exited({ exitCode: null, signal })),
  fc.constant<HookProcessOutcome>({ status: 'timedOut', timeout: 5 }),
  fc.string({ maxLength: 8 }).map<HookProcessOutcome>((message) => ({
    status: 'failed',
    error: new Error(message),
  })),
);

/** Endings that deny, each in its dialect's own terms. */
export const denial = (dialect: string): fc.Arbitrary<HookProcessOutcome> =>
  dialect === 'llxprt'
    ? fc.constantFrom(
        exited({ exitCode: 2, stderr: 'no' }),
        exited({ exitCode: 2 }),
        exited({ stdout: '{"decision":"deny","reason":"no"}' }),
        exited({ stdout: '{"decision":"block","continue":true}' }),
      )
    : fc.constant(exited({ stdout: '{"blocked":true,"reason":"no"}' }));

/** A hook of one of these dialects; if settings can say so, its failure may deny. */
export const scriptedHook = (...dialects: string[]): fc.Arbitrary<ScriptedHook> =>
  fc
    .record({ dialect: fc.constantFrom(...dialects), ending, denies: fc.boolean() })
    .map(({ dialect, ending: end, denies }) => ({
      dialect,
      ending: end,
      ...(denies && dialect === 'llxprt' && { onFailure: 'block' as const }),
    }));
