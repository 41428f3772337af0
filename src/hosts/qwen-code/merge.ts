import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { Answer, NamedAnswer } from '../../core/answers/answer.ts';
import { withEscapedContext } from '../parts/escaped-context.ts';
import { mergeEffects, counts } from '../../core/answers/merge-effects.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import { objectIn } from './answer.ts';
import { fromQwenInput } from './tools.ts';

/** Merges answers: any denial wins, contexts are joined and escaped, and the last message counts. */
export function merge(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = withEscapedContext(mergeEffects(event, answers, payload));
  const notice = answers
    .flatMap(({ answer }) => (counts(answer) ? answer.effects : []))
    .findLast((effect) => effect.kind === 'notice')?.text;
  return { ...verdict, ...(notice !== undefined && { notice }) };
}

/**
 * Returns what the next hook of a sequence receives: merged arguments, although the tool gets none of
 * them, and the prompt with the context below it.
 */
export function chain(event: HookEventName, payload: HookPayload, answer: Answer): HookPayload {
  if (!answer.success) return payload;
  if (event === 'BeforeAgent') {
    const context = answer.effects.find((effect) => effect.kind === 'context')?.text;
    return context === undefined
      ? payload
      : { ...payload, prompt: `${String(payload['prompt'])}\n\n${context}` };
  }
  if (event !== 'BeforeTool') return payload;
  const specific = objectIn(answer.stdout.trim() || answer.stderr.trim())?.fields[
    'hookSpecificOutput'
  ];
  const change = isRecord(specific) ? specific['tool_input'] : undefined;
  if (!isRecord(change)) return payload;
  const { tool_input: before } = payload;
  return {
    ...payload,
    tool_input: {
      ...(isRecord(before) ? before : {}),
      ...fromQwenInput(String(payload['tool_name']), change),
    },
  };
}
