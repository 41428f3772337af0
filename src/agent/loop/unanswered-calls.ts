import type { GenAIContent, GenAIPart } from '../../core/translate/genai-types.ts';
import { joined, textsOf } from '../../core/translate/turns.ts';
import { toolCallsOf } from './chat-history.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';

/** The end of a conversation whose last model message has calls that are not all answered. */
interface OpenEnd {
  readonly calls: readonly ToolCallRequest[];
  /** The message with the results so far. */
  readonly results: GenAIContent | undefined;
}

function openEnd(history: readonly GenAIContent[]): OpenEnd | undefined {
  const last = history.at(-1);
  const results = last?.parts?.some(isResult) === true ? last : undefined;
  const asking = results === undefined ? last : history.at(-2);
  const calls = asking?.role === 'model' ? toolCallsOf(asking) : [];
  return calls.length === 0 ? undefined : { calls, results };
}

/** The calls of the conversation's last answer that have no result in it yet. */
export function unansweredCalls(history: readonly GenAIContent[]): readonly ToolCallRequest[] {
  const end = openEnd(history);
  const answered = new Set(
    end?.results?.parts?.map(({ functionResponse }) => functionResponse?.id),
  );
  return end?.calls.filter(({ id }) => !answered.has(id)) ?? [];
}

/**
 * Adds a message with results to the conversation, or merges it into the results of the same answer, in the
 * order asked.
 */
export function addResults(history: GenAIContent[], message: GenAIContent): void {
  const end = openEnd(history);
  if (end?.results === undefined) return void history.push(message);
  const order = end.calls.map(({ id }) => id);
  const groups = grouped([...(end.results.parts ?? []), ...(message.parts ?? [])]);
  const parts = groups
    .toSorted((one, other) => order.indexOf(idOf(one)) - order.indexOf(idOf(other)))
    .flat();
  history.splice(-1, 1, { ...end.results, parts });
}

const isResult = (part: GenAIPart): boolean => part.functionResponse !== undefined;

/** A result, and the parts that belong to it. */
function grouped(parts: readonly GenAIPart[]): GenAIPart[][] {
  const groups: GenAIPart[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || isResult(part)) groups.push([part]);
    else last.push(part);
  }
  return groups;
}

const idOf = ([result]: readonly GenAIPart[]): string => result?.functionResponse?.id ?? '';

/** The user's last message as text. */
export const promptOf = (history: readonly GenAIContent[]): string =>
  joined(
    textsOf(
      history.findLast(({ role, parts }) => role === 'user' && !parts?.some(isResult))?.parts ?? [],
    ),
  );
