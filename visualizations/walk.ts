import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** Every state of a machine, the machine's own root first. */
export function nodesOf(machine: AnyStateMachine): AnyStateNode[] {
  const withStates = (node: AnyStateNode): AnyStateNode[] => [
    node,
    ...Object.values(node.states).flatMap(withStates),
  ];
  return withStates(machine.root);
}

/** Everything that may happen in a state: events, endings of actors, delays and eventless transitions. */
export const transitionsOf = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** An actor by the name it is provided under. */
export const actorName = (src: unknown): string => (typeof src === 'string' ? src : 'actor');
