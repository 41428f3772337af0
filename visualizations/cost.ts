import type { Layout, PlacedEdge, Point } from './placed.ts';

/** The width that a README leaves for a picture, in px. A wider one is scaled down, including its text. */
const PAGE_WIDTH = 830;

/** The room that an edge needs on either side: half an arrowhead. */
const HALF_HEAD = 4;

/** A piece between two turns that is shorter than this looks like a slip of the pen. */
const WOBBLE = 14;

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** One straight piece of an edge. */
interface Piece extends Box {
  readonly edge: PlacedEdge['edge'];
  readonly isLevel: boolean;
  readonly length: number;
}

/** How hard a layout is to read; of several layouts, the one with the lowest cost is drawn. */
export function costOf({ width, height, states, edges }: Layout): number {
  const pieces = edges.flatMap(piecesOf);
  const labels = edges.flatMap(({ edge, label }) => (label ? [{ ...label, edge }] : []));
  const leaves = states.filter(({ state }) => state.states.length === 0);

  const hidden = count(labels, pieces, (label, piece) => {
    return label.edge !== piece.edge && overlap(label, widened(piece, HALF_HEAD));
  });
  const pierced = count(leaves, pieces, (leaf, { edge, ...piece }) => {
    const isEnd = edge.from === leaf.state.id || edge.to === leaf.state.id;
    return !isEnd && overlap(leaf, widened(piece, HALF_HEAD));
  });
  const merged = count(pieces, pieces, (one, other) => {
    const alike = one.edge !== other.edge && one.isLevel === other.isLevel;
    return alike && overlap(widened(one, 2), widened(other, 2));
  });
  const crossings = count(pieces, pieces, (one, other) => {
    return one.edge !== other.edge && one.isLevel && !other.isLevel && overlap(one, other);
  });
  const wobbles = pieces.filter((piece) => piece.length < WOBBLE).length;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);

  return (
    10_000 * (hidden + pierced + merged) +
    20 * Math.max(0, width - PAGE_WIDTH) +
    200 * wobbles +
    120 * crossings +
    30 * pieces.length +
    length +
    height
  );
}

const piecesOf = ({ edge, points }: PlacedEdge): Piece[] =>
  points.slice(1).map((to, index) => {
    const from = points[index]!;
    const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
    const corner = { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y) };
    return { ...corner, width, height, edge, isLevel: width > height, length: width + height };
  });

const widened = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

const count = <A, B>(many: readonly A[], others: readonly B[], match: (a: A, b: B) => boolean) =>
  many.reduce((sum, one) => sum + others.filter((other) => match(one, other)).length, 0);

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
