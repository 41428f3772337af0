import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { decisionWanted, ignored, isDecision } from '../../core/protocol/output.ts';
import {
  normalizeHookLLMRequest,
  normalizeHookToolConfig,
  requestFields,
} from '../../core/translate/request.ts';
import { normalizeHookLLMResponse, repeatsResponse } from '../../core/translate/response.ts';
import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';
import { isRecord } from '../../base/json.ts';

/** The fields of `hookSpecificOutput` that decide or replace something, by event. */
const specificFields: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  BeforeTool: ['permissionDecision', 'tool_input'],
  BeforeModel: ['llm_request', 'llm_response'],
  AfterModel: ['llm_response'],
  BeforeToolSelection: ['toolConfig'],
};

/** Returns those fields for an event. */
export const decidingSpecific = (event: HookEventName): readonly string[] =>
  specificFields[event] ?? [];

/** The common fields that may hold a guard's decision. */
export const decidingCommon = ['decision', 'continue', 'hookSpecificOutput'] as const;

/** The fields allowed inside those that are objects, and hints for misplaced ones. */
const innerFields: Readonly<
  Record<string, { legal: readonly string[]; misplaced: Readonly<Record<string, string>> }>
> = {
  llm_request: {
    legal: requestFields,
    misplaced: {},
  },
  llm_response: {
    legal: ['text', 'candidates', 'usageMetadata'],
    misplaced: { content: 'give new text as "text"', parts: 'give new text as "text"' },
  },
  toolConfig: {
    legal: ['mode', 'allowedFunctionNames'],
    misplaced: {
      functionCallingConfig: '"mode" and "allowedFunctionNames" belong directly in "toolConfig"',
    },
  },
};

type Words = Required<AnswerWords> & { readonly specific: Vocabulary };

/** Returns what a hook's answer to an event may say, and where. */
export function wordsOf(event: HookEventName): Words {
  const known = words.get(event);
  if (known !== undefined) return known;
  const inner = innerWords(event);
  const made = {
    common: commonWords(event),
    specific: specificWords(event),
    inner,
    once: [
      ...decidingCommon,
      ...decidingSpecific(event),
      ...Object.values(inner).flatMap(({ deciding }) => deciding),
    ],
  };
  words.set(event, made);
  return made;
}

const words = new Map<HookEventName, Words>();

const decide = 'use "decision": "deny" (or "block", "allow")';

function insteadAt(event: HookEventName): Vocabulary['instead'] {
  return {
    'a decision': decide,
    arguments: `give new arguments as "hookSpecificOutput.tool_input"${event === 'BeforeTool' ? '' : ', in answer to BeforeTool'}`,
    'a result': 'these hooks cannot replace a result; to block it, use "decision": "deny"',
  };
}

function commonWords(event: HookEventName): Vocabulary {
  return {
    path: '',
    legal: [
      ...decidingCommon,
      'stopReason',
      'suppressOutput',
      'systemMessage',
      'reason',
      'hookEventName',
      'additionalContext',
    ],
    deciding: [...decidingCommon, 'stopReason'],
    misplaced: Object.fromEntries(
      [
        ...decidingSpecific(event).map((name) => [name, `hookSpecificOutput.${name}`]),
        ...(event === 'AfterModel'
          ? ['text', 'candidates'].map((name) => [name, `hookSpecificOutput.llm_response.${name}`])
          : []),
      ].map(([name, place]) => [name, `it belongs in "${place}"`]),
    ),
    instead: insteadAt(event),
  };
}

function specificWords(event: HookEventName): Vocabulary {
  return {
    path: 'hookSpecificOutput.',
    legal: [
      ...decidingSpecific(event),
      'hookEventName',
      'additionalContext',
      'permissionDecisionReason',
    ],
    deciding: decidingSpecific(event),
    misplaced: {
      decision: '"decision" belongs next to "hookSpecificOutput", not inside it',
      continue: '"continue" belongs next to "hookSpecificOutput", not inside it',
      stopReason: '"stopReason" belongs next to "hookSpecificOutput", not inside it',
      ...(event === 'AfterModel' && {
        text: 'it belongs in "hookSpecificOutput.llm_response.text"',
        candidates: 'it belongs in "hookSpecificOutput.llm_response.candidates"',
        response: 'give a new response as "llm_response"',
      }),
      ...(event === 'BeforeModel' && {
        messages: 'they belong in "hookSpecificOutput.llm_request.messages"',
        request: 'give a new request as "llm_request"',
      }),
      ...(event === 'BeforeToolSelection' && {
        mode: 'it belongs in "hookSpecificOutput.toolConfig.mode"',
        allowedFunctionNames: 'they belong in "hookSpecificOutput.toolConfig.allowedFunctionNames"',
      }),
      ...(event !== 'BeforeTool' && {
        permissionDecision: `only BeforeTool accepts it; ${decide}`,
      }),
    },
    instead: insteadAt(event),
  };
}

