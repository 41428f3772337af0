import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { conditionOf, isWildcard } from './condition.ts';
import { actorName, nodesOf, transitionsOf } from './walk.ts';

/** Why a transition is taken, with what its author said about it. */
export interface Condition {
  readonly text: string;
  readonly description: string | undefined;
}

export interface DrawnState {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly kind: 'machine' | 'compound' | 'atomic' | 'final';
  /** The actors that live in this state. */
  readonly actors: readonly string[];
  /** What the state answers without leaving itself. */
  readonly heeds: readonly Condition[];
  /** The child it starts in; all of them when they are parallel. */
  readonly starts: readonly string[];
  readonly states: readonly DrawnState[];
}

/** All ways from one state to another. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  /** It leads from wherever in a state to one of the states inside it. */
  readonly inward: boolean;
  readonly conditions: readonly Condition[];
}

export interface Graph {
  readonly root: DrawnState;
  readonly edges: readonly DrawnEdge[];
}

/** A machine as states within states and edges between them, in words that need no XState. */
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
        const ends = { from: node.id, to: target.id, inward: isInside(target, node) };
        const edge = edges.get(key) ?? { ...ends, conditions: [] };
        edges.set(key, edge);
        if (text !== '') edge.conditions.push(condition);
      }
    }
    return {
      id: node.id,
      name: node.key,
      description: node.description,
      kind: kindOf(node),
      actors: actorsIn(node, spawned),
      heeds,
      starts: startsOf(node),
      states: Object.values(node.states).map(draw),
    };
  };

  return { root: draw(machine.root), edges: [...edges.values()] };
}

const isInside = ({ parent }: AnyStateNode, node: AnyStateNode): boolean =>
  parent !== undefined && (parent === node || isInside(parent, node));

function kindOf({ parent, states, type }: AnyStateNode): DrawnState['kind'] {
  if (!parent) return 'machine';
  if (Object.keys(states).length > 0) return 'compound';
  return type === 'final' ? 'final' : 'atomic';
}

/** An actor that no state invokes can only be spawned, inside an action that says nothing of it. */
function spawnedBy(machine: AnyStateMachine): string[] {
  const invoked = new Set(nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ src }) => src)));
  return Object.keys(machine.implementations.actors).filter((name) => !invoked.has(name));
}

/** Spawned actors live where their endings are waited for. */
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
