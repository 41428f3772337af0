/** Makes the command that users run, of what tsc built: `dist/hookmachine.cjs`, and the bundle that it starts; `npm run build`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Every `fire` with a hook runs machines; other packages are for rare cases, and stay outside. */
const bundled = 'xstate';
const folder = dirname(createRequire(import.meta.url).resolve(`${bundled}/package.json`));
/** It has to go wherever the code goes. */
const licence = readFileSync(join(folder, 'LICENSE'), 'utf8');

/** Both are CommonJS: Node 20's loader of ES modules takes longer for a module than the module does. */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  // A file is parsed before it runs. Names stay, for the stacks of errors.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  charset: 'ascii',
  logLevel: 'warning',
  write: false,
} satisfies BuildOptions;

const [bundle] = (
  await build({
    ...options,
    entryPoints: ['dist/src/cli/bin.js'],
    outfile: 'dist/hookmachine-bundle.js',
    external: [
      ...Object.keys(dependencies).filter((name) => name !== bundled),
      // What a plain `fire` does not need.
      './dist/src/cli/main.js',
      './dist/src/journal/*',
    ],
    define: { 'import.meta.url': '__filename' },
    // A function, which is called with what CommonJS knows.
    banner: {
      js: `(function (require, module, __filename, load) {\n/* Holds ${bundled}:\n\n${licence}*/`,
    },
    footer: { js: '})' },
  })
).outputFiles;
/** Code that V8 takes from what was kept cannot import: the command does that for it. */
const text = bundle!.text.replaceAll(/\bimport\((?="\.\/)/g, 'load(');
// The command reads it as such; a regular expression or a licence may hold more.
if (/[^\0-\x7f]/.test(text)) throw new Error('the bundle is no plain ASCII');
const bundleId = createHash('sha256').update(text).digest('hex').slice(0, 12);

const [command] = (
  await build({
    ...options,
    entryPoints: ['dist/src/cli/start.js'],
    outfile: 'dist/hookmachine.cjs',
    define: { bundleId: JSON.stringify(bundleId) },
  })
).outputFiles;

for (const name of readdirSync(join(root, 'dist')))
  if (name.startsWith('compiled-')) rmSync(join(root, 'dist', name));
writeFileSync(bundle!.path, text);
writeFileSync(command!.path, command!.contents, { mode: 0o755 });
