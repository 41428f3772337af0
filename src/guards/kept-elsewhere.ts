import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const mostRefs = 5_000;

/**
 * Whether the commits that branches are at have other names too: of other branches, of tags, or of branches of a
 * remote. Then they are not lost with the branches.
 */
export function areKeptElsewhere(top: string, branches: readonly string[]): boolean {
  const refs = refsOf(join(top, '.git'));
  const own = new Set(branches.map((branch) => `refs/heads/${branch}`));
  const kept = new Set([...refs].flatMap(([name, commit]) => (own.has(name) ? [] : [commit])));
  return [...own].every((name) => kept.has(refs.get(name) ?? ''));
}

/** The commits that names stand for, without starting git. */
function refsOf(folder: string): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const line of read(join(folder, 'packed-refs')).split('\n').slice(0, mostRefs)) {
    const [, commit, name] = /^([\da-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
    if (name !== undefined) refs.set(name, commit!);
  }
  for (const kind of ['heads', 'remotes', 'tags'])
    for (const file of filesBelow(join(folder, 'refs', kind)).slice(0, mostRefs))
      refs.set(relative(folder, file), read(file).trim());
  return refs;
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
