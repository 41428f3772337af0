/**
 * The part of `npm run build` that follows tsc: it puts jsonc-parser's code into the package, and builds the
 * command that users run, `dist/hookmachine.cjs`, and the bundle that it starts.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { stampBuild } from '../../scripts/built-from.ts';
import { readPageTexts } from '../inspector/page-texts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/**
 * Puts a package into the module that re-exports it: as npm ships these, no bundler for Node can include
 * them.
 */
async function takeIn(module: string, name: string, entry: string, licence: string): Promise<void> {
  const folder = folderOf(name);
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    entryPoints: [module],
    alias: { [name]: join(folder, entry) },
    banner: { js: `/* Holds ${name}:\n\n${readFileSync(join(folder, licence), 'utf8')}*/` },
    outfile: module,
    allowOverwrite: true,
  });
}
await takeIn('dist/src/settings/jsonc.js', 'jsonc-parser', 'lib/esm/main.js', 'LICENSE.md');
await takeIn('dist/src/models/scripted/yaml.js', 'yaml', 'browser/index.js', 'LICENSE');

/** The page and its diagrams are put into the module that otherwise reads them from their source files. */
writeFileSync(
  join(root, 'dist/src/inspector/page-texts.js'),
  `const texts = ${JSON.stringify(await readPageTexts())};\nexport const readPageTexts = () => Promise.resolve(texts);\n`,
);

/**
 * Every `fire` with a hook runs machines and reads an answer; other packages are for rare cases, and stay
 * outside.
 */
const bundled = { xstate: 'LICENSE', 'fastest-levenshtein': 'LICENSE.md' };
/** The licences must accompany the code wherever it goes. */
const licences = Object.entries(bundled).map(([name, file]) => {
  const licence = readFileSync(join(folderOf(name), file), 'utf8');
  return `${name}:\n\n${licence.trim()}\n`;
});

/**
 * Most settings are plain JSON: the parser for the others is included, but only initialised on its first
 * call.
 */
const lateParser: Plugin = {
  name: 'late parser',
  setup(bundling) {
    bundling.onResolve({ filter: /\/jsonc\.js$/ }, ({ kind, path, resolveDir }) =>
      kind === 'import-statement' ? { path: join(resolveDir, path), namespace: 'late' } : undefined,
    );
    bundling.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: ['getNodeValue', 'parseTree', 'printParseErrorCode']
        .map(
          (name) => `export const ${name} = (...args) => require('./jsonc.js').${name}(...args);`,
        )
        .join('\n'),
      resolveDir: dirname(path),
    }));
  },
};

/**
 * Both are CommonJS: Node 20's loader of ES modules takes longer for a module than the module itself does.
 */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  // A file is parsed before it runs. Names are kept for stack traces.
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
    entryPoints: ['dist/src/launcher/bin.js'],
    outfile: 'dist/hookmachine-bundle.js',
    plugins: [lateParser],
    external: [
      ...Object.keys(dependencies).filter((name) => !Object.hasOwn(bundled, name)),
      // Modules that a plain `fire` does not need.
      './dist/src/cli/main.js',
      './dist/src/journal/*',
      './dist/src/audit/*',
      ...['deferred', 'fire-readable', 'fire-sample', 'hook-asked-for', 'why-hooks'].map(
        (name) => `./dist/src/cli/${name}.js`,
      ),
    ],
    define: { 'import.meta.url': '__filename' },
    // Wrapped in a function that is called with what CommonJS provides.
    banner: {
      js: `(function (require, module, __filename, load) {\n/* Holds ${licences.join('\n')}*/`,
    },
    footer: { js: '})' },
  })
).outputFiles;
/** Code that V8 loads from its cache cannot import: the command does that for it. */
const text = bundle!.text.replaceAll(/\bimport\((?="\.\/)/g, 'load(');
// The command reads it as ASCII; a regular expression or a licence may contain other characters.
if (/[^\0-\x7f]/.test(text)) throw new Error('the bundle is not plain ASCII');
const bundleId = createHash('sha256').update(text).digest('hex').slice(0, 12);

const [command] = (
  await build({
    ...options,
    entryPoints: ['dist/src/launcher/start.js'],
    outfile: 'dist/hookmachine.cjs',
    define: { bundleId: JSON.stringify(bundleId) },
  })
).outputFiles;

for (const name of readdirSync(join(root, 'dist')))
  if (name.startsWith('compiled-')) rmSync(join(root, 'dist', name));
writeFileSync(bundle!.path, text);
writeFileSync(command!.path, command!.contents, { mode: 0o755 });
stampBuild();
