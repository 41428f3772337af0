import { dirname, join } from 'node:path';
import type { Disk } from './disk.ts';

/** Where to record what an interpreter would load. */
export interface Loading {
  readonly disk: Disk;
  readonly scripts: Set<string>;
  readonly manifests: Set<string>;
  lost(what: string): void;
}

const extensions = ['.js', '.json', '.node'];

/**
 * Records the files that node may load for a module's path: the path itself, the path with an extension, the
 * `main` of a folder's manifest, or its index; and the manifest that decides how a `.js` file is read.
 */
export function loadedByNode(to: Loading, paths: readonly string[]): void {
  for (const path of paths) {
    const file = findModule(to, path, 0);
    if (file === undefined || /\.[mc][jt]s$/.test(file)) continue;
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const manifest = join(folder, 'package.json');
      if (to.disk.isInProject(manifest)) to.manifests.add(manifest);
      if (to.disk.isFile(manifest) || folder === dirname(folder)) break;
    }
  }
}

function findModule(to: Loading, path: string, depth: number): string | undefined {
  const first = [path, ...extensions.map((extension) => path + extension)];
  const file = firstOf(to, first);
  if (file !== undefined || depth > 1) return file;
  const manifest = join(path, 'package.json');
  to.manifests.add(manifest);
  const main = mainOf(to.disk.read(manifest));
  const named = main === undefined ? undefined : findModule(to, join(path, main), depth + 1);
  return (
    named ??
    firstOf(
      to,
      extensions.map((extension) => join(path, `index${extension}`)),
    )
  );
}

/**
 * Records the paths up to the first that exists: node would prefer the earlier ones, so they must stay
 * absent.
 */
function firstOf(to: Loading, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    to.scripts.add(path);
    if (to.disk.isFile(path)) return path;
  }
  return undefined;
}

function mainOf(text: string | undefined): string | undefined {
  try {
    const { main } = JSON.parse(text ?? '') as { main?: unknown };
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}

/** Records what other interpreters may load: the script as it is named, or a program in a folder. */
export function loadedByOthers(to: Loading, paths: readonly string[]): void {
  for (const path of paths) {
    for (const candidate of ['.py', '.rb', '/__init__.py', '/__main__.py'])
      if (to.disk.isFile(path + candidate)) to.scripts.add(path + candidate);
  }
}
