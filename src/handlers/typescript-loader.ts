import { createRequire } from 'node:module';
import type { WorkerData } from './module-worker.ts';

/*
 * TypeScript hooks on versions of Node.js that do not strip types themselves. The types are stripped by the
 * same code that later versions use, which is loaded only there.
 */

/**
 * Returns how a worker strips types.
 *
 * @throws if the package that does it is missing, as in an app that was bundled without it
 */
export function typesStripped(): NonNullable<WorkerData['typescript']> {
  const stripper = stripperFile();
  if (stripper === undefined)
    throw new Error(
      `Node.js ${process.versions.node} does not run TypeScript, and the package @swc/wasm-typescript is not installed: install it, use Node.js 22.18 or later, or write the hook in JavaScript`,
    );
  return { loader: `data:text/javascript,${encodeURIComponent(loaderSource)}`, stripper };
}

/** The file of the package that strips types; undefined if it is not installed. */
function stripperFile(): string | undefined {
  try {
    // In a CommonJS bundle `import.meta.url` is missing, in an ES module `__filename`.
    const own = (import.meta as { url?: string }).url ?? __filename;
    return createRequire(own).resolve('@swc/wasm-typescript');
  } catch {
    return undefined;
  }
}

/**
 * The hooks of Node's module loader, as the source of a module: they run in a thread of their own. A file is
 * of the format that its extension or the nearest manifest says, or else its syntax, as in later versions.
 */
const loaderSource = `
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
let strip;
export const initialize = (stripper) => {
  strip = (source, filename) => createRequire(stripper)(stripper).transformSync(source, { mode: 'strip-only', filename }).code;
};
const typeOf = (file) => {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type;
    if (folder === dirname(folder)) return undefined;
  }
};
const formatOf = (file, source) => {
  if (file.endsWith('.mts')) return 'module';
  if (file.endsWith('.cts')) return 'commonjs';
  return typeOf(file) ?? (/^\\s*(?:import|export)\\b(?!\\s*\\()/m.test(source) ? 'module' : 'commonjs');
};
export const load = async (url, context, next) => {
  if (!/^file:.*\\.[cm]?ts(?:[?#]|$)/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  let source;
  try {
    source = strip(readFileSync(file, 'utf8'), file);
  } catch (error) {
    throw new SyntaxError(file + ': ' + (error?.message ?? error));
  }
  return { format: formatOf(file, source), source, shortCircuit: true };
};
`;
