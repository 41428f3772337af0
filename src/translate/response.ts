import { defined } from '../protocol/defined.ts';
import type { LLMCandidate, LLMFinishReason, LLMResponse } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { isFinishReason, readNumber, readRatings, readUsage } from './fields.ts';
import type { GenAICandidate, GenAIContent, GenAIPart, GenAIResponse } from './genai-types.ts';
import { normalizeHookLLMResponse } from './normalize-response.ts';
import { joined, textsOf } from './text.ts';

/**
 * The response that hooks see: the texts of each candidate, without the model's thoughts (HOOK-073,
 * 077, C-72). `text` is the first candidate's whole text, '' when it has none.
 */
export function toHookLLMResponse(response: GenAIResponse): LLMResponse {
  const candidates = candidatesOf(response).map(toHookCandidate);
  const usageMetadata = readUsage(
    isRecord(response) ? response['usageMetadata'] : undefined,
    'usageMetadata',
    [],
  );
  return {
    text: joined(candidates[0]?.content.parts ?? []),
    candidates,
    ...(usageMetadata && { usageMetadata }),
  };
}

/**
 * A plain response with a hook's text (HOOK-046, 047, 079). Only texts come back from a hook: of a
 * candidate whose text changed, the base's function calls stay behind the new text, and all else that
 * is no text goes (C-86). One whose text is as it was keeps its content (as in C-75).
 *
 * `text` alone makes one candidate that ended with STOP; beside candidates it is not read (C-73).
 * Neither of them leaves the base's candidates as they are.
 *
 * @example
 * fromHookLLMResponse({ text: 'From the cache' }).candidates;
 * // [{ content: { role: 'model', parts: [{ text: 'From the cache' }] }, finishReason: 'STOP' }]
 */
export const fromHookLLMResponse = (
  hookResponse: Partial<LLMResponse>,
  baseResponse?: GenAIResponse,
): GenAIResponse => rebuild(hookResponse, baseResponse, true);

/** The same, where the hook blocked or stops: a candidate whose text changed loses its function calls. */
export const fromFinalResponse = (
  hookResponse: Partial<LLMResponse>,
  baseResponse?: GenAIResponse,
): GenAIResponse => rebuild(hookResponse, baseResponse, false);

function rebuild(
  hookResponse: Partial<LLMResponse>,
  baseResponse: GenAIResponse | undefined,
  keepsCalls: boolean,
): GenAIResponse {
  const hook = normalizeHookLLMResponse(hookResponse).response ?? {};
  const base: Partial<GenAIResponse> = isRecord(baseResponse) ? baseResponse : {};
  const before = candidatesOf(base);
  const said = hook.candidates ?? (hook.text === undefined ? undefined : [saying(hook.text)]);
  // A response without candidates is shown as an empty text, which says nothing when it comes back.
  const isEcho = isRecord(baseResponse) && before.length === 0 && said?.every(isSilent);
  // No candidate at all says nothing, and takes no call away.
  const isMute = keepsCalls && said?.length === 0 && before.some(({ content }) => hasCall(content));
  const wanted = isEcho ? undefined : isMute ? [saying('')] : said;
  const candidates =
    wanted?.map((candidate, position) =>
      toCandidate(
        candidate,
        before.find(({ index }, place) => (index ?? place) === (candidate.index ?? position)),
        keepsCalls,
      ),
    ) ?? before;
  const usageMetadata = { ...base.usageMetadata, ...hook.usageMetadata };
  return defined<GenAIResponse>({
    text: joined(textsOf(candidates[0]?.content?.parts ?? [])),
    candidates,
    usageMetadata: Object.keys(usageMetadata).length > 0 ? usageMetadata : undefined,
    responseId: base.responseId,
    modelVersion: base.modelVersion,
    createTime: base.createTime,
  });
}

/** A response's candidates, without what is none. */
export const candidatesOf = (response: unknown): GenAICandidate[] => {
  const candidates = isRecord(response) ? response['candidates'] : undefined;
  return Array.isArray(candidates) ? candidates.filter(isRecord) : [];
};

const isSilent = ({ content }: LLMCandidate): boolean => joined(content.parts) === '';

const saying = (text: string): LLMCandidate => ({
  content: { role: 'model', parts: textsOf(text) },
  finishReason: 'STOP',
});

function toHookCandidate(candidate: GenAICandidate): LLMCandidate {
  return defined<LLMCandidate>({
    content: { role: 'model', parts: textsOf(candidate.content?.parts ?? []) },
    finishReason: toHookFinishReason(candidate.finishReason),
    index: readNumber(candidate.index, 'index', []),
    safetyRatings: readRatings(candidate.safetyRatings, 'safetyRatings', []),
  });
}

const toHookFinishReason = (reason: unknown): LLMFinishReason | undefined =>
  reason === undefined || reason === null ? undefined : isFinishReason(reason) ? reason : 'OTHER';

/** The function calls of a content, whole: a signature beside one belongs to it. */
const callsOf = (content: GenAIContent | undefined): GenAIPart[] =>
  Array.isArray(content?.parts)
    ? content.parts.filter((part) => isRecord(part) && isRecord(part.functionCall))
    : [];

const hasCall = (content: GenAIContent | undefined): boolean => callsOf(content).length > 0;

function toCandidate(
  candidate: LLMCandidate,
  base: GenAICandidate = {},
  keepsCalls: boolean,
): GenAICandidate {
  const { parts } = candidate.content;
  const isUnchanged = joined(textsOf(base.content?.parts ?? [])) === joined(parts);
  // A reason that hooks do not know came to them as OTHER; it comes back as what it was.
  const isSameReason =
    candidate.finishReason === undefined ||
    candidate.finishReason === toHookFinishReason(base.finishReason);
  return defined<GenAICandidate>({
    content:
      isUnchanged && base.content
        ? base.content
        : {
            role: 'model',
            parts: [
              ...parts.map((text) => ({ text })),
              ...(keepsCalls ? callsOf(base.content) : []),
            ],
          },
    finishReason: (isSameReason ? base.finishReason : candidate.finishReason) ?? 'STOP',
    index: candidate.index ?? base.index,
    safetyRatings: candidate.safetyRatings?.map((rating) => ({ ...rating })) ?? base.safetyRatings,
  });
}
