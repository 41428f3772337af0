import { isRecord } from '../protocol/output.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';
import type { Turn } from './turns.ts';

/** The silent turns that stay, by the turn they stay beside. */
export interface SilentTurns {
  /** Those of a conversation that shows hooks nothing. */
  readonly first: readonly number[];
  readonly before: ReadonlyMap<number, readonly number[]>;
  readonly after: ReadonlyMap<number, readonly number[]>;
}

/**
 * Places the turns without text, which a hook cannot see and so cannot ask to keep.
 *
 * A call or response stays when both messages beside it do: a hook that cuts at either end of it has
 * cut into that exchange. One bound to a call or response in a message goes with that message alone.
 * Anything else, such as an image, stays when either neighbour does.
 */
export function placeSilentTurns(
  turns: readonly Turn[],
  stays: (turn: number) => boolean,
): SilentTurns {
  const [previousOf, nextOf] = [nearest(turns, -1), nearest(turns, 1)];
  const first: number[] = [];
  const before = new Map<number, number[]>();
  const after = new Map<number, number[]>();
  for (const [index, { content, text }] of turns.entries()) {
    if (text !== '') continue;
    const [previous, next] = [previousOf[index], nextOf[index]];
    const both = [previous, next].filter((found) => found !== undefined);
    const binding = both.filter(({ bound }) => bound);
    const deciding = binding.length > 0 ? binding : both;
    const survive = deciding.filter(({ turn }) => stays(turn)).length;
    if (survive < (hasFunctionPart(content) ? deciding.length : Math.min(deciding.length, 1)))
      continue;
    if (previous && stays(previous.turn)) add(after, previous.turn, index);
    else if (next && stays(next.turn)) add(before, next.turn, index);
    else first.push(index);
  }
  return { first, before, after };
}

interface Neighbour {
  readonly turn: number;
  /** Calls and responses bind the silent turn to it. */
  readonly bound: boolean;
}

/** For every turn the nearest one with text, in one direction. */
function nearest(turns: readonly Turn[], step: 1 | -1): (Neighbour | undefined)[] {
  const found: (Neighbour | undefined)[] = turns.map(() => undefined);
  for (let at = step === 1 ? turns.length - 2 : 1; turns[at] !== undefined; at -= step) {
    const [here, there] = [turns[at]!, turns[at + step]!];
    const beyond = there.text === '' ? found[at + step] : { turn: at + step, bound: true };
    const [first, second] = step === 1 ? [here, there] : [there, here];
    if (beyond !== undefined)
      found[at] = {
        turn: beyond.turn,
        bound: beyond.bound && isBound(first.content, second.content),
      };
  }
  return found;
}

function add(lists: Map<number, number[]>, key: number, turn: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [turn]);
  else list.push(turn);
}

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
