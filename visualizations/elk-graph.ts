import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js';
import { captionOf } from './caption.ts';
import type { DrawnEdge, DrawnState, Graph } from './graph.ts';
import { labelOf } from './label.ts';

export const DOT_RADIUS = 5;

/** Downwards, so that a machine fits a page: across, every edge would be as long as its label. */
const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '14',
};

/** The usual path is the backbone of a drawing. */
const usual = {
  'elk.layered.priority.direction': '10',
  'elk.layered.priority.shortness': '10',
  'elk.layered.priority.straightness': '10',
};

/** Makes the graph that ELK lays out. A state keeps its id, and an edge has its `edgeId`. */
export const elkGraphOf = ({ root, edges }: Graph, seed: number): ElkNode => ({
  id: 'page',
  layoutOptions: {
    ...options,
    'elk.padding': '[top=0,left=0,bottom=0,right=0]',
    'elk.randomSeed': String(seed),
  },
  children: [nodeOf(root, edges)],
  edges: edges.map(lineOf),
});

export const edgeId = ({ from, to }: DrawnEdge): string => `${from} → ${to}`;

function nodeOf(state: DrawnState, edges: readonly DrawnEdge[]): ElkNode {
  const { width, height } = captionOf(state);
  if (state.states.length === 0) return { id: state.id, width, height };
  // ELK ignores the minimum size of a state whose children it lays out, so the children get padding instead.
  const widest = Math.max(...state.states.map((child) => captionOf(child).width));
  const right = Math.max(22, width - 22 - widest);
  const goesInward = edges.some(({ from, inward }) => inward && from === state.id);
  return {
    id: state.id,
    layoutOptions: {
      ...options,
      'elk.padding': `[top=${height + 12},left=22,bottom=22,right=${right}]`,
    },
    children: [
      ...state.starts.map((start) => circle(`dot ${start}`)),
      ...(goesInward ? [circle(`ring ${state.id}`)] : []),
      ...state.states.map((child) => nodeOf(child, edges)),
    ],
    edges: state.starts.map((start) => ({
      id: `start ${start}`,
      sources: [`dot ${start}`],
      targets: [start],
    })),
  };
}

function lineOf(edge: DrawnEdge): ElkExtendedEdge {
  const { lines, width, height } = labelOf(edge);
  // On its own edge, a label cannot be mistaken for that of another.
  const layoutOptions = { 'elk.edgeLabels.inline': 'true' };
  return {
    id: edgeId(edge),
    ...(edge.isUsual && { layoutOptions: usual }),
    sources: [edge.inward ? `ring ${edge.from}` : edge.from],
    targets: [edge.to],
    labels: lines.length > 0 ? [{ text: lines.join(' '), width, height, layoutOptions }] : [],
  };
}

const circle = (id: string): ElkNode => ({
  id,
  width: 2 * DOT_RADIUS,
  height: 2 * DOT_RADIUS,
});
