import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { conditionOf, isWildcard } from './condition.ts';
import { type Ending, endingOf, usualWays } from './meaning.ts';
import { actorName, nodesOf, transitionsOf } from './walk.ts';

/** A reason why a transition is taken, with its author's description. */
export interface Condition {
  readonly text: string;
  readonly description: string | undefined;
}

export interface DrawnState {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly kind: 'machine' | 'compound' | 'atomic' | 'final';
  /** The meaning of a final state, if it is known. */
  readonly ending: Ending | undefined;
  /** The actors that live in this state. */
  readonly actors: readonly string[];
  /** The events that the state handles without being left. */
  readonly heeds: readonly Condition[];
  /** The child that it starts in; all of them if they are parallel. */
  readonly starts: readonly string[];
  readonly states: readonly DrawnState[];
}

/** All transitions from one state to another. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  /** It leads from anywhere in a state to one of the states inside it. */
  readonly inward: boolean;
  /** The meaning of the final state that it leads to. */
  readonly ending: Ending | undefined;
  /** Whether an undisturbed run takes it. */
  readonly isUsual: boolean;
  readonly conditions: readonly Condition[];
}

export interface Graph {
  readonly root: DrawnState;
  readonly edges: readonly DrawnEdge[];
}

/** Returns a state and all states inside it. */
export const withInner = (state: DrawnState): DrawnState[] => [
  state,
  ...state.states.flatMap(withInner),
];

/**
 * Describes a machine as nested states with edges between them, in words that need no knowledge of XState.
 */
export function graphOf(machine: AnyStateMachine): Graph {
  const spawned = spawnedBy(machine);
  const edges = new Map<string, DrawnEdge & { conditions: Condition[] }>();

  const draw = (node: AnyStateNode): DrawnState => {
    const heeds: Condition[] = [];
    for (const transition of transitionsOf(node)) {
      const text = conditionOf(transition, machine, spawned);
      const condition = { text, description: transition.description };
      const targets = (transition.target ?? []).filter((target) => target !== node);
      if (targets.length === 0) heeds.push(condition);
      for (const target of targets) {
        const key = `${node.id} ${target.id}`;
        const edge = edges.get(key) ?? {
          from: node.id,
          to: target.id,
          inward: isInside(target, node),
          ending: meaningOf(target),
          isUsual: false,
          conditions: [],
        };
        edges.set(key, edge);
        if (text !== '') edge.conditions.push(condition);
      }
    }
    return {
      id: node.id,
      name: node.key,
      description: node.description,
      kind: kindOf(node),
      ending: meaningOf(node),
      actors: actorsIn(node, spawned),
      heeds,
      starts: startsOf(node),
      states: Object.values(node.states).map(draw),
    };
  };

  const root = draw(machine.root);
  const drawn = [...edges.values()];
  const usual = usualAmong(drawn, machine.id);
  return { root, edges: drawn.map((edge) => ({ ...edge, isUsual: usual.has(edge) })) };
}

/** Finds the edges along the usual path; if several match a step, the one between the innermost states. */
function usualAmong(edges: readonly DrawnEdge[], machine: string): ReadonlySet<DrawnEdge> {
  const way = (usualWays[machine] ?? []).map((state) => `${machine}.${state}`);
  const nearness = ({ from, to }: DrawnEdge): number => from.length + to.length;
  return new Set(
    way.slice(1).flatMap((to, index) =>
      edges
        .filter((edge) => isWithin(way[index]!, edge.from) && isWithin(to, edge.to))
        .toSorted((a, b) => nearness(b) - nearness(a))
        .slice(0, 1),
    ),
  );
}

/** Compares two states by their ids. */
export const isWithin = (state: string, outer: string): boolean =>
  state === outer || state.startsWith(`${outer}.`);

const meaningOf = (node: AnyStateNode): Ending | undefined =>
  kindOf(node) === 'final' ? endingOf(node.key) : undefined;

const isInside = ({ parent }: AnyStateNode, node: AnyStateNode): boolean =>
  parent !== undefined && (parent === node || isInside(parent, node));

function kindOf({ parent, states, type }: AnyStateNode): DrawnState['kind'] {
  if (!parent) return 'machine';
  if (Object.keys(states).length > 0) return 'compound';
  return type === 'final' ? 'final' : 'atomic';
}

/** An actor that no state invokes can only be spawned, by an action that does not say so. */
function spawnedBy(machine: AnyStateMachine): string[] {
  const invoked = new Set(nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ src }) => src)));
  return Object.keys(machine.implementations.actors).filter((name) => !invoked.has(name));
}

/** Spawned actors are shown in the state that waits for their end. */
function actorsIn(node: AnyStateNode, spawned: readonly string[]): string[] {
  const awaitsSpawned = [...node.transitions.keys()].some(isWildcard);
  return [
    ...node.invoke.map(({ src }) => actorName(src)),
    ...(awaitsSpawned ? spawned.map((name) => `${name} (spawned)`) : []),
  ];
}

function startsOf({ type, initial, states }: AnyStateNode): string[] {
  if (type === 'parallel') return Object.values(states).map(({ id }) => id);
  return type === 'compound' ? initial.target.map(({ id }) => id) : [];
}
