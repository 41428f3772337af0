import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recipe } from './recipe.ts';

const names = readdirSync(new URL('../fixtures/recipes/settings/', import.meta.url)).map((file) =>
  file.replace(/\.json$/, ''),
);

test('every printed configuration, with comments and one switch at the top, is read without a warning (C-01, C-16)', async () => {
  for (const name of names) {
    const { config, warnings } = recipe({ fixture: name }).session();
    const system = config.getHookSystem();
    await system?.initialize();
    expect([name, warnings]).toEqual([name, []]);
    expect(system?.getStatus().totalHooks).toBeGreaterThan(0);
  }
});
