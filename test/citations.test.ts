import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const id = /\b[CGS]-\d{2,3}\b/g;

/** Each file that may cite a decision. */
const files = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['src', 'machines', 'test', 'docs', 'scripts', 'faults', 'fuzz', 'load', 'bench'].flatMap(
    (folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:ts|js|md)$/.test(name) && !name.includes('node_modules'))
        .map((name) => `${folder}/${name}`),
  ),
];

test('every decision that code, tests and docs cite has a numbered entry in docs/decisions.md', () => {
  const numbered = new Set(
    read('docs/decisions.md')
      .split('\n')
      .flatMap((line) => /^- \*\*([^*]*)\*\*/.exec(line)?.[1]?.match(id) ?? []),
  );
  const unknown = files.flatMap((file) =>
    (read(file).match(id) ?? [])
      .filter((cited) => !numbered.has(cited))
      .map((cited) => `${file}: ${cited}`),
  );
  expect([...new Set(unknown)]).toEqual([]);
});
