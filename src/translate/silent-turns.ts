import { hasFunctionPart, isBound } from './function-pairs.ts';
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
