import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** Returns every state of a machine, its root first. */
export function nodesOf(machine: AnyStateMachine): AnyStateNode[] {
  const withStates = (node: AnyStateNode): AnyStateNode[] => [
    node,
    ...Object.values(node.states).flatMap(withStates),
  ];
  return withStates(machine.root);
}

/**
 * Returns everything that may happen in a state: events, ends of actors, delays and eventless transitions.
 */
export const transitionsOf = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** The name under which an actor is provided. */
export const actorName = (src: unknown): string => (typeof src === 'string' ? src : 'actor');
