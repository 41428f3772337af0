import type { HookEventName } from '../../protocol/events.ts';
import type { Vocabulary } from '../near-misses.ts';

/** The fields of `hookSpecificOutput` that decide or replace something, by event. */
const specificFields: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  BeforeTool: ['permissionDecision', 'tool_input'],
  BeforeModel: ['llm_request', 'llm_response'],
  AfterModel: ['llm_response'],
  BeforeToolSelection: ['toolConfig'],
};

/** Those fields of an event. */
export const decidingSpecific = (event: HookEventName): readonly string[] =>
  specificFields[event] ?? [];

/** The common fields that may hold a guard's word. */
export const decidingCommon = ['decision', 'continue', 'hookSpecificOutput'] as const;

/** What those of them that are objects may hold, and which of it decides or replaces something. */
const innerFields: Readonly<
  Record<string, { legal: readonly string[]; misplaced: Readonly<Record<string, string>> }>
> = {
  llm_request: {
    legal: [
      'model',
      'messages',
      'config',
      'toolConfig',
      'contents',
      'systemInstruction',
      'generationConfig',
    ],
    misplaced: {},
  },
  llm_response: {
    legal: ['text', 'candidates', 'usageMetadata'],
    misplaced: { content: 'new words are given as "text"', parts: 'new words are given as "text"' },
  },
  toolConfig: {
    legal: ['mode', 'allowedFunctionNames'],
    misplaced: {
      functionCallingConfig: '"mode" and "allowedFunctionNames" belong right into "toolConfig"',
    },
  },
};

/** The words of one event's answers: at the top, and in `hookSpecificOutput`. */
export interface AnswerWords {
  readonly common: Vocabulary;
  readonly specific: Vocabulary;
  /** By the name of a field of the latter. */
  readonly inner: Readonly<Record<string, Vocabulary>>;
}

/** What a hook's answer to an event may say, and where. */
export function wordsOf(event: HookEventName): AnswerWords {
  const known = words.get(event);
  if (known !== undefined) return known;
  const made = {
    common: commonWords(event),
    specific: specificWords(event),
    inner: innerWords(event),
  };
  words.set(event, made);
  return made;
}

const words = new Map<HookEventName, AnswerWords>();

const decide = 'say it with "decision": "deny" (or "block", "allow")';

function insteadAt(event: HookEventName): Vocabulary['instead'] {
  return {
    'a decision': decide,
    arguments: `new arguments are given as "hookSpecificOutput.tool_input"${event === 'BeforeTool' ? '' : ', in answer to BeforeTool'}`,
    'a result': 'these hooks cannot replace a result, but block with "decision": "deny"',
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
      decision: '"decision" belongs beside "hookSpecificOutput", not into it',
      continue: '"continue" belongs beside "hookSpecificOutput", not into it',
      stopReason: '"stopReason" belongs beside "hookSpecificOutput", not into it',
      ...(event === 'AfterModel' && {
        text: 'it belongs in "hookSpecificOutput.llm_response.text"',
        candidates: 'it belongs in "hookSpecificOutput.llm_response.candidates"',
        response: 'a new response is given as "llm_response"',
      }),
      ...(event === 'BeforeModel' && {
        messages: 'they belong in "hookSpecificOutput.llm_request.messages"',
        request: 'a new request is given as "llm_request"',
      }),
      ...(event === 'BeforeToolSelection' && {
        mode: 'it belongs in "hookSpecificOutput.toolConfig.mode"',
        allowedFunctionNames: 'they belong in "hookSpecificOutput.toolConfig.allowedFunctionNames"',
      }),
      ...(event !== 'BeforeTool' && {
        permissionDecision: `only BeforeTool knows it; ${decide}`,
      }),
    },
    instead: insteadAt(event),
  };
}

function innerWords(event: HookEventName): AnswerWords['inner'] {
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
