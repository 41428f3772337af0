import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where a declaration names another module by its place. */
const reference = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)\.[jt]s["']/g;

/**
 * Removes the declarations that none of the package's entries leads to: nobody can import their modules, and
 * they are half of the files that tsc writes.
 *
 * @param root where `package.json` is
 * @param folder what holds the declarations, as `dist`
 */
export function keepPublicTypes(root: string, folder: string): void {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  const kept = new Set<string>();
  const waiting = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' || entry.types === undefined ? [] : [resolve(root, entry.types)],
  );
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (kept.has(file) || !existsSync(file)) continue;
    kept.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(reference))
      waiting.push(resolve(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = resolve(root, folder, name);
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}
