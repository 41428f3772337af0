import { isRecord } from '../protocol/output.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';

const partsOf = ({ parts }: GenAIContent): GenAIPart[] =>
  Array.isArray(parts) ? parts.filter(isRecord) : [];

const isCall = (part: GenAIPart): boolean => isRecord(part.functionCall);
const isResponse = (part: GenAIPart): boolean => isRecord(part.functionResponse);

const hasCall = (content: GenAIContent): boolean => partsOf(content).some(isCall);
const hasResponse = (content: GenAIContent): boolean => partsOf(content).some(isResponse);

/** Whether a content holds a function call or the response to one. */
export const hasFunctionPart = (content: GenAIContent): boolean =>
  hasCall(content) || hasResponse(content);

/** Whether the second content must follow the first at once: a response its call, one of several calls the others. */
export const isBound = (first: GenAIContent, second: GenAIContent): boolean =>
  hasResponse(second) ? hasFunctionPart(first) : hasCall(first) && hasCall(second);

/** The calls without a response right behind them, and the responses without a call right before them. */
export function unpairedParts(contents: readonly GenAIContent[]): Set<GenAIPart> {
  const unpaired = new Set<GenAIPart>();
  let open = new Set<GenAIPart>();
  for (const content of contents) {
    if (!hasFunctionPart(content)) {
      for (const call of open) unpaired.add(call);
      open = new Set();
    }
    for (const response of partsOf(content).filter(isResponse)) {
      const call = [...open].find((candidate) => answers(response, candidate));
      if (call === undefined) unpaired.add(response);
      else open.delete(call);
    }
    for (const call of partsOf(content).filter(isCall)) open.add(call);
  }
  for (const call of open) unpaired.add(call);
  return unpaired;
}

/** The contents without some of their parts; a content with nothing left to say goes as well. */
export function withoutParts(
  contents: readonly GenAIContent[],
  unwanted: ReadonlySet<GenAIPart>,
): GenAIContent[] {
  return contents.flatMap((content) => {
    const parts = partsOf(content);
    const rest = parts.filter((part) => !unwanted.has(part));
    if (rest.length === parts.length) return [content];
    return rest.some(({ thought }) => thought !== true) ? [{ ...content, parts: rest }] : [];
  });
}

/** By id where both have one, as parallel calls of one function need it; else by name. */
function answers({ functionResponse }: GenAIPart, { functionCall }: GenAIPart): boolean {
  if (functionResponse?.id !== undefined && functionCall?.id !== undefined)
    return functionResponse.id === functionCall.id;
  return functionResponse?.name === functionCall?.name;
}
