/** Makes `dist/hookmachine.cjs`, the command that users run, of what tsc built; `npm run build`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Every `fire` with a hook runs machines; other packages are for rare cases, and stay outside. */
const bundled = 'xstate';
const folder = dirname(createRequire(import.meta.url).resolve(`${bundled}/package.json`));
/** It has to go wherever the code goes. */
const licence = readFileSync(join(folder, 'LICENSE'), 'utf8');

await build({
  absWorkingDir: root,
  entryPoints: ['dist/src/cli/bin.js'],
  outfile: 'dist/hookmachine.cjs',
  bundle: true,
  platform: 'node',
  // Node 20's loader of ES modules takes longer for a module than the module does.
  format: 'cjs',
  target: 'node20.19',
  external: [
    ...Object.keys(dependencies).filter((name) => name !== bundled),
    // What a plain `fire` does not need.
    './dist/src/cli/main.js',
    './dist/src/journal/*',
  ],
  define: { 'import.meta.url': '__filename' },
  // A file is parsed before it runs. Names stay, for the stacks of errors.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  banner: { js: `/* Holds ${bundled}:\n\n${licence}*/` },
  logLevel: 'warning',
});
