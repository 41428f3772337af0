import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the page on dialects shows the interface exactly as it is', () => {
  const page = readFileSync('docs/dialects.md', 'utf8');
  const source = readFileSync('src/core/dialects/dialect.ts', 'utf8');
  const [, shown = ''] = /```ts\n([^]*?)\n```/.exec(page) ?? [];
  expect(shown).toContain('export interface Dialect');
  expect(source).toContain(shown);
});
