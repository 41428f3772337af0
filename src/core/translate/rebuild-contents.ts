import type { LLMMessage } from '../protocol/llm.ts';
import { isRecord } from '../../base/json.ts';
import type { GenAIContent, GenAIPart } from './genai-types.ts';
import { toContent, toTurns, type Turn } from './turns.ts';

/**
 * Returns the contents that a hook's messages stand for, in the hook's order; undefined if
 * the hook changed nothing.
 *
 * - A message that the hook left alone keeps its original content, with images, calls and responses. An
 *   edited or new one is text only.
 * - Contents without text follow the message before them; see `placeSilentTurns`.
 * - A call and its response stay or go together, because providers reject either alone. So
 *   editing a message that holds a call removes its response too, and a message put between
 *   a call and its response moves in front of the call.
 */
export function rebuildContents(
  base: unknown,
  messages: readonly LLMMessage[],
): GenAIContent[] | undefined {
  const turns = toTurns(base);
  const { kept, edited } = matchTurns(turns, messages);
  const shown = turns.filter(({ text }) => text !== '').length;
  if (kept.size === messages.length && kept.size === shown) return undefined;

  const staying = new Set([...kept.values(), ...edited.values()]);
  const silent = placeSilentTurns(turns, (turn) => staying.has(turn));
  const original = (turn: number): Piece => ({ turn, content: turns[turn]!.content });
  const pieces: Piece[] = silent.first.map(original);
  for (const [index, message] of messages.entries()) {
    const turn = kept.get(index) ?? edited.get(index);
    const written = { turn, content: toContent(message) };
    if (turn === undefined) pieces.push(written);
    else
      pieces.push(
        ...(silent.before.get(turn) ?? []).map(original),
        kept.has(index) ? original(turn) : written,
        ...(silent.after.get(turn) ?? []).map(original),
      );
  }

  const contents = keepBoundTogether(pieces);
  const torn = unpairedParts(contents);
  // Parts that were already unpaired are not the hook's doing.
  for (const part of unpairedParts(turns.map(({ content }) => content))) torn.delete(part);
  return withoutParts(contents, torn);
}

interface Piece {
  /** Absent for a new message. */
  readonly turn: number | undefined;
  readonly content: GenAIContent;
}

/** Moves new contents from between a call and its response to the front of the call. */
function keepBoundTogether(pieces: readonly Piece[]): GenAIContent[] {
  const placed: GenAIContent[] = [];
  let waiting: GenAIContent[] = [];
  let last: Piece | undefined;
  let chainStart = 0;
  for (const piece of pieces) {
    if (piece.turn === undefined) {
      waiting.push(piece.content);
      continue;
    }
    if (last?.turn === piece.turn - 1 && isBound(last.content, piece.content)) {
      placed.splice(chainStart, 0, ...waiting);
      chainStart += waiting.length;
    } else {
      placed.push(...waiting);
      chainStart = placed.length;
    }
    placed.push(piece.content);
    last = piece;
    waiting = [];
  }
  return [...placed, ...waiting];
}

/** The silent turns that stay, by the turn next to which they stay. */
interface SilentTurns {
  /** Those of a conversation in which hooks see nothing. */
  readonly first: readonly number[];
  readonly before: ReadonlyMap<number, readonly number[]>;
  readonly after: ReadonlyMap<number, readonly number[]>;
}

/**
 * Places the turns without text, which a hook cannot see and therefore cannot ask to keep.
 *
 * A call or response stays if both messages next to it do: a hook that removed either has cut into that
 * exchange. One that is bound to a call or response in a message follows only that message. Anything
 * else, such as an image, stays if either neighbour does.
 */
