/**
 * The part of `npm run build` that follows tsc: it puts the code of some packages into ours, and builds the
 * command that users run, `dist/hookmachine.cjs`, and the bundle that it starts.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { assertRequiresNothing, importByLoad } from './bundle-imports.ts';
import { makeFolder } from '../../base/folders.ts';
import { wholeProgram } from '../program.ts';
import { helpPages, manPage } from './help-pages.ts';
import { keepPublicTypes } from './keep-public-types.ts';
import { startupVariables } from '../warm/startup-variables.ts';
import { stampBuild } from '../../../scripts/built-from.ts';
import { readPageTexts } from '../../watch/inspector/page-texts.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const folderOf = (name: string): string => join(root, 'node_modules', name);

interface TakenIn {
  readonly entry: string;
  readonly licence: string;
  /**
   * The one file with the package's types, if a type that we publish is made of them; 'installed' if whoever
   * installs ours has the package too.
   */
  readonly types?: string;
}

/**
 * Puts a package into the module that re-exports it, and returns the names of what it exports: as npm ships
 * these, no bundler for Node can include them, or they load far more than we use. Whoever installs ours may
 * not have it, so our types must not name it then.
 */
async function takeIn(
  module: string,
  name: string,
  { entry, licence, types }: TakenIn,
): Promise<readonly string[]> {
  const folder = folderOf(name.split('/')[0]!);
  const { metafile: made } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    entryPoints: [`${module}.js`],
    alias: { [name]: join(folder, entry) },
    banner: { js: `/* Holds ${name}:\n\n${readFileSync(join(folder, licence), 'utf8')}*/` },
    outfile: `${module}.js`,
    allowOverwrite: true,
    metafile: true,
  });
  const exported = Object.values(made.outputs).flatMap(({ exports }) => exports);
  if (types === 'installed') return exported;
  const declared = join(root, `${module}.d.ts`);
  if (types === undefined) rmSync(declared);
  else copyFileSync(join(folder, types), declared);
  return exported;
}
const jsonc = await takeIn('dist/src/settings/files/jsonc', 'jsonc-parser', {
  entry: 'lib/esm/main.js',
  licence: 'LICENSE.md',
  types: 'lib/umd/main.d.ts',
});
const zod = await takeIn('dist/src/settings/format/zod', 'zod/mini', {
  entry: 'mini/index.js',
  licence: 'LICENSE',
  types: 'installed',
});
await takeIn('dist/src/agent/models/scripted/yaml', 'yaml', {
  entry: 'browser/index.js',
  licence: 'LICENSE',
});

/** The page and its diagrams are put into the module that otherwise reads them from their source files. */
writeFileSync(
  join(root, 'dist/src/watch/inspector/page-texts.js'),
  `const texts = ${JSON.stringify(await readPageTexts())};\nexport const readPageTexts = () => Promise.resolve(texts);\n`,
);

/** The packages that a `fire` may need, with their licences. */
const bundled = {
  xstate: 'LICENSE',
  'fastest-levenshtein': 'LICENSE.md',
  'http-cache-semantics': 'LICENSE',
  picomatch: 'LICENSE',
  'smol-toml': 'LICENSE',
  unbash: 'LICENSE',
  zod: 'LICENSE',
};
/** The licences must accompany the code wherever it goes; the command reads it as ASCII. */
const licences = Object.entries(bundled).map(([name, file]) => {
  const licence = readFileSync(join(folderOf(name), file), 'utf8').trim();
  return `${name}:\n\n${licence.replaceAll(/[^\0-\x7f]/g, asEscape)}\n`;
});

function asEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Most settings are plain JSON, and many have no hooks of ours: the parser for the others, and what checks
 * our own, are included, but only initialised on the first call of one of their functions.
 */
const late = (module: string, functions: readonly string[]): Plugin => ({
  name: `late ${module}`,
  setup(bundling) {
    bundling.onResolve({ filter: new RegExp(`/${module}\\.js$`) }, ({ kind, path, resolveDir }) =>
      kind === 'import-statement'
        ? { path: join(resolveDir, path), namespace: `late ${module}` }
        : undefined,
    );
    bundling.onLoad({ filter: /.*/, namespace: `late ${module}` }, ({ path }) => ({
      contents: functions
        .map(
          (name) =>
            `const $${name} = (...args) => require('./${module}.js').${name}(...args); export { $${name} as ${name} };`,
        )
        .join('\n'),
      resolveDir: dirname(path),
    }));
  },
});

