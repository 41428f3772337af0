import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rulesTable } from './rules-table.ts';

const plain = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

test('docs/guards.md lists every rule, with a command that it catches and one that it lets through', () => {
  const docs = readFileSync(new URL('../../docs/guards.md', import.meta.url), 'utf8');
  expect(plain(docs)).toContain(plain(rulesTable()));
});
