import type { HookDecision, HookOutput } from '../../protocol/output.ts';
import { defined } from '../../protocol/output.ts';
import type { NamedAnswer } from '../dialect.ts';
import { joinTexts } from '../field-set.ts';
import type { HookConflict } from '../verdict.ts';

/** What several outputs are together, and who wanted what. */
export interface MergedOutputs {
  readonly output: HookOutput;
  readonly conflicts: readonly HookConflict[];
  readonly setBy: Readonly<Record<string, string>>;
}

/** The common fields of several outputs under OR rules (HOOK-092 to 094, 096, 097). */
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

/** Which hook blocks and which one stops: the last of each, as it gives the word. */
export function decidedBy(answers: readonly NamedAnswer[]): Record<string, string> {
  return defined<Record<string, string>>({
    decision: answers.findLast(({ answer }) => answer.decision === 'deny')?.hook,
    continue: answers.findLast(({ answer }) => answer.stop)?.hook,
  });
}

/** `hookSpecificOutput` as a part of an output; absent when it is empty. */
export const specificOutput = (
  fields: Readonly<Record<string, unknown>>,
): Pick<HookOutput, 'hookSpecificOutput'> =>
  Object.keys(fields).length === 0 ? {} : { hookSpecificOutput: fields };