function innerWords(event: HookEventName): Words['inner'] {
  const ofEvent = decidingSpecific(event).filter((name) => Object.hasOwn(innerFields, name));
  return Object.fromEntries(
    ofEvent.map((name) => {
      const { legal, misplaced } = innerFields[name]!;
      return [
        name,
        {
          path: `hookSpecificOutput.${name}.`,
          legal,
          deciding: legal,
          misplaced,
          instead: insteadAt(event),
        },
      ];
    }),
  );
}

type Specific = Readonly<Record<string, unknown>>;

/** Returns the valid form of a field, or undefined if none of it can be used; omissions are noted. */
type Reader = (value: unknown, name: string, notes: string[], received: HookPayload) => unknown;

const readers: Readonly<Partial<Record<HookEventName, Readonly<Record<string, Reader>>>>> = {
  BeforeTool: {
    tool_input: fitting(isRecord, 'an object'),
    permissionDecision: fitting(isDecision, decisionWanted),
    permissionDecisionReason: fitting(isText, 'a string'),
  },
  BeforeModel: { llm_request: readRequest, llm_response: readResponse },
  AfterModel: { llm_response: readRevisedResponse },
  BeforeToolSelection: { toolConfig: readToolConfig },
};
const forAllEvents: Readonly<Record<string, Reader>> = {
  additionalContext: fitting(isText, 'a string'),
};

/**
 * Returns an event's own part of a hook's output in its valid form, before anything is merged or chained. Null counts as absent; a field that the event does not know is passed through.
 * `received` is the payload that the hook received: a response that says the same is a repetition.
 */
export function readSpecific(
  event: HookEventName,
  specific: Specific,
  received: HookPayload = {},
): { specific: Specific; notes: string[]; repeatsResponse?: true } {
  const notes: string[] = [];
  let read: Specific = specific;
  for (const [name, reader] of Object.entries({ ...forAllEvents, ...readers[event] })) {
    if (!Object.hasOwn(specific, name)) continue;
    const value = specific[name];
    const { [name]: _, ...others } = read;
    const fitted = value === null ? undefined : reader(value, name, notes, received);
    read = fitted === undefined ? others : { ...others, [name]: fitted };
  }
  const isRepeated =
    event === 'AfterModel' && repeatsResponse(read['llm_response'], received['llm_response']);
  return { specific: read, notes, ...(isRepeated && { repeatsResponse: true }) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function fitting(fits: (value: unknown) => boolean, wanted: string): Reader {
  return (value, name, notes) => {
    if (fits(value)) return value;
    notes.push(ignored(`"${name}"`, value, wanted));
    return undefined;
  };
}

function readRequest(value: unknown, _name: string, notes: string[]) {
  const read = normalizeHookLLMRequest(value);
  notes.push(...read.notes);
  return unlessEmpty(read.request);
}

function readResponse(value: unknown, _name: string, notes: string[]) {
  return wholeResponse(normalizeHookLLMResponse(value), notes);
}

/** Next to a text, candidates that are only copied from what the hook received have no effect. */
function readRevisedResponse(
  value: unknown,
  _name: string,
  notes: string[],
  received: HookPayload,
) {
  return wholeResponse(normalizeHookLLMResponse(value, received['llm_response']), notes);
}

/** A text alone becomes one whole candidate, so that it replaces everything another hook answered. */
function wholeResponse(
  { response = {}, notes: found }: ReturnType<typeof normalizeHookLLMResponse>,
  notes: string[],
) {
  notes.push(...found);
  const { text, candidates } = response;
  if (text === undefined || candidates !== undefined) return unlessEmpty(response);
  const content = { role: 'model', parts: text === '' ? [] : [text] };
  return { ...response, candidates: [{ content, finishReason: 'STOP' }] };
}

function readToolConfig(value: unknown, name: string, notes: string[]) {
  const read = normalizeHookToolConfig(value, name);
  notes.push(...read.notes);
  return unlessEmpty(read.toolConfig);
}

const unlessEmpty = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length === 0 ? undefined : fields;
