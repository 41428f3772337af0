import { join } from 'node:path';
import type { Following } from './following.ts';
import { literally, type ExpandedWord } from './expanded-word.ts';

const mostIncluded = 50;

/**
 * Follows the files that `make` and `just` read: files that they include, and the scripts that their recipes
 * certainly run.
 */
export function followRecipes(
  at: Following,
  manifests: readonly string[],
  folders: readonly string[],
  args: readonly ExpandedWord[],
): void {
  const named = args.flatMap((argument) => literally(argument) ?? []);
  const files = folders.flatMap((folder) => manifests.map((name) => join(folder, name)));
  const read = new Set([...files, ...named.flatMap((name) => at.places.pathsOf(name))]);
  // The set grows while files that include others are read.
  for (const file of read) {
    const text = at.places.disk.read(file);
    if (text === undefined || read.size > mostIncluded + files.length) continue;
    for (const name of includedIn(text)) {
      if (/[*?[]/.test(name)) at.findings.selects(name);
      else if (!name.includes('$')) at.findings.ruledBy([name], folders);
      for (const folder of folders) read.add(join(folder, name));
    }
    for (const target of fileTargets(text))
      if (named.includes(target)) at.findings.names(target, 'script');
    const code = recipesIn(text);
    at.findings.indirectly(() => at.code(code));
  }
}

const includedIn = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:-?s?include|import\??)\s+(.+)$/gm)].flatMap(([, names]) =>
    names!.replaceAll(/['"]|#.*/g, '').split(/\s+/).filter((name) => name !== ''),
  ); // prettier-ignore

/** Targets that are not phony: `make` does nothing for one if there is a file of its name. */
function fileTargets(text: string): readonly string[] {
  const phony = [...text.matchAll(/^\.PHONY\s*:(.*)$/gm)].flatMap(([, names]) =>
    names!.split(/\s+/),
  );
  return [...text.matchAll(/^([\w./-]+)\s*:(?!=)/gm)]
    .map(([, target]) => target!)
    .filter((target) => !phony.includes(target));
}

/** Returns the indented lines of a file as shell code, in which the file's own variables are unknown. */
const recipesIn = (text: string): string =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^(?:\t| {2,})\S/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^[@+-]+/, '')
        .replaceAll(/\$[({]\w+[)}]|\{\{[^}]*\}\}/g, '$_')
        .replaceAll('$$', '$'),
    )
    .join('\n');
