import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../visualizations/condition.ts';
import { graphOf } from '../../visualizations/graph.ts';
import { layoutOf } from '../../visualizations/layout.ts';
import { machines } from '../../visualizations/machines.ts';
import { svgOf } from '../../visualizations/svg.ts';
import { actorName, nodesOf, transitionsOf } from '../../visualizations/walk.ts';
import { type Box, contains, type DrawnLabel, drawnIn, overlap } from './drawn.ts';
import { exampleMachine } from './example.ts';

/** The committed drawing of one of our machines: other tests check that it is up to date. */
const kept = (machine: string): string =>
  readFileSync(new URL(`../../visualizations/${machine}.svg`, import.meta.url), 'utf8');

describe.each([['the example', exampleMachine] as const, ...(await machines())])(
  'the SVG of %s',
  async (ofMachine, machine) => {
    const isExample = machine === exampleMachine;
    const svg = isExample ? svgOf(await layoutOf(graphOf(machine))) : kept(ofMachine);
    const { canvas, states, lines, labels, heads } = drawnIn(svg);
    const nodes = nodesOf(machine);

    test('the drawing shows every state, at most one edge between two states, and most edges with a label', () => {
      expect(states.map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
      expect(repeated(lines.map(({ name }) => name))).toEqual([]);
      expect(labels.length).toBeGreaterThan(lines.length / 2);
      expect(heads.length).toBeGreaterThan(lines.length);
    });

    test('the drawing keeps every label on the canvas, and labels and arrowheads clear of each other', () => {
      const flaws = labels.flatMap((label, index) => [
        ...(contains(canvas, label) ? [] : [`${label.name} leaves the canvas`]),
        ...labels
          .slice(index + 1)
          .filter((other) => overlap(label, other))
          .map((other) => `${label.name} overlaps ${other.name}`),
        ...heads
          .filter((head) => overlap(label, head))
          .map(({ x, y }) => `${label.name} overlaps the arrow head at ${x}, ${y}`),
      ]);
      expect(flaws).toEqual([]);
    });

    test('the drawing keeps every label outside of states, or inside a state that it belongs to', () => {
      const flaws = labels.flatMap((label) =>
        states
          .filter((state) => overlap(state, label))
          .filter((state) => isLeaf(state.id) || !contains(state, label) || !owns(state.id, label))
          .map((state) => `${label.name} overlaps ${state.id}`),
      );
      expect(flaws).toEqual([]);
    });

    test('the drawing leads no edge under the label of another one, or through a state', () => {
      const flaws = lines.flatMap(({ name, from, to, pieces }) => {
        const strangers = [
          ...labels.filter((label) => label.name !== `label ${name}`),
          ...states
            .filter(({ id }) => isLeaf(id) && id !== from && id !== to)
            .map(({ id, ...box }) => ({ ...box, name: id })),
        ];
        return strangers
          .filter((stranger) => pieces.some((piece) => overlap(stranger, piece)))
          .map((stranger) => `${name} runs under ${stranger.name}`);
      });
      expect(flaws).toEqual([]);
    });

    test('the drawing leads no edge along another one', () => {
      const flaws = lines.flatMap((line, index) =>
        lines
          .slice(index + 1)
          .filter((other) => line.pieces.some((one) => other.pieces.some((two) => along(one, two))))
          .map((other) => `${line.name} runs along ${other.name}`),
      );
      expect(flaws).toEqual([]);
    });

    test('the drawing names every transition on its edge, or in its state if the transition stays there', () => {
      const missing = nodes.flatMap((node) =>
        transitionsOf(node).flatMap((transition) => {
          const said = conditionOf(transition, machine, spawned);
          const targets = (transition.target ?? []).filter((target) => target !== node);
          const reads =
            targets.length === 0
              ? inside(node.id).includes(`↻ ${said}<`)
              : targets.every((target) => saidFrom(node.id, target.id).includes(said));
          return reads || said === '' ? [] : [`${node.id}: ${transition.eventType} (${said})`];
        }),
      );
      expect(missing).toEqual([]);
    });

    const invoked = new Set(nodes.flatMap(({ invoke }) => invoke.map(({ src }) => src)));
    const spawned = Object.keys(machine.implementations.actors).filter((src) => !invoked.has(src));

    test('the drawing shows every actor in the state that invokes it', () => {
      for (const { id, invoke } of nodes)
        for (const { src } of invoke) expect(inside(id)).toContain(`>${actorName(src)}<`);
    });

    const inside = (id: string): string =>
      svg.split(`data-state="${id}">`)[1]?.split('</g>')[0] ?? '';

    const isLeaf = (id: string): boolean => !nodes.some(({ parent }) => parent?.id === id);

    const saidFrom = (from: string, to: string): string[] =>
      labels.filter((label) => label.from === from && label.to === to).flatMap(conditionsOf);
  },
);

/** The labels that a state owns are those inside it and those of edges to or from it. */
const owns = (id: string, { from, to }: DrawnLabel): boolean =>
  [from, to].some((end) => end === id || end.startsWith(`${id}.`));

/** If the last line is only a guard, it applies to all events of the line before. */
function conditionsOf({ lines }: DrawnLabel): readonly string[] {
  const [events = '', guard, ...more] = lines;
  if (!guard?.startsWith('[') || more.length > 0 || events.includes('[')) return lines;
  return events.split(', ').map((event) => `${event} ${guard}`);
}

/** Both are straight, on the same line, and over the same stretch. */
const along = (a: Box, b: Box): boolean =>
  overlap(thick(a, 1), thick(b, 1)) && isLevel(a) === isLevel(b);

const isLevel = ({ width, height }: Box): boolean => width > height;

const thick = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) < index);
