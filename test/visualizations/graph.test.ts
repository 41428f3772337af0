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
  test('has one edge between two states, with every way as a condition', () => {
    expect(conditions('asking', 'over')).toEqual([
      ['done [isLate]', 'error', 'after patience (5 s)', 'after budget'],
    ]);
  });

  test('says "else" where a guard was asked before', () => {
    expect(conditions('asking', 'working')).toEqual([['done [else]']]);
  });

  test('names the guards of eventless edges', () => {
    expect(conditions('working.right.one', 'working.right.two')).toEqual([['[not(isEmpty)]']]);
  });

  test('says which actor ends where none is named', () => {
    expect(conditions('working.left.one', 'working.left.two')).toEqual([['worker ends']]);
  });

  test('keeps what the author said about an edge', () => {
    const edge = edges.find(({ from }) => from === 'example.asking');
    expect(edge?.conditions[1]).toEqual({ text: 'error', description: 'It could not be asked.' });
  });

  test('knows the edges that lead from wherever in a state to one inside it', () => {
    expect(edges.filter(({ inward }) => inward)).toMatchObject([
      { from: 'example', to: 'example.over', conditions: [{ text: 'cancel' }] },
    ]);
  });

  test('lists in a state what does not leave it', () => {
    expect(find('asking')?.heeds.map(({ text }) => text)).toEqual(['tick', 'again']);
  });

  test('shows invoked actors where they are invoked and spawned ones where they are waited for', () => {
    expect(find('asking')?.actors).toEqual(['fetch']);
    expect(find('left')?.states[0]?.actors).toEqual(['worker (spawned)']);
  });

  test('starts in one state, or in all that are parallel', () => {
    expect(root.starts).toEqual(['example.asking']);
    expect(find('working')?.starts).toEqual(['example.working.left', 'example.working.right']);
  });
});
