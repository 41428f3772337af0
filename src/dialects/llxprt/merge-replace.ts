import { isRecord, type HookOutput } from '../../protocol/output.ts';
import {
  defined,
  FieldLedger,
  SpecificFields,
  type MergedAnswers,
  type NamedAnswer,
} from '../merge.ts';

/** The parts of `hookSpecificOutput` that are merged one level deeper (C-41). */
const deep = ['llm_request', 'llm_response'] as const;

/**
 * Field replacement (HOOK-098, 190; C-40, C-41): a later hook replaces what earlier ones set, field
 * by field, but never a block or a stop, nor what came with it.
 *
 * `answerNeedsBlock` says that an `llm_response` counts only from a hook that blocks or stops, as it
 * does before a model call (C-79).
 */
export function mergeReplacing(
  answers: readonly NamedAnswer[],
  { answerNeedsBlock }: { answerNeedsBlock: boolean },
): MergedAnswers {
  const ledger = new FieldLedger();
  let merged: HookOutput = {};
  const specific = new SpecificFields();
  const apply = ({ hook, answer }: NamedAnswer, only?: string): void => {
    for (const [key, value] of Object.entries(answer.output?.hookSpecificOutput ?? {})) {
      if (only !== undefined && key !== only) continue;
      if (deep.includes(key as (typeof deep)[number]) && isRecord(value)) {
        for (const [name, field] of Object.entries(value))
          ledger.set(`${key}.${name}`, hook, field);
        specific.spread(key, value);
      } else {
        if (key !== 'hookEventName') ledger.set(key, hook, value);
        specific.set(key, value);
      }
    }
  };
  for (const named of answers) {
    const { output = {}, ...rest } = named.answer;
    if (rest.plainText)
      merged = defined<HookOutput>({ ...merged, systemMessage: output.systemMessage });
    else {
      const { hookSpecificOutput: _, ...common } = output;
      merged = { ...merged, ...common };
      apply(named);
    }
  }
  const blocking = answers.filter(({ answer }) => answer.decision === 'deny');
  const stopping = answers.filter(({ answer }) => answer.stop);
  const sticky = answers.filter(({ answer }) => answer.decision === 'deny' || answer.stop);
  if (sticky.length > 0) {
    if (answerNeedsBlock) specific.delete('llm_response');
    for (const named of sticky) apply(named, 'llm_response');
  }
  return {
    output: {
      ...defined<HookOutput>({
        ...merged,
        decision: blocking.at(-1)?.answer.output?.decision ?? merged.decision,
        reason:
          sticky.length === 0
            ? merged.reason
            : lastText(blocking.length > 0 ? blocking : stopping, 'reason'),
        continue: stopping.length > 0 ? false : merged.continue,
        stopReason: lastText(stopping, 'stopReason'),
      }),
      ...specific.toOutput(),
    },
    conflicts: ledger.conflicts(),
    setBy: ledger.setBy(),
  };
}

function lastText(
  answers: readonly NamedAnswer[],
  field: 'reason' | 'stopReason',
): string | undefined {
  return answers.findLast(({ answer }) => answer.output?.[field])?.answer.output?.[field];
}
