import { expect, test } from 'vitest';
import { graphOf, isWithin, withInner } from '../../visualizations/graph.ts';
import { drawLot } from '../../visualizations/layout.ts';
import { machines } from '../../visualizations/machines.ts';
import { usualWays } from '../../visualizations/meaning.ts';
import { mermaidOf } from '../../visualizations/mermaid.ts';
import { svgOf } from '../../visualizations/svg.ts';

const ours = [...(await machines()).values()].map(
  (machine) => [machine.id, graphOf(machine)] as const,
);

test('every machine has a usual path', () => {
  expect(Object.keys(usualWays).toSorted()).toEqual(ours.map(([id]) => id).toSorted());
});

test.each(ours)('every final state of %s has a meaning', (_, { root }) => {
  const finals = withInner(root).filter(({ kind }) => kind === 'final');
  expect(finals.filter(({ ending }) => ending === undefined)).toEqual([]);
});

test.each(ours)(
  'the usual path of %s leads without gaps from its start to a successful end',
  (id, { root, edges }) => {
    const way = usualWays[id]!.map((state) => `${id}.${state}`);
    const usual = edges.filter(({ isUsual }) => isUsual);
    const gaps = way.slice(1).filter((to, index) => {
      const from = way[index]!;
      return !usual.some((edge) => isWithin(from, edge.from) && isWithin(to, edge.to));
    });
    expect(gaps).toEqual([]);
    expect(root.starts.some((start) => isWithin(way[0]!, start))).toBe(true);
    expect(withInner(root).find((state) => state.id === way.at(-1))?.ending).toBe('well');
    expect(usual.every(({ ending }) => ending === undefined || ending === 'well')).toBe(true);
  },
);

test('final states and the edges to them have the colour of their meaning, and the usual path is bold', async () => {
  const [, graph] = ours.find(([id]) => id === 'toolCall')!;
  const svg = svgOf(await drawLot(graph, 1));
  expect(svg).toContain('<g class="state final ends-denied" data-state="toolCall.blocked">');
  expect(svg).toContain(
    '<path class="edge ends-denied" data-from="toolCall.judgingBefore" data-to="toolCall.blocked"',
  );
  expect(svg).toContain(
    '<path class="edge usual" data-from="toolCall.judgingAfter" data-to="toolCall.done"',
  );
  const lines = mermaidOf(graph).split('\n');
  expect(lines).toContain('  class toolCall_blocked denied');
  expect(lines).toContain('  classDef denied stroke:#cf2f46,stroke-width:3px');
});
