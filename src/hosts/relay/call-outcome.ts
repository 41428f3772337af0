import { isDeepStrictEqual } from 'node:util';
import type { CallParts } from '../../core/dialects/dialect.ts';
import { mergeLanes } from '../../core/answers/merge-lanes.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import { defined } from '../../base/json.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { finalInput } from './fire-report.ts';
import type { Fired, FiredEvent } from './run-hooks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The hooks' decisions about an event and its parts. */
export interface CallOutcome {
  readonly verdict: Verdict;
  /** The final arguments; null if they are unchanged. */
  readonly toolInput: Fields | null;
  readonly toolResponse: Fields | undefined;
  /** Changes to the parts that hooks want and that cannot be applied to the call itself, in words. */
  readonly lost: readonly string[];
}

/**
 * Merges the outcomes of an event and of its parts: the strictest decision counts; repeated texts are
 * reported once.
 */
export function callOutcome(
  { fields }: Pick<FiredEvent, 'fields'>,
  { result, partResults = [] }: Pick<Fired, 'result' | 'partResults'>,
  parts: CallParts | undefined,
): CallOutcome {
  const own = changedInput(fields, result);
  if (parts === undefined || partResults.length === 0)
    return {
      verdict: result.verdict,
      toolInput: own,
      toolResponse: result.toolResponse,
      lost: [],
    };
  const verdict = verdictOf(result, partResults, parts);
  const inputs = partResults.map((one, place) => changedInput(parts.calls[place]!, one));
  const isChanged = inputs.some((input) => input !== null);
  const together = isChanged && own === null ? parts.inputWith(inputs) : undefined;
  const isLost = isChanged && !together && verdict.decision !== 'deny' && !verdict.stop;
  const responses = [result, ...partResults]
    .map((one) => one.toolResponse)
    .filter((one) => one !== undefined);
  const toolResponse = responses.at(-1);
  return {
    verdict,
    toolInput: together ?? own,
    toolResponse,
    lost: [
      ...(isLost ? [`other arguments of ${namesOf(parts, inputs)}`] : []),
      ...(responses.some((one) => !isDeepStrictEqual(one, toolResponse))
        ? ['all replaced results except the last']
        : []),
    ],
  };
}

const namesOf = ({ calls }: CallParts, inputs: readonly (Fields | null)[]): string => {
  const changed = calls.filter((_, place) => inputs[place]);
  return [
    ...new Set(changed.map((fields) => ('tool_name' in fields ? fields.tool_name : ''))),
  ].join(' and ');
};

function changedInput(fields: object, result: AggregatedHookResult): Fields | null {
  const now = finalInput(fields, result);
  return now && isDeepStrictEqual(now, (fields as Fields)['tool_input']) ? null : now;
}

function verdictOf(
  { verdict: own }: AggregatedHookResult,
  partResults: readonly AggregatedHookResult[],
  { note }: CallParts,
): Verdict {
  // Approving one file does not approve the others.
  const isApproved = note === undefined && partResults.every(({ verdict }) => verdict.approved);
  const parts = partResults.map(({ verdict }) => {
    const { decision, reason, approved, ...rest } = { ...verdict, changes: {} };
    const counts = decision !== 'allow' || isApproved;
    return counts
      ? { ...rest, ...defined<Partial<Verdict>>({ decision, reason, approved }) }
      : rest;
  });
  const lanes = reportedOnce([own, ...parts]).map((verdict) => ({ verdict, answers: [] }));
  return mergeLanes(lanes, {});
}

/** A hook that matches several calls may say the same about each. */
function reportedOnce(verdicts: readonly Verdict[]): readonly Verdict[] {
  const seen = new Set<string>();
  const first = (kind: string | undefined, text: string | undefined): string | undefined => {
    const key = `${kind}: ${text}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    return text;
  };
  return verdicts.map((verdict) =>
    defined<Verdict>({
      ...verdict,
      reason: first(verdict.decision, verdict.reason),
      stopReason: first('stop', verdict.stopReason),
      context: first('context', verdict.context),
      message: first('message', verdict.message),
    }),
  );
}
