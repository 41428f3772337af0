import { hookPointOf, type HookEventName } from '../../core/points/hook-points.ts';
import { decidingCommon, decidingSpecific, wordsOf as plainWordsOf } from '../plain/vocabulary.ts';
import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';

/** What an answer to an event may do. */
interface Power {
  /** Whether a denial and a stop count. */
  readonly decides?: true;
  /** Whether `additionalContext` reaches the model. */
  readonly context?: true;
  /** Fields of `hookSpecificOutput` that have a meaning only in Gemini CLI. */
  readonly own?: readonly string[];
}

const powers: Readonly<Partial<Record<HookEventName, Power>>> = {
  BeforeTool: { decides: true },
  AfterTool: { decides: true, context: true, own: ['tailToolCallRequest'] },
  BeforeAgent: { decides: true, context: true },
  AfterAgent: { decides: true, own: ['clearContext'] },
  BeforeModel: { decides: true },
  AfterModel: { decides: true },
  SessionStart: { context: true },
};

/** Returns what an answer to an event may do. */
export const powerOf = (event: HookEventName): Power => powers[event] ?? {};

/** The fields of `hookSpecificOutput` that have a meaning in answer to an event. */
export const specificFields = (event: HookEventName): readonly string[] => [
  ...hookPointOf(event).slots,
  ...(powerOf(event).own ?? []),
  ...(powerOf(event).context ? ['additionalContext'] : []),
];

const known = new Map<HookEventName, AnswerWords>();

/** What an event's answers may say, and where: as in LLxprt, except for words that only one of them has. */
export function wordsOf(event: HookEventName): AnswerWords {
  const made = known.get(event) ?? makeWords(event);
  known.set(event, made);
  return made;
}

const decide = 'use "decision": "deny" (or "block", "allow") next to "hookSpecificOutput"';

const without = (words: Vocabulary, legal: readonly string[]): Vocabulary => ({
  ...words,
  legal: [...words.legal.filter((name) => !name.startsWith('permission')), ...legal],
  deciding: words.deciding.filter((name) => name !== 'permissionDecision'),
  misplaced: { ...words.misplaced, permissionDecision: decide },
});

function makeWords(event: HookEventName): AnswerWords {
  const { common, specific, inner } = plainWordsOf(event);
  return {
    common: without(common, []),
    specific: without(specific, ['permissionDecisionReason', ...(powerOf(event).own ?? [])]),
    inner,
    once: [
      ...decidingCommon,
      ...decidingSpecific(event).filter((name) => name !== 'permissionDecision'),
    ],
  };
}
