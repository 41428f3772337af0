import { describe, expect, test } from 'vitest';
import { type DrawnState, graphOf } from '../../visualizations/graph.ts';
import { exampleMachine } from './example.ts';

const { root, edges } = graphOf(exampleMachine);

const conditions = (from: string, to: string) =>
  edges
    .filter((edge) => edge.from === `example.${from}` && edge.to === `example.${to}`)
    .map((edge) => edge.conditions.map(({ text }) => text));

const find = (name: string, { states }: DrawnState = root): DrawnState | undefined =>
  states.find((state) => state.name === name) ??
  states.flatMap((state) => find(name, state) ?? [])[0];

describe('a graph', () => {
  test('a graph has one edge between two states, with every transition as a condition', () => {
    expect(conditions('asking', 'over')).toEqual([
      ['done [isLate]', 'error', 'after patience (5 s)', 'after budget'],
    ]);
  });

  test('a graph shows "else" for a transition after a guarded one', () => {
    expect(conditions('asking', 'working')).toEqual([['done [else]']]);
  });

  test('a graph shows the guards of eventless edges', () => {
    expect(conditions('working.right.one', 'working.right.two')).toEqual([['[not(isEmpty)]']]);
  });

  test('a graph names the actor that ends if the transition names none', () => {
    expect(conditions('working.left.one', 'working.left.two')).toEqual([['worker ends']]);
  });

  test('a graph keeps the description of an edge', () => {
    const edge = edges.find(({ from }) => from === 'example.asking');
    expect(edge?.conditions[1]).toEqual({ text: 'error', description: 'It could not be asked.' });
  });

  test('a graph marks the edges that lead from anywhere in a state to a state inside it', () => {
    expect(edges.filter(({ inward }) => inward)).toMatchObject([
      { from: 'example', to: 'example.over', conditions: [{ text: 'cancel' }] },
    ]);
  });

  test('a graph lists in a state the events that do not leave it', () => {
    expect(find('asking')?.heeds.map(({ text }) => text)).toEqual(['tick', 'again']);
  });

  test('a graph shows invoked actors where they are invoked, and spawned ones where their end is awaited', () => {
    expect(find('asking')?.actors).toEqual(['fetch']);
    expect(find('left')?.states[0]?.actors).toEqual(['worker (spawned)']);
  });

  test('a graph starts in one state, or in all parallel ones', () => {
    expect(root.starts).toEqual(['example.asking']);
    expect(find('working')?.starts).toEqual(['example.working.left', 'example.working.right']);
  });
});
