import { isDeepStrictEqual } from 'node:util';
import { ignored } from '../protocol/output.ts';
import type { LLMCandidate, LLMFinishReason, LLMResponse } from '../protocol/llm.ts';
import { isFinishReason, readNumber, readRatings, readText, readUsage } from './fields.ts';
import type { GenAICandidate, GenAIContent, GenAIPart, GenAIResponse } from './genai-types.ts';
import { joined, textOf, textsOf } from './turns.ts';
import { defined, isRecord } from '../../base/json.ts';

/**
 * Returns the response that hooks see: the texts of each candidate, without the model's thoughts. `text` is the first candidate's whole text, '' if it has none.
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
 * Returns a plain response with a hook's text. A hook only returns texts: in a
 * candidate whose text changed, the base's function calls stay, after the new text, and everything else
 * that is not text is dropped. One whose text did not change keeps its content.
 *
 * `text` alone makes one candidate that ended with STOP; next to candidates it is not read. If
 * both are absent, the base's candidates stay unchanged.
 *
 * @example
 * fromHookLLMResponse({ text: 'From the cache' }).candidates;
 * // [{ content: { role: 'model', parts: [{ text: 'From the cache' }] }, finishReason: 'STOP' }]
 */
export const fromHookLLMResponse = (
  hookResponse: Partial<LLMResponse>,
  baseResponse?: GenAIResponse,
): GenAIResponse => rebuild(hookResponse, baseResponse, true);

/** Applies the answer of a hook that blocks or stops: a candidate whose text changed loses its function calls. */
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
  // A response without candidates is shown as an empty text, which means nothing when it comes back.
  const isEcho = isRecord(baseResponse) && before.length === 0 && said?.every(isSilent);
  // An empty list of candidates says nothing, and does not remove any calls.
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

/** Returns a response's candidates, without items that are not candidates. */
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

/** Returns the whole parts with function calls: a signature next to a call belongs to it. */
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
  // A reason that hooks do not know was shown to them as OTHER; it is restored here.
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

/**
 * Turns a hook's `llm_response` into a valid part of a response; without a usable field there is no
 * `response`. Invalid values are left out, with a note for the hook's author; null counts as absent.
 *
 * `text` and candidates that differ cannot both count. With `given`, the response that the hook
 * received, the one that it changed counts, and `text` if it changed both; without it, the candidates
 * count.
 *
 * @example
 * normalizeHookLLMResponse({ text: 'Hi', usageMetadata: 3 });
 * // { response: { text: 'Hi' },
 * //   notes: ['llm_response.usageMetadata is 3 and was ignored: it must be an object'] }
 */
export function normalizeHookLLMResponse(
  value: unknown,
  given?: unknown,
): {
  response?: Partial<LLMResponse>;
  notes: string[];
} {
  const notes: string[] = [];
  if (value === undefined || value === null) return { notes };
  if (!isRecord(value)) {
    notes.push(ignored('llm_response', value, 'an object'));
    return { notes };
  }
  const text = readText(value['text'], 'llm_response.text', notes);
  const candidates = readCandidates(value['candidates'], notes);
  const response = defined<Partial<LLMResponse>>({
    ...(text !== undefined && candidates !== undefined
      ? withoutContradiction(text, candidates, given, notes)
      : { text: text ?? textOfFirst(candidates), candidates }),
    usageMetadata: readUsage(value['usageMetadata'], 'llm_response.usageMetadata', notes),
  });
  return Object.keys(response).length > 0 ? { response, notes } : { notes };
}

/** Whether a hook's response says the same as the one that it received, text for text. */
export const repeatsResponse = (value: unknown, given: unknown): boolean =>
  isRecord(value) && isRecord(given) && isDeepStrictEqual(textsSaid(value), textsSaid(given));

/** Returns what each candidate of a response says; a text alone is that of a single candidate. */
function textsSaid(value: unknown): string[] {
  const { candidates, text } = normalizeHookLLMResponse(value).response ?? {};
  return candidates?.map(saidBy) ?? (text === undefined ? [] : [text]);
}

