import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import '../build.ts';
import { blocksOf, pages } from '../support/blocks.ts';
import { packed } from './packed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixture = join(root, 'test/fixtures/types/node_modules');

const { dependencies, peerDependencies, exports } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Readonly<Record<'dependencies' | 'peerDependencies' | 'exports', Record<string, unknown>>>;

/** Whether a package brings its types, as we cannot ask users to install them. */
function hasTypes(name: string): boolean {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return /"(?:types|typings)":/.test(text);
}

/** What a published declaration may not import, because whoever installs the package need not have it. */
function missingFrom(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)];
  return named
    .map(([, path = '']) => path)
    .filter((path) => {
      if (path.startsWith('.'))
        return !existsSync(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
      if (isBuiltin(path) || name === 'hookmachine' || name in peerDependencies) return false;
      return !(name in dependencies && hasTypes(name));
    });
}

test('no published type is made of a package that users do not install', () => {
  const dist = join(root, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.d.ts'),
  );
  expect(files.length).toBeGreaterThan(200);
  const missing = files.map((file) => [file, missingFrom(join(dist, file))] as const);
  expect(missing.filter(([, names]) => names.length > 0)).toEqual([]);
});

const subpaths = Object.keys(exports).filter((path) => !path.endsWith('.json'));

/** The subpaths whose types need a package, and that package. */
const needing: Readonly<Record<string, string>> = { './opentelemetry': '@opentelemetry/api' };

const resolutions = { nodenext: 'nodenext', bundler: 'esnext' };
const versions = ['5.6', '5.9', '7'];

/** The messages of a version of TypeScript about these modules, in the project that installed the package. */
async function compiled(
  version: string,
  moduleResolution: keyof typeof resolutions,
  modules: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const folder = join(packed!.project, 'types');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    target: 'es2022',
    module: resolutions[moduleResolution],
    moduleResolution,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(fixture, `typescript-${version}/bin/tsc`);
  const { stdout } = await execa('node', [tsc, '-p', folder], { cwd: folder, reject: false });
  return stdout === '' ? [] : stdout.split('\n');
}

/** Installs packages of the fixture beside ours, or takes them away. */
function beside(names: readonly string[], isThere: boolean): void {
  for (const name of names) {
    const path = join(packed!.project, 'node_modules', name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    if (isThere) symlinkSync(join(fixture, name), path);
  }
}

const importing = (paths: readonly string[]) =>
  Object.fromEntries(
    paths.map((path, at) => [
      `part${at}.ts`,
      `export * as part from ${JSON.stringify(path.replace('.', 'hookmachine'))};\n`,
    ]),
  );

test.skipIf(packed && existsSync(fixture))(
  'the types are not compiled here: npm run package does that, after npm ci --prefix test/fixtures/types',
  ({ skip }) => skip(),
);

describe.runIf(packed && existsSync(fixture))('the types of the packed package', () => {
  const all = versions.flatMap((version) =>
    Object.keys(resolutions).map((way) => [version, way as keyof typeof resolutions] as const),
  );
  test.each(all)('TypeScript %s compiles every part, resolved as %s', async (version, way) => {
    beside(['@types/node', 'undici-types'], true);
    beside(Object.values(needing), false);
    const free = subpaths.filter((path) => !(path in needing));
    expect(await compiled(version, way, importing(free))).toEqual([]);
    beside(Object.values(needing), true);
    expect(await compiled(version, way, importing(subpaths))).toEqual([]);
  });

  test('the programs of the documents compile as they are printed', async () => {
    beside(['@types/node', 'undici-types', ...Object.values(needing)], true);
    const programs = programsOfDocs();
    expect(Object.keys(programs).length).toBeGreaterThan(15);
    const said = await compiled('5.9', 'nodenext', programs);
    expect(said.filter((line) => !isLeftToReaders(line))).toEqual([]);
  });
});

/** The TypeScript in the documents that imports the package, by the place where it is printed. */
function programsOfDocs(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pages
      .flatMap(blocksOf)
      .filter(({ language, text }) => language === 'ts' && text.includes(`from 'hookmachine`))
      .map(({ page, line, text }) => [`${page.replaceAll(/[^\w]/g, '-')}-${line}.ts`, text]),
  );
}

/** What readers have themselves: a model, tools, a conversation, and what their framework provides. */
const ofReaders =
  'agent appName ask ChatOpenAI config conversation createAgent cwd database durable id instructions model openai read save saved ToolNode tools write'.split(
    ' ',
  );

function isLeftToReaders(message: string): boolean {
  const [, missing, module] =
    /error TS(?:2304|2552): Cannot find name '(\w+)'|error TS18004: No value exists in scope for the shorthand property '\w+'|error TS2307: Cannot find module '([^']+)'/.exec(
      message,
    ) ?? [];
  const name = missing ?? /shorthand property '(\w+)'/.exec(message)?.[1];
  if (name !== undefined) return ofReaders.includes(name);
  return module !== undefined && !module.startsWith('hookmachine');
}
