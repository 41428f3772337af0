import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drawings } from '../../visualizations/drawings.ts';

const folder = new URL('../../visualizations/', import.meta.url);
const committed = readdirSync(folder).filter((file) => /\.(svg|mmd|json)$/.test(file));
const drawn = await drawings();

describe('the drawings in visualizations/', () => {
  test('are those of the machines, no more and no fewer: `npm run draw` draws, `rm` removes', () => {
    expect(committed.toSorted()).toEqual([...drawn.keys()].toSorted());
  });

  test.each([...drawn])('%s is up to date', (file, content) => {
    const kept = readFileSync(new URL(file, folder), 'utf8');
    expect(kept === content, `${file} shows an older machine: redraw with \`npm run draw\``).toBe(
      true,
    );
  });

  test('are the same when drawn again', async () => {
    expect(await drawings()).toEqual(drawn);
  });
});
