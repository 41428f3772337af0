import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import { captionOf } from './caption.ts';
import { costOf } from './cost.ts';
import { edgeId, elkGraphOf } from './elk-graph.ts';
import { type Graph, withInner } from './graph.ts';
import { labelOf } from './label.ts';
import { straightened } from './straighten.ts';

import type { Layout, PlacedEdge, PlacedState, Point } from './placed.ts';

// The types describe this CommonJS module as a default export, but the module is its own `default`.
const Elk = elk.default;

/**
 * How many random layouts ELK makes: more of them give more good ones to choose from, but slow down
 * `npm run draw`.
 */
export const LOTS = 16;

/** Lays a graph out with every lot, and returns the best layout. */
export async function layoutOf(graph: Graph): Promise<Layout> {
  let best = await drawLot(graph, 1);
  for (let lot = 2; lot <= LOTS; lot++) {
    const next = await drawLot(graph, lot);
    if (costOf(next) < costOf(best)) best = next;
  }
  return best;
}

/**
 * Lays a graph out with one lot. The same graph and lot give the same layout everywhere, because no font is
 * measured.
 */
export async function drawLot(graph: Graph, lot: number): Promise<Layout> {
  const drawnStates = new Map(withInner(graph.root).map((state) => [state.id, state]));
  const drawnEdges = new Map(graph.edges.map((edge) => [edgeId(edge), edge]));
  const page = await new Elk().layout<ElkNode>(elkGraphOf(graph, lot));

  const origins = new Map<string, Point>();
  const states: PlacedState[] = [];
  const edges: PlacedEdge[] = [];
  const starts: (readonly Point[])[] = [];

  const place = (node: ElkNode, within: Point): void => {
    const { width = 0, height = 0 } = node;
    const origin = moved(node, within);
    origins.set(node.id, origin);
    const state = drawnStates.get(node.id);
    if (state) states.push({ ...origin, width, height, state, caption: captionOf(state) });
    for (const child of node.children ?? []) place(child, origin);
  };

  const route = (line: ElkExtendedEdge): void => {
    const origin = origins.get(line.container ?? page.id) ?? { x: 0, y: 0 };
    const points = pointsOf(line).map((point) => moved(point, origin));
    const edge = drawnEdges.get(line.id);
    if (!edge) return void starts.push(points);
    const [label] = line.labels ?? [];
    const placed = label && { ...labelOf(edge), ...moved(label, origin) };
    const labelX = placed && placed.x + placed.width / 2;
    edges.push({
      edge,
      points: edge.inward ? points : straightened(points, labelX),
      label: placed,
    });
  };

  const routeAll = (node: ElkNode): void => {
    node.edges?.forEach(route);
    node.children?.forEach(routeAll);
  };

  place(page, { x: 0, y: 0 });
  routeAll(page);
  return { lot, width: page.width ?? 0, height: page.height ?? 0, states, edges, starts };
}

const pointsOf = ({ sections = [] }: ElkExtendedEdge): Point[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]);

const moved = ({ x = 0, y = 0 }: Partial<Point>, by: Point): Point => ({
  x: x + by.x,
  y: y + by.y,
});
