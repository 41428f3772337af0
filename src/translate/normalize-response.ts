import { isDeepStrictEqual } from 'node:util';
import { defined } from '../protocol/defined.ts';
import type { LLMCandidate, LLMResponse } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { isFinishReason, readRatings, readUsage, readNumber, readText } from './fields.ts';
import { ignored } from '../protocol/notes.ts';
import { joined, textOf, textsOf } from './text.ts';

/**
 * Makes a hook's `llm_response` a valid part of a response; without a usable field there is no
 * `response`. What does not fit is left out, with a note for the hook's author; null counts as absent.
 *
 * `text` and candidates that differ cannot both count. With `given`, the response that the hook was
 * told of, the one that it changed does, and `text` where it changed both; else what the candidates
 * say does (C-73).
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

/** Whether a hook's response says what the one does that it was given, text for text. */
export const repeatsResponse = (value: unknown, given: unknown): boolean =>
  isRecord(value) && isRecord(given) && isDeepStrictEqual(textsSaid(value), textsSaid(given));

/** What each candidate of a response says; a text alone is that of the only one. */
function textsSaid(value: unknown): string[] {
  const { candidates, text } = normalizeHookLLMResponse(value).response ?? {};
  return candidates?.map(saidBy) ?? (text === undefined ? [] : [text]);
}

const saidBy = ({ content }: LLMCandidate): string => joined(content.parts);

const textOfFirst = (candidates: readonly LLMCandidate[] | undefined): string | undefined =>
  candidates?.[0] && saidBy(candidates[0]);

type Said = Pick<Partial<LLMResponse>, 'text' | 'candidates'>;

function withoutContradiction(
  text: string,
  candidates: readonly LLMCandidate[],
  given: unknown,
  notes: string[],
): Said {
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
      'llm_response.text and llm_response.candidates were both changed and differ: "text" counts',
    );
  else if (candidates.length > 1)
    notes.push(
      `llm_response.text was changed and the ${candidates.length} candidates were not: "text" took the place of them all`,
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

/** The texts of a content: a text, or an object with a list of parts. */
function readParts(content: unknown, path: string, notes: string[]): string[] | undefined {
  const parts = isRecord(content) ? (content['parts'] ?? undefined) : content;
  if (typeof parts === 'string') return textsOf(parts);
  if (!Array.isArray(parts)) return undefined;
  if (parts.some((part) => textOf(part) === undefined))
    notes.push(`${path} has parts without text, which were left out: hooks can only change text`);
  return textsOf(parts);
}
