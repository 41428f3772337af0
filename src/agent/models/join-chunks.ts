import { defined } from '../../base/json.ts';
import type { GenAICandidate, GenAIResponse } from '../../core/translate/genai-types.ts';
import { joined, textsOf } from '../../core/translate/turns.ts';
import { ModelError } from './model-error.ts';
import { brokenOff } from './model-failure.ts';
import type { ModelPart } from '../../core/translate/model.ts';

/** Joins the chunks of a stream into one response; an incomplete stream is an error. */
export function joinChunks(chunks: readonly GenAIResponse[], model: string): GenAIResponse {
  const candidates = new Map<number, GenAICandidate>();
  for (const chunk of chunks)
    for (const candidate of chunk.candidates ?? []) {
      const index = candidate.index ?? 0;
      candidates.set(index, joinCandidate(candidates.get(index), { ...candidate, index }));
    }
  const blocked = last(chunks.map(({ promptFeedback }: Feedback) => promptFeedback))?.blockReason;
  if (candidates.size === 0 && blocked !== undefined)
    throw new ModelError(`${model}: the provider refused the prompt (${blocked})`);
  const whole = [...candidates.entries()]
    .toSorted(([left], [right]) => left - right)
    .map(([, candidate]) => candidate);
  if (whole.length === 0 || !whole.every(({ finishReason }) => isFinal(finishReason)))
    throw brokenOff(model);
  if (whole.some(({ finishReason }) => finishReason === 'MALFORMED_FUNCTION_CALL'))
    throw new ModelError(`${model}: the model wrote a tool call that cannot be read; try again`, {
      retryable: true,
    });
  return defined<GenAIResponse>({
    text: joined(textsOf(whole[0]?.content?.parts ?? [])),
    candidates: whole,
    usageMetadata: last(chunks.map(({ usageMetadata }) => usageMetadata)),
    responseId: last(chunks.map(({ responseId }) => responseId)),
    modelVersion: last(chunks.map(({ modelVersion }) => modelVersion)),
    createTime: last(chunks.map(({ createTime }) => createTime)),
  });
}

interface Feedback extends GenAIResponse {
  readonly promptFeedback?: { readonly blockReason?: string };
}

const last = <T>(values: readonly T[]): T | undefined =>
  values.findLast((value) => value !== undefined && value !== null);

const isFinal = (reason: string | undefined): boolean =>
  reason !== undefined && reason !== 'FINISH_REASON_UNSPECIFIED';

function joinCandidate(before: GenAICandidate | undefined, after: GenAICandidate): GenAICandidate {
  const parts = (after.content?.parts ?? []).reduce<ModelPart[]>(
    addPart,
    before?.content?.parts ?? [],
  );
  return { ...before, ...defined(after), content: { role: 'model', parts } };
}

function addPart(parts: ModelPart[], part: ModelPart): ModelPart[] {
  const before = parts.at(-1);
  if (isPlainText(part) && part.text === '') return parts;
  if (before === undefined || !isPlainText(before) || !isPlainText(part)) return [...parts, part];
  if ((before.thought ?? false) !== (part.thought ?? false)) return [...parts, part];
  return [...parts.slice(0, -1), { ...before, text: `${before.text}${part.text}` }];
}

/**
 * Whether a part is text only. A text with a signature stays separate, because the signature covers exactly
 * that text.
 */
const isPlainText = (part: ModelPart): boolean =>
  part.text !== undefined &&
  Object.entries(part).every(
    ([key, value]) => key === 'text' || key === 'thought' || value === undefined,
  );
