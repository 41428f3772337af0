import { isRecord, type HookDecision, type HookOutput } from '../../protocol/output.ts';
import {
  defined,
  FieldLedger,
  joinTexts,
  SpecificFields,
  type MergedAnswers,
  type NamedAnswer,
} from '../merge.ts';

/**
 * OR-merge (HOOK-092 to 097, 190, 208; C-37, C-38, C-44): any block blocks, any stop stops, texts
 * are joined in plan order, and rewritten arguments are spread key by key.
 */
export function mergeOr(answers: readonly NamedAnswer[]): MergedAnswers {
  const ledger = new FieldLedger();
  const specific = new SpecificFields();
  for (const { hook, answer } of answers)
    for (const [key, value] of Object.entries(answer.output?.hookSpecificOutput ?? {})) {
      if (key === 'tool_input' && isRecord(value)) {
        for (const [name, argument] of Object.entries(value))
          ledger.set(`tool_input.${name}`, hook, argument);
        specific.spread(key, value);
      } else {
        if (!joined.has(key)) ledger.set(key, hook, value);
        specific.set(key, value);
      }
    }
  const common = mergeCommon(answers);
  const context = joinTexts(
    answers.map(({ answer }) => {
      const text = answer.output?.hookSpecificOutput?.['additionalContext'];
      return typeof text === 'string' ? text : undefined;
    }),
  );
  if (context !== undefined) specific.set('additionalContext', context);
  // The compatibility fields were read into the common ones; here they only mirror the result.
  if (specific.has('permissionDecision') && common.decision !== undefined)
    specific.set('permissionDecision', common.decision);
  if (specific.has('permissionDecisionReason') && common.reason !== undefined)
    specific.set('permissionDecisionReason', common.reason);
  return {
    output: { ...common, ...specific.toOutput() },
    conflicts: ledger.conflicts(),
    setBy: ledger.setBy(),
  };
}

const joined: ReadonlySet<string> = new Set([
  'additionalContext',
  'hookEventName',
  'permissionDecision',
  'permissionDecisionReason',
]);

/** The common fields of several outputs under OR rules. */
export function mergeCommon(answers: readonly NamedAnswer[]): HookOutput {
  const outputs = answers.map(({ answer }) => answer.output ?? {});
  const stopping = outputs.filter((output) => output.continue === false);
  return defined<HookOutput>({
    decision: mergeDecisions(answers, stopping.length > 0),
    reason: joinTexts(outputs.map((output) => output.reason)),
    continue: stopping.length > 0 ? false : undefined,
    stopReason: joinTexts(stopping.map((output) => output.stopReason)),
    suppressOutput: outputs.some((output) => output.suppressOutput === true) ? true : undefined,
    systemMessage: joinTexts(outputs.map((output) => output.systemMessage)),
  });
}

/** A denial in the word the last denying hook used; a stop alone decides nothing (C-37). */
function mergeDecisions(answers: readonly NamedAnswer[], stops: boolean): HookDecision | undefined {
  const denial = answers.findLast(({ answer }) => answer.decision === 'deny');
  if (denial) return denial.answer.output?.decision ?? 'deny';
  if (stops) return undefined;
  return answers.some(({ answer }) => answer.decision === 'ask') ? 'ask' : 'allow';
}
