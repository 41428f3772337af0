import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** The wings of the house: each imports only from those after it. */
const wings = [
  'cli',
  'entries',
  'workbench',
  'hub',
  'durable',
  'adapters',
  'agent',
  'hosts',
  'guards',
  'watch',
  'handlers',
  'settings',
  'shell',
  'core',
  'base',
];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import of one of our files by another, those of types and those at run time included. */
function readImports(): Import[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((from) =>
      [
        ...readFileSync(join(source, from), 'utf8').matchAll(
          /\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g,
        ),
      ].map(([, path = '']) => ({ from, to: relative(source, join(source, dirname(from), path)) })),
    )
    .filter(({ to }) => !to.startsWith('..'));
}

/** The folder below `src/` that a file is in, this many names long. */
const folderOf = (file: string, names: number): string =>
  dirname(file).split('/').slice(0, names).join('/');

/** Each way that leads from a name back to itself. */
function circlesOf(pairs: readonly (readonly [string, string])[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of pairs) next.set(from, (next.get(from) ?? new Set()).add(to));
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    const begin = path.indexOf(name);
    if (begin !== -1) circles.push([...path.slice(begin), name].join(' → '));
    if (begin !== -1 || done.has(name)) return;
    for (const other of next.get(name) ?? []) walk(other, [...path, name]);
    done.add(name);
  };
  for (const name of next.keys()) walk(name, []);
  return circles;
}

const imports = readImports();

test('every folder of the source is a wing that says what it is', () => {
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).toSorted()).toEqual(wings.toSorted());
  expect(wings.filter((wing) => !existsSync(join(source, wing, 'README.md')))).toEqual([]);
});

test('a wing imports only from the wings below it, types included', () => {
  expect(imports.length).toBeGreaterThan(2_000);
  const up = imports.filter(({ from, to }) => {
    const [above, below] = [from, to].map((file) => wings.indexOf(folderOf(file, 1)));
    return above! > below!;
  });
  expect(up).toEqual([]);
});

test('no room of a wing imports from a room that imports from it, types included', () => {
  const rooms = imports
    .filter(({ from, to }) => folderOf(from, 1) === folderOf(to, 1))
    .map(({ from, to }) => [folderOf(from, 2), folderOf(to, 2)] as const)
    .filter(([from, to]) => from !== to);
  expect(circlesOf(rooms)).toEqual([]);
});

test('no file imports a file that imports it, not even at run time', () => {
  expect(circlesOf(imports.map(({ from, to }) => [from, to] as const))).toEqual([]);
});

test('the core starts no process, and reads no disk and no network', () => {
  const core = readdirSync(join(source, 'core'), { recursive: true, encoding: 'utf8' });
  const texts = core
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(source, 'core', file), 'utf8')] as const);
  expect(texts.some(([, text]) => text.includes("'node:"))).toBe(true);
  const outside = /\bnode:(?:child_process|dgram|fs|http2?|https|net|tls|worker_threads)\b/;
  expect(texts.filter(([, text]) => outside.test(text)).map(([file]) => file)).toEqual([]);
});

test('what judges an event reads the environment, the folder and the home of the event, not of the process', () => {
  const judging = ['base', 'core', 'shell', 'settings', 'handlers', 'guards', 'hosts', 'cli/relay'];
  const own = /\bprocess\.(?:env\b|cwd\(|chdir\(|stderr\.write)|(?<![.\w])(?:homedir|tmpdir)\(/;
  const found = judging.flatMap((wing) =>
    readdirSync(join(source, wing), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) =>
        readFileSync(join(source, wing, file), 'utf8')
          .split('\n')
          .some((line) => own.test(line) && !/^\s*(?:\*|\/[*/])/.test(line)),
      )
      .map((file) => `${wing}/${file}`),
  );
  // The surroundings themselves, and what belongs to the process whatever the event is.
  expect(found.toSorted()).toEqual([
    'base/log.ts',
    'base/surroundings.ts',
    'handlers/process/pipes.ts',
    'handlers/process/supervise-hook.ts',
    'handlers/process/watchdog.ts',
  ]);
});
