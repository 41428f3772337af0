import { describe, expect, test } from 'vitest';
import { graphOf } from '../../visualizations/graph.ts';
import { drawLot } from '../../visualizations/layout.ts';
import { svgOf } from '../../visualizations/svg.ts';
import { nodesOf } from '../../visualizations/walk.ts';
import { exampleMachine } from './example.ts';

const graph = graphOf(exampleMachine);
const svg = svgOf(await drawLot(graph, 1));

describe('an SVG', () => {
  test('an SVG has a group for every state, which can be found by its id', () => {
    const groups = [...svg.matchAll(/<g class="state [a-z]+" data-state="(.+?)">/g)];
    const ids = nodesOf(exampleMachine).map(({ id }) => id);
    expect(groups.map(([, id]) => id)).toEqual(ids);
  });

  test('an SVG has a path for every edge, which can be found by its two ends', () => {
    const paths = [...svg.matchAll(/<path class="edge" data-from="(.+?)" data-to="(.+?)" d="M/g)];
    const drawn = paths.map(([, from, to]) => `${from} → ${to}`);
    expect(new Set(drawn)).toEqual(new Set(graph.edges.map(({ from, to }) => `${from} → ${to}`)));
    expect(drawn).toHaveLength(graph.edges.length);
  });

  test('an SVG doubles the border of final states only', () => {
    expect(svg.match(/class="rim"/g)).toHaveLength(svg.match(/class="state final"/g)!.length);
  });

  test('an SVG shows descriptions as tooltips', () => {
    expect(svg).toContain('<title>Waits for the answer.</title>');
    expect(svg).toContain('<title>It could not be asked.</title>');
    expect(svg).toContain('<title>Only noted.</title>');
  });

  test('an SVG escapes the texts of an author', () => {
    const about = 'One of &quot;each&quot; kind, &lt;drawn&gt; &amp; tested.';
    expect(svg).toContain(`aria-label="${about}"`);
    expect(svg).toContain(`<title>${about}</title>`);
  });

  test('an SVG does not affect the rest of a page: it has no ids, and every style rule is limited to it', () => {
    expect(svg).not.toMatch(/ id=/);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(svg) ?? [];
    const rules = style.replace(/@media .*? \{(.*)\}/s, '$1');
    const selectors = [...rules.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) =>
      list.split(','),
    );
    expect(selectors.filter((selector) => !selector.trim().startsWith('.statechart'))).toEqual([]);
  });
});
