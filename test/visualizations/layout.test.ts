import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { costOf } from '../../visualizations/cost.ts';
import { lotOf } from '../../visualizations/drawings.ts';
import { graphOf } from '../../visualizations/graph.ts';
import { drawLot, layoutOf, LOTS } from '../../visualizations/layout.ts';
import type { Layout, PlacedState, Point } from '../../visualizations/placed.ts';
import { machines } from '../../visualizations/machines.ts';
import { exampleMachine } from './example.ts';

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Made once, because it is the best of many. */
const example = layoutOf(graphOf(exampleMachine));

/**
 * The layout in which a machine is drawn, made with the lot that its drawing names. For the example, the best
 * lot is determined.
 */
function shown(name: string, machine: AnyStateMachine): Promise<Layout> {
  if (machine === exampleMachine) return example;
  const svg = new URL(`../../visualizations/${name}.svg`, import.meta.url);
  return drawLot(graphOf(machine), lotOf(readFileSync(svg, 'utf8')));
}

test('the lot that is drawn is the best of all', async () => {
  const graph = graphOf(exampleMachine);
  const costs: number[] = [];
  for (let lot = 1; lot <= LOTS; lot++) costs.push(costOf(await drawLot(graph, lot)));
  const { lot } = await example;
  expect(lot).toBe(costs.indexOf(Math.min(...costs)) + 1);
  expect(new Set(costs).size).toBeGreaterThan(1);
});

describe.each([['the example', exampleMachine] as const, ...(await machines())])(
  'the layout of %s',
  async (ofMachine, machine) => {
    const { width, height, states, edges } = await shown(ofMachine, machine);
    const boxes = new Map(states.map((placed) => [placed.state.id, placed]));
    const labels = edges.flatMap(({ edge, label }) =>
      label ? [{ ...label, name: `${edge.from} → ${edge.to}` }] : [],
    );
    const captions = states.flatMap(({ state, caption, x, y }) =>
      caption.pieces.map((piece) => ({ ...piece, x: x + piece.x, y: y + piece.y, name: state.id })),
    );

    test('the layout keeps every label clear of all other text', () => {
      const texts = [...labels, ...captions];
      const clashes = labels.flatMap((label) =>
        texts.filter((text) => text !== label && overlap(text, label)).map(({ name }) => name),
      );
      expect(clashes).toEqual([]);
    });

    test('the layout keeps every label clear of states that it could hide', () => {
      const leaves = states.filter(({ state }) => state.states.length === 0);
      const hidden = leaves.filter((leaf) => labels.some((label) => overlap(leaf, label)));
      expect(hidden.map(({ state }) => state.id)).toEqual([]);
    });

    test('the layout gives every text enough room in its state', () => {
      const cramped = captions.filter((text) => !contains(boxes.get(text.name)!, text));
      expect(cramped).toEqual([]);
    });

    test('the layout puts every state inside the one that it belongs to, and all of them on the page', () => {
      for (const { state, ...box } of states) {
        expect(contains({ x: 0, y: 0, width, height }, box)).toBe(true);
        for (const child of state.states) expect(contains(box, boxes.get(child.id)!)).toBe(true);
      }
    });

    test('the layout lets every edge begin and end at the border of its states', () => {
      for (const { edge, points } of edges) {
        if (!edge.inward) expect(onRim(boxes.get(edge.from)!, points[0]!)).toBe(true);
        expect(onRim(boxes.get(edge.to)!, points.at(-1)!)).toBe(true);
      }
    });

    test('the layout puts every label on its edge', () => {
      for (const { points, label } of edges) {
        const middle = label && label.x + label.width / 2;
        if (middle) expect(points.some(({ x }) => Math.abs(x - middle) < 1)).toBe(true);
      }
    });

    test('the layout lets no two edges meet a state in the same place', () => {
      const ends = edges.flatMap(({ points }) => [points[0]!, points.at(-1)!]);
      const met = ends.filter((end) =>
        ends.some(({ x, y }) => x !== end.x && near(y, end.y) && Math.abs(x - end.x) < 8),
      );
      expect(met).toEqual([]);
    });
  },
);

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const contains = (outer: Box, { x, y, width, height }: Box): boolean =>
  x >= outer.x &&
  y >= outer.y &&
  x + width <= outer.x + outer.width &&
  y + height <= outer.y + outer.height;

const onRim = ({ x, y, width, height }: PlacedState, point: Point): boolean => {
  const across = point.x > x - 0.5 && point.x < x + width + 0.5;
  return across && (near(point.y, y) || near(point.y, y + height));
};

const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.5;
