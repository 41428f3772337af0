import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../visualizations/', import.meta.url);
const tsx = import.meta.resolve('tsx');
const committed = readdirSync(folder).filter((file) => /\.(svg|mmd|json)$/.test(file));

/**
 * Drawings do not depend on who makes them, where or when: these are made in another folder, language and
 * time zone.
 */
const elsewhere = await execa(process.execPath, ['--import', tsx, '--input-type=module'], {
  input: `import { existsSync, readFileSync } from 'node:fs';
    import { drawings } from '${folder.href}drawings.ts';
    const last = (file) => {
      const path = new URL(file, '${folder.href}');
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    };
    console.log(JSON.stringify([...(await drawings(last))]));`,
  cwd: tmpdir(),
  env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
});
const drawn = new Map(JSON.parse(elsewhere.stdout) as [string, string][]);

describe('the drawings in visualizations/', () => {
  test('every machine has its drawings in visualizations/, and no others are there: `npm run draw` makes them, `rm` removes them', () => {
    expect(committed.toSorted()).toEqual([...drawn.keys()].toSorted());
  });

  test.each([...drawn])('the drawing %s is up to date', (file, content) => {
    const kept = readFileSync(new URL(file, folder), 'utf8');
    expect(kept === content, `${file} shows an older machine: redraw with \`npm run draw\``).toBe(
      true,
    );
  });
});
