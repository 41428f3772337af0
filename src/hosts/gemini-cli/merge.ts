import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { Answer, NamedAnswer } from '../../core/answers/answer.ts';
import { chainPayload, mergeAnswers } from '../plain/merge-answers.ts';
import { withEscapedContext } from '../parts/escaped-context.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import type { Change, Verdict } from '../../core/answers/verdict.ts';

/**
 * Merges answers as LLxprt does, except that only the last hook's new arguments count, as a whole; that
 * text for the model is escaped; and that the reason replaces a denied result.
 */
export function merge(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const { message, reason: _, ...others } = mergeAnswers(event, answers.map(withoutArguments));
  // Gemini CLI also reports the reasons of hooks that allow.
  const reason = others.output?.reason;
  const verdict: Verdict = {
    ...others,
    ...(reason && { reason }),
    ...(message !== undefined && { notice: message }),
  };
  switch (event) {
    case 'BeforeTool':
      return withArguments(verdict, mergeEffects(event, answers, payload));
    case 'AfterTool':
      return verdict.decision === 'deny' ? withReason(verdict) : withEscapedContext(verdict);
    default:
      return withEscapedContext(verdict);
  }
}

/** The next hook of a sequence gets merged arguments and requests, and the prompt with the context below. */
export const chain = (event: HookEventName, payload: HookPayload, answer: Answer): HookPayload =>
  event === 'AfterModel' ? payload : chainPayload(event, payload, answer);

function withoutArguments({ hook, answer }: NamedAnswer): NamedAnswer {
  const { tool_input: _, ...specific } = answer.output?.hookSpecificOutput ?? {};
  return answer.output?.hookSpecificOutput === undefined
    ? { hook, answer }
    : { hook, answer: { ...answer, output: { ...answer.output, hookSpecificOutput: specific } } };
}

/** Uses the arguments of the last hook that gave any; different ones before it are reported as a conflict. */
function withArguments(
  verdict: Verdict,
  { changes: { tool_input: change }, conflicts, setBy }: Verdict,
): Verdict {
  if (change === undefined) return verdict;
  const own = Object.entries(setBy).filter(([field]) => field.startsWith('tool_input'));
  return {
    ...verdict,
    changes: { ...verdict.changes, tool_input: change },
    conflicts: [
      ...verdict.conflicts,
      ...conflicts.filter(({ field }) => field.startsWith('tool_input')),
    ],
    setBy: { ...verdict.setBy, ...Object.fromEntries(own) },
    output: withSpecific(verdict, { tool_input: 'whole' in change ? change.whole : change.patch }),
  };
}

/** Replaces the result with the reason of the denial, without any context. */
function withReason(verdict: Verdict): Verdict {
  const { context: _, output = {}, reason = '', ...rest } = verdict;
  const { additionalContext: __, ...specific } = output.hookSpecificOutput ?? {};
  const replaced: Change = {
    whole: { llmContent: reason, returnDisplay: reason, error: { message: reason } },
  };
  return {
    ...rest,
    reason,
    changes: { ...rest.changes, tool_response: replaced },
    output: { ...output, hookSpecificOutput: specific },
  };
}

const withSpecific = (
  { output = {} }: Verdict,
  fields: Readonly<Record<string, unknown>>,
): NonNullable<Verdict['output']> => ({
  ...output,
  hookSpecificOutput: { ...output.hookSpecificOutput, ...fields },
});
