import type { HookPayload } from '../../../machines/hook-event.ts';
import { checkEventFields } from '../../protocol/event-fields.ts';
import { HookEventName } from '../../protocol/events.ts';
import { isRecord } from '../../protocol/output.ts';
import type { Answer } from '../answer.ts';
import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { findHooks, identityOf } from './find.ts';
import { compileMatcher, usesOf } from './matcher.ts';
import { mergeAnswers } from './merge-answers.ts';

/** LLxprt's protocol, which Gemini CLI's hooks speak too (seed 000). */
export const llxprt: Dialect = {
  name: 'llxprt',
  family: 'llxprt',
  events: HookEventName,
  needsSwitch: true,
  settings: 'llxprt',
  unasked: 'passes',
  guarded: [
    '.llxprt/settings.json',
    '.llxprt/hookmachine-*',
    '.llxprt/trusted*.json',
    '.llxprt/.env',
    '.llxprt/hooks/',
    '.llxprt/extensions/',
  ],
  mayBeIn: () => true,
  find: findHooks,
  identity: identityOf,
  matcherOf: ({ event, matcher }) => (usesOf(event) === 'ignored' ? undefined : matcher || '*'),
  compileMatcher: ({ event, matcher }, onUndecided) => compileMatcher(event, matcher, onUndecided),
  // One group that asked for a sequence makes all of them one (HOOK-109, C-22).
  mode: (hooks) => (hooks.some(({ sequential }) => sequential) ? 'sequential' : 'parallel'),
  environment: (_, { cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  stdin: (_, payload) => payload,
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  chain: chainPayload,
  merge: (event, answers) => mergeAnswers(event, answers),
  // An event's own fields are in canonical form already (seed 003 "Input Interfaces").
  async readCall(event, given) {
    const checked = checkEventFields(event as HookEventName, await withStableRequest(given));
    return 'faults' in checked ? checked : { fields: checked.fields, context: {} };
  },
  // The report has all of it.
  reportCall: () => ({}),
};

/**
 * What the next hook of a sequence is told: the changes so far, spread over the input key by key
 * (HOOK-104 to 106, 211, 216; C-43). Nothing but a successful hook changes anything.
 */
export function chainPayload(
  event: HookEventName,
  payload: HookPayload,
  answer: Answer,
): HookPayload {
  const specific = answer.output?.hookSpecificOutput;
  if (!answer.success || specific === undefined) return payload;
  switch (event) {
    case 'BeforeTool':
      return spread(payload, 'tool_input', specific['tool_input']);
    case 'BeforeModel':
      return spread(payload, 'llm_request', specific['llm_request']);
    // A later redactor must not undo an earlier one (seed 000 §7.4).
    case 'AfterModel':
      return spread(payload, 'llm_response', specific['llm_response']);
    case 'BeforeAgent': {
      const context = specific['additionalContext'];
      return typeof context === 'string' && context !== ''
        ? { ...payload, prompt: `${String(payload['prompt'])}\n\n${context}` }
        : payload;
    }
    default:
      return payload;
  }
}

function spread(payload: HookPayload, key: string, change: unknown): HookPayload {
  if (!isRecord(change)) return payload;
  const before = payload[key];
  return { ...payload, [key]: { ...(isRecord(before) ? before : {}), ...change } };
}

/** Hooks see requests in one form only; seed 003's `contents` is brought into it (C-71). */
async function withStableRequest(given: Readonly<Record<string, unknown>>) {
  const request = given['llm_request'];
  if (!isRecord(request) || 'messages' in request || !('contents' in request)) return given;
  const { normalizeHookLLMRequest } = await import('../../translate/request.ts');
  const { contents: _, generationConfig: __, systemInstruction: ___, ...rest } = request;
  return { ...given, llm_request: { ...rest, ...normalizeHookLLMRequest(request).request } };
}