const saidBy = ({ content }: LLMCandidate): string => joined(content.parts);

const textOfFirst = (candidates: readonly LLMCandidate[] | undefined): string | undefined =>
  candidates?.[0] && saidBy(candidates[0]);

type EventOutcome = Pick<Partial<LLMResponse>, 'text' | 'candidates'>;

function withoutContradiction(
  text: string,
  candidates: readonly LLMCandidate[],
  given: unknown,
  notes: string[],
): EventOutcome {
  const said = textOfFirst(candidates);
  if (said === text) return { text, candidates };
  if (given === undefined) {
    if (said === undefined) return { text };
    notes.push('llm_response.text was ignored: it differs from the candidates, which win');
    return { text: said, candidates };
  }
  const before = isRecord(given) ? given['text'] : undefined;
  const isTextChanged = text !== before;
  const areCandidatesChanged = !isDeepStrictEqual(candidates.map(saidBy), textsSaid(given));
  if (!isTextChanged && (said !== undefined || areCandidatesChanged))
    return { text: said ?? '', candidates };
  if (said === undefined) return { text };
  if (areCandidatesChanged)
    notes.push(
      'llm_response.text and llm_response.candidates were both changed and differ: "text" wins',
    );
  else if (candidates.length > 1)
    notes.push(
      `llm_response.text was changed and the ${candidates.length} candidates were not: "text" replaced them all`,
    );
  const content = { role: 'model', parts: textsOf(text) } as const;
  return { text, candidates: [{ ...candidates[0]!, content }] };
}

function readCandidates(value: unknown, notes: string[]): LLMCandidate[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    notes.push(ignored('llm_response.candidates', value, 'a list of candidates'));
    return undefined;
  }
  const candidates = value
    .map((candidate, index) => readCandidate(candidate, `llm_response.candidates[${index}]`, notes))
    .filter((candidate) => candidate !== undefined);
  return candidates.length === 0 && value.length > 0 ? undefined : candidates;
}

function readCandidate(value: unknown, path: string, notes: string[]): LLMCandidate | undefined {
  const parts = isRecord(value) ? readParts(value['content'], `${path}.content`, notes) : undefined;
  if (!isRecord(value) || parts === undefined) {
    notes.push(ignored(path, value, '{ content: { role: "model", parts: [text] } }'));
    return undefined;
  }
  const { finishReason, index, safetyRatings } = value;
  const isKnown = isFinishReason(finishReason);
  if (!isKnown && finishReason !== undefined && finishReason !== null)
    notes.push(
      ignored(
        `${path}.finishReason`,
        finishReason,
        'exactly STOP, MAX_TOKENS, SAFETY, RECITATION or OTHER',
      ),
    );
  return defined<LLMCandidate>({
    content: { role: 'model', parts },
    finishReason: isKnown ? finishReason : undefined,
    index: readNumber(index, `${path}.index`, notes),
    safetyRatings: readRatings(safetyRatings, `${path}.safetyRatings`, notes),
  });
}

/** Returns the texts of a content, which may be a text or an object with a list of parts. */
function readParts(content: unknown, path: string, notes: string[]): string[] | undefined {
  const parts = isRecord(content) ? (content['parts'] ?? undefined) : content;
  if (typeof parts === 'string') return textsOf(parts);
  if (!Array.isArray(parts)) return undefined;
  if (parts.some((part) => textOf(part) === undefined))
    notes.push(`${path} has parts without text, which were dropped: hooks can only change text`);
  return textsOf(parts);
}

/** The text of a response that is meant for the user, without thoughts. */
export const textOfResponse = (response: GenAIResponse): string =>
  joined(textsOf(partsOf(response)));

/** The parts of a response's first candidate. */
export function partsOf(response: GenAIResponse): GenAIPart[] {
  const parts = candidatesOf(response)[0]?.content?.parts;
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}
