import { join } from 'node:path';
import type { Following } from './following.ts';
import { literally, type ExpandedWord } from './expanded-word.ts';
import { inTable } from '../../base/json.ts';

/** Returns the program that a package's name stands for: `prettier@3`, `@biomejs/biome`. */
export const programOfPackage = (name: string): string =>
  name.replace(/^@[^/]+\//, '').replace(/@.*$/, '');

/** Follows the scripts of `package.json` that a command line names, and those that run before and after. */
export function followScriptsOfPackage(
  at: Following,
  folders: readonly string[],
  args: readonly ExpandedWord[],
): void {
  const names = args.flatMap((argument) => literally(argument) ?? []);
  if (names.some((name) => name === 't' || name === 'tst')) names.push('test');
  for (const folder of folders) {
    const above = at.findings.foldersAbove(folder);
    const manifest = above
      .map((one) => join(one, 'package.json'))
      .find((file) => at.places.disk.isFile(file));
    const scripts = scriptsOf(manifest === undefined ? undefined : at.places.disk.read(manifest));
    const wanted = names.flatMap((name) => [`pre${name}`, name, `post${name}`]);
    for (const name of wanted) {
      const code = inTable(scripts, name);
      if (typeof code !== 'string') continue;
      at.findings.indirectly(() => at.code(code));
      for (const program of code.match(/[\w.@/-]+/g) ?? [])
        at.findings.ruledByExisting([`node_modules/.bin/${program}`], [folder]);
    }
  }
}

function scriptsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text ?? '') as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? { ...scripts } : {};
  } catch {
    return {};
  }
}
