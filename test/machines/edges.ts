import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { guardName } from '../../visualizations/condition.ts';
import { actorName, nodesOf, transitionsOf } from '../../visualizations/walk.ts';

/** Everything that a picture of a machine shows, one item per line: equal lines mean equal pictures. */
export const edges = (machine: AnyStateMachine): string[] => nodesOf(machine).flatMap(edgesOf);

function edgesOf(node: AnyStateNode): string[] {
  const start = node.type === 'compound' ? [`starts in ${ids(node.initial.target)}`] : [];
  const invokes = node.invoke.map(({ id, src }) => `invokes ${actorName(src)} as ${id}`);
  const transitions = transitionsOf(node).map(
    ({ eventType, guard, target = [] }) =>
      `${eventType} [${guardName(guard) ?? ''}] → ${ids(target)}`,
  );
  const lines = [node.description ?? '', ...start, ...invokes, ...transitions];
  return lines.map((line) => `${node.id} (${node.type}): ${line}`);
}

const ids = (nodes: readonly { id: string }[]): string => nodes.map(({ id }) => id).join();
