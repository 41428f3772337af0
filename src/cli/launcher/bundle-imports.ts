import { isBuiltin } from 'node:module';
import { init, parse } from 'es-module-lexer';
import type { Metafile } from 'esbuild';

/*
 * What a bundle may still load when it runs. V8 forgets which file stored code belongs to, so that code can
 * import nothing (Node 20 says "A dynamic import callback was not specified"), and it has no `import.meta`.
 */

await init;

/** Has `load(…)` called wherever a script says `import(…)`, whatever it imports. */
export function importByLoad(script: string): string {
  const loading = replaceImports(script);
  const [left] = parse(loading)[0];
  if (left !== undefined)
    throw new Error(`the bundle says "${loading.slice(left.ss, left.se)}", which cannot run there`);
  return loading;
}

function replaceImports(script: string): string {
  let loading = '';
  let done = 0;
  const calls = parse(script)[0].filter(({ d }) => d >= 0);
  for (const { ss, d } of calls.toSorted((one, other) => one.ss - other.ss)) {
    loading += `${script.slice(done, ss)}load`;
    done = d;
  }
  return loading + script.slice(done);
}

/**
 * Fails if a bundle requires a package. Node can be told not to `require` ES modules, and warns that it does:
 * a package is bundled, or imported when it is needed.
 */
export function assertRequiresNothing({ outputs }: Metafile): void {
  for (const { imports } of Object.values(outputs))
    for (const { path, kind } of imports)
      if (kind !== 'dynamic-import' && !isBuiltin(path))
        throw new Error(`the bundle requires "${path}": name it among the bundled packages`);
}