function placeSilentTurns(turns: readonly Turn[], stays: (turn: number) => boolean): SilentTurns {
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

/** Returns, for every turn, the nearest one with text in one direction. */
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

/** Whether the second content must directly follow the first: a response its call, or parallel calls. */
const isBound = (first: GenAIContent, second: GenAIContent): boolean =>
  hasResponse(second) ? hasFunctionPart(first) : hasCall(first) && hasCall(second);

/** Returns calls that no response directly follows, and responses that no call directly precedes. */
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

/** Removes parts from contents; a content with nothing left to say is removed as well. */
function withoutParts(
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

/** Matches by id if both have one, as parallel calls of one function need, else by name. */
function answers({ functionResponse }: GenAIPart, { functionCall }: GenAIPart): boolean {
  if (functionResponse?.id !== undefined && functionCall?.id !== undefined)
    return functionResponse.id === functionCall.id;
  return functionResponse?.name === functionCall?.name;
}

/** What a hook's messages did with a conversation's turns; both maps go from message to turn. */
interface Matches {
  /** Messages that a hook left unchanged. */
  readonly kept: ReadonlyMap<number, number>;
  /** Messages that replace a turn: same role, between the same neighbours, different text. */
  readonly edited: ReadonlyMap<number, number>;
}

/** Finds each message's turn. A message without a turn is new; a turn without a message was removed. */
function matchTurns(turns: readonly Turn[], messages: readonly LLMMessage[]): Matches {
  const shown = [...turns.keys()].filter((turn) => turns[turn]!.text !== '');
  const roles = shown.map((turn) => turns[turn]!.role);
  const texts = shown.map((turn) => `${turns[turn]!.role} ${turns[turn]!.text}`);
  const messageRoles = messages.map(({ role }) => role);
  const same = align(
    texts,
    messages.map(({ role, content }) => `${role} ${content}`),
  );

  const kept = new Map<number, number>();
  const edited = new Map<number, number>();
  let [turnStart, messageStart] = [0, 0];
  const ends: [number, number][] = [...same].toSorted(([one], [other]) => one - other);
  for (const [messageEnd, turnEnd] of [...ends, [messages.length, shown.length] as const]) {
    const gap = align(
      roles.slice(turnStart, turnEnd),
      messageRoles.slice(messageStart, messageEnd),
    );
    for (const [message, turn] of gap) edited.set(messageStart + message, shown[turnStart + turn]!);
    if (messageEnd < messages.length) kept.set(messageEnd, shown[turnEnd]!);
    [turnStart, messageStart] = [turnEnd + 1, messageEnd + 1];
  }
  return { kept, edited };
}

interface Link {
  readonly before: number;
  readonly after: number;
  readonly next: Link | undefined;
}

/**
 * Pairs the equal items of two lists without crossing: a longest common subsequence, by index in
 * `after`. Among equal items the later one is taken, because it is mostly the beginning of a
 * conversation that is cut.
 */
export function align(before: readonly string[], after: readonly string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (beforeEnd > 0 && afterEnd > 0 && before[beforeEnd - 1] === after[afterEnd - 1])
    pairs.set(--afterEnd, --beforeEnd);
  let start = 0;
  while (start < Math.min(beforeEnd, afterEnd) && before[start] === after[start]) {
    pairs.set(start, start);
    start += 1;
  }

  const places = new Map<string, number[]>();
  for (let index = start; index < beforeEnd; index++) {
    const known = places.get(before[index]!);
    if (known === undefined) places.set(before[index]!, [index]);
    else known.push(index);
  }
  // longest[n] starts the common tail of n + 1 items that starts last, so places decrease as n grows.
  const longest: Link[] = [];
  for (let index = afterEnd - 1; index >= start; index--)
    for (const place of places.get(after[index]!) ?? []) {
      const length = countAfter(longest, place);
      longest[length] = { before: place, after: index, next: longest[length - 1] };
    }
  for (let link = longest.at(-1); link; link = link.next) pairs.set(link.after, link.before);
  return pairs;
}

/** Returns how many links lie after a place; they are sorted, the last place first. */
function countAfter(links: readonly Link[], place: number): number {
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (links[middle]!.before > place) low = middle + 1;
    else high = middle;
  }
  return low;
}
