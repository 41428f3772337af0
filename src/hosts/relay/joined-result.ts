import type { CallParts } from '../../core/dialects/dialect.ts';
import { viewOf } from '../../core/views/outputs.ts';
import { defined } from '../../base/json.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { callOutcome } from './call-outcome.ts';
import type { Fired, FiredEvent } from './run-hooks.ts';

/**
 * Merges the results of an event and of its parts into one; what cannot be applied to the whole is reported.
 */
export function joinedResult(
  fired: FiredEvent,
  { result, partResults = [], warn }: Fired,
  parts: CallParts,
): AggregatedHookResult {
  if (partResults.length === 0) return result;
  const outcome = callOutcome(fired, { result, partResults }, parts);
  const { verdict, toolInput, toolResponse, lost } = outcome;
  if (parts.note !== undefined) warn(parts.note);
  for (const wish of lost) warn(`this cannot be applied to the call as a whole: ${wish}`);
  const all = [result, ...partResults];
  const { finalOutput: _, toolInput: __, toolResponse: ___, ...own } = result;
  return {
    ...own,
    ...defined<Pick<AggregatedHookResult, 'finalOutput' | 'toolInput' | 'toolResponse'>>({
      finalOutput: viewOf(fired.event, verdict).finalOutput,
      toolInput: toolInput ?? undefined,
      toolResponse,
    }),
    plan: all.find(({ plan }) => plan !== null)?.plan ?? null,
    success: all.every(({ success }) => success),
    allOutputs: all.flatMap(({ allOutputs }) => allOutputs),
    errors: all.flatMap(({ errors }) => errors),
    results: all.flatMap(({ results }) => results),
    verdict,
    conflicts: all.flatMap(({ conflicts }) => conflicts),
  };
}
