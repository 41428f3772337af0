import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { drawings } from '../../visualizations/drawings.ts';

const folder = new URL('../../visualizations/', import.meta.url);
const tsx = import.meta.resolve('tsx');
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

  test('are the same whoever draws them, where and when', async () => {
    const elsewhere = await execa(process.execPath, ['--import', tsx, '--input-type=module'], {
      input: `import { drawings } from '${folder.href}drawings.ts';
        console.log(JSON.stringify([...(await drawings())]));`,
      cwd: tmpdir(),
      env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    });
    expect(new Map(JSON.parse(elsewhere.stdout))).toEqual(drawn);
  }, 60_000);
});
