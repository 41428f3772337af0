import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** The folder of `src/` that a file is in; a file in `src/` itself counts as a folder. */
const folderOf = (file: string): string => relative(source, file).split('/', 1)[0]!;

/** The folders that the files of each folder import, types included, each with the file that imports it. */
function readImports(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = join(source, name);
    const own = folderOf(file);
    const imports = found.get(own) ?? new Map<string, string>();
    found.set(own, imports);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g,
    )) {
      const target = folderOf(join(dirname(file), path));
      if (target !== own) imports.set(target, name);
    }
  }
  return found;
}

test('imports never lead from a folder back to itself, types included', () => {
  const imports = readImports();
  expect(imports.get('agent')?.has('hooks')).toBe(true);
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (folder: string, path: readonly string[]): void => {
    const from = path.indexOf(folder);
    if (from !== -1) circles.push([...path.slice(from), folder].join(' → '));
    if (from !== -1 || done.has(folder)) return;
    for (const next of imports.get(folder)?.keys() ?? []) walk(next, [...path, folder]);
    done.add(folder);
  };
  for (const folder of imports.keys()) walk(folder, []);
  expect(circles).toEqual([]);
});