/** Replaces a module of `base` by this text. */
const replaced = (module: string, contents: string): Plugin => ({
  name: `replaces ${module}`,
  setup(bundling) {
    let isReplaced = false;
    bundling.onLoad({ filter: new RegExp(`/dist/src/base/${module}\\.js$`) }, () => {
      isReplaced = true;
      return { contents };
    });
    bundling.onEnd(() =>
      isReplaced ? undefined : { errors: [{ text: `the bundle has no ${module}.js to replace` }] },
    );
  },
});

/** The bundle's modules cannot be missing for lack of descriptors. */
const loadedAlready = replaced('on-demand', 'export const onDemand = (load) => load;');

/** The bundle has no `import.meta`, and is given a `require` of its own. */
const requiredDebug = replaced(
  'debug-package',
  "const name = 'debug'; export const loadDebug = () => require(name);",
);

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

const { outputFiles, metafile } = await build({
  ...options,
  metafile: true,
  entryPoints: ['dist/src/cli/launcher/bin.js'],
  outfile: 'dist/hookmachine-bundle.js',
  plugins: [late('jsonc', jsonc), late('zod', zod), loadedAlready, requiredDebug],
  external: [
    ...Object.keys(dependencies).filter((name) => !Object.hasOwn(bundled, name)),
    // Modules that a plain `fire` does not need.
    './dist/src/cli/main.js',
    './dist/src/watch/journal/*',
    './dist/src/watch/audit/*',
    './dist/src/handlers/typescript-loader.js',
    './dist/src/guards/flow/note-result.js',
    './dist/src/guards/redact-result.js',
    './dist/src/guards/repository-state.js',
    ...[
      'fire/fire-readable',
      'fire/fire-sample',
      'fire/hook-asked-for',
      'fire/why-hooks',
      'relay/broken-entries',
      'relay/deferred',
    ].map((name) => `./dist/src/cli/${name}.js`),
  ],
  logOverride: { 'empty-import-meta': 'error' },
  // Wrapped in a function that is called with what the code may use.
  banner: { js: `(function (require, module, load) {\n/* Holds ${licences.join('\n')}*/` },
  footer: { js: '})' },
});
const [bundle] = outputFiles;
assertRequiresNothing(metafile);
const text = importByLoad(bundle!.text);
// A regular expression may contain other characters.
if (/[^\0-\x7f]/.test(text)) throw new Error('the bundle is not plain ASCII');
const bundleId = createHash('sha256').update(text).digest('hex').slice(0, 12);

const [command] = (
  await build({
    ...options,
    entryPoints: ['dist/src/cli/launcher/start.js'],
    outfile: 'dist/hookmachine.cjs',
    define: { bundleId: JSON.stringify(bundleId) },
  })
).outputFiles;

for (const name of readdirSync(join(root, 'dist')))
  if (name.startsWith('compiled-')) rmSync(join(root, 'dist', name));
writeFileSync(bundle!.path, text);
writeFileSync(command!.path, command!.contents, { mode: 0o755 });
const starter = readFileSync(join(root, 'src/cli/launcher/hookmachine.sh'), 'utf8');
const asNow = starter.replace('BUNDLE', bundleId).replace('STARTUP', () => startupVariables);
writeFileSync(join(root, 'dist/hookmachine'), asNow, { mode: 0o755 });

const program = await wholeProgram();
rmSync(join(root, 'dist/help'), { recursive: true, force: true });
makeFolder(join(root, 'dist/help'));
for (const [words, help] of helpPages(program))
  writeFileSync(join(root, 'dist/help', `${words === '' ? 'hookmachine' : words}.txt`), help);
writeFileSync(join(root, 'dist/help/version.txt'), `${program.version() ?? ''}\n`);
writeFileSync(join(root, 'dist/hookmachine.1'), manPage(program, program.version() ?? ''));
keepPublicTypes(root, 'dist');
stampBuild();
