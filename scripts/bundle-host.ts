/**
 * Bundles programs of tests and tables into one file of JavaScript: a TypeScript loader takes longer to start
 * than most of what they show.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const cache = fileURLToPath(new URL('../node_modules/.cache/hookmachine/', import.meta.url));
const bundles = new Map<string, Promise<string>>();

/** Returns the bundle of a TypeScript program, built once per process and cached by its content. */
export function bundledHost(program: URL): Promise<string> {
  const file = fileURLToPath(program);
  const bundle = bundles.get(file) ?? bundleOf(file);
  bundles.set(file, bundle);
  return bundle;
}

async function bundleOf(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    plugins: [ownAddress, noVitest],
    logLevel: 'warning',
    write: false,
  });
  const [{ text, contents }] = outputFiles as [(typeof outputFiles)[0]];
  const id = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const kept = join(cache, `${basename(program, '.ts')}-${id}.mjs`);
  mkdirSync(cache, { recursive: true });
  // Several processes may build it at once: only a complete file is given its name.
  writeFileSync(`${kept}.${process.pid}`, contents);
  renameSync(`${kept}.${process.pid}`, kept);
  return kept;
}

/** Keeps `import.meta.url` as it was, so that a module still finds the files beside it. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(bundling) {
    bundling.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const address = JSON.stringify(pathToFileURL(path).href);
      const contents = readFileSync(path, 'utf8').replaceAll(/\bimport\.meta\.url\b/g, address);
      return { contents, loader: 'ts' };
    });
  },
};

/** A program is not a test, even if it shares a module with tests. */
const noVitest: Plugin = {
  name: 'no-vitest',
  setup(bundling) {
    bundling.onResolve({ filter: /^vitest$/ }, () => ({ path: 'vitest', namespace: 'none' }));
    bundling.onLoad({ filter: /.*/, namespace: 'none' }, () => ({
      contents: 'module.exports = {}',
    }));
  },
};
