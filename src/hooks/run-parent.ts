import { createActor, fromTransition, type AnyActorRef } from 'xstate';

/** How many runs share a parent. */
const runsOfParent = 64;

/** It is told how each run under it ends, and makes nothing of it. */
const listening = fromTransition(() => undefined, undefined);

let parent: AnyActorRef | undefined;
let runs = 0;

/**
 * The actor for an unwatched run to live under. A root of its own would bring a whole system of actors
 * with it, a fifth of the memory of a tool call under way. It is another one from time to time: a system
 * keeps its running actors alive, even one that nothing is left to end.
 */
export function runParent(): AnyActorRef {
  if (parent === undefined || runs === runsOfParent) {
    parent = createActor(listening).start();
    runs = 0;
  }
  runs++;
  return parent;
}
