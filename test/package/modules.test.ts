import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const root = new URL('../..', import.meta.url);
const { exports, peerDependencies } = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** The modules of ours that a program loads, by their path in the package, and the packages of others. */
async function loadedBy(program: string) {
  const folder = tempFolder();
  const notes = join(folder, 'notes');
  const script = `
    import { register } from 'node:module';
    register(${JSON.stringify(new URL('test/fixtures/modules/note.mjs', root).href)}, { data: ${JSON.stringify(notes)} });
    process.chdir(${JSON.stringify(folder)});
    ${program}`;
  await execa('node', ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(root),
    env: { HOME: folder },
  });
  const urls = readFileSync(notes, 'utf8').trim().split('\n');
  const dist = new URL('dist/', root).href;
  return {
    ours: urls.filter((url) => url.startsWith(dist)).map((url) => url.slice(dist.length)),
    packages: [
      ...new Set(
        urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
      ),
    ].toSorted(),
  };
}

/** The most modules of ours that each part may load, and the packages that it needs. What is to come may lower a number; the core may not load more than 90. */
const parts: Readonly<Record<string, readonly [most: number, ...packages: string[]]>> = {
  hookmachine: [86, 'fastest-levenshtein', 'xstate'],
  'hookmachine/agent': [84, 'picomatch', 'xstate', 'zod'],
  'hookmachine/hook': [2],
  'hookmachine/models': [30, 'zod'],
  'hookmachine/inspector': [
    55,
    '@secretlint/secretlint-rule-preset-recommend',
    'fastest-levenshtein',
  ],
  'hookmachine/stately': [
    38,
    '@secretlint/secretlint-rule-preset-recommend',
    'fastest-levenshtein',
  ],
  'hookmachine/machines': [6, 'xstate'],
  'hookmachine/dialects': [56, 'fastest-levenshtein'],
};

test('each part of the package is known here', () => {
  const subpaths = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [path.replace('.', 'hookmachine')],
  );
  expect(Object.keys(parts).toSorted()).toEqual(subpaths.toSorted());
});

test.each(Object.entries(parts))(
  '%s loads what it needs and no more',
  async (part, [most, ...needed]) => {
    const { ours, packages } = await loadedBy(`await import('${part}');`);
    expect(ours.length).toBeLessThanOrEqual(most);
    expect(packages).toEqual(needed);
  },
);

test('the core loads nothing of the other parts, not even for calls with hooks', async () => {
  const { ours, packages } = await loadedBy(`
    const { createConfig, executeToolWithHooks, fireBeforeModelHook } = await import('hookmachine');
    const hooks = [{ type: 'command', command: 'echo no >&2; exit 2' }];
    const settings = { tools: { enableHooks: true }, hooks: { BeforeTool: [{ hooks }], BeforeModel: [{ hooks }] } };
    const config = createConfig({ cwd: process.cwd(), settings });
    const { llmContent } = await executeToolWithHooks(config, 'a', {}, () => { throw new Error('ran'); });
    const { blocked } = await fireBeforeModelHook(config, { model: 'm', contents: 'hi' });
    if (llmContent !== 'no' || !blocked) throw new Error('not blocked');`);
  expect(packages).toEqual(['fastest-levenshtein', 'xstate']);
  const others =
    /^src\/(?:agent\/(?:tools\/|chat-|tool-scheduler)|cli|entries|inspector|journal|launcher|models|stately)/;
  expect(ours.filter((path) => others.test(path))).toEqual([]);
});

test('no part loads an optional package before it is used', async () => {
  const all = Object.keys(parts).map((part) => `await import('${part}');`);
  const { packages } = await loadedBy(`${all.join('\n')}
    const { modelFromTurns } = await import('hookmachine/models');
    modelFromTurns([{ text: 'hi' }]);`);
  expect(packages.filter((name) => name in peerDependencies)).toEqual([]);
});

test('what apps bundle looks for nothing beside its own file, for a bundle has nothing there', () => {
  // The command is no part of an app; the build embeds the page; a package that is missing is an error that names it.
  const free = /^(?:cli|launcher)\/|^inspector\/page|^stately\/stately-package/;
  const source = fileURLToPath(new URL('src/', root));
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !free.test(file) &&
      /import\.meta|createRequire|__dirname|__filename/.test(
        readFileSync(join(source, file), 'utf8'),
      ),
  );
  expect(found).toEqual([]);
});

/** Errors are looked at where a process ends at a certain moment, so that file runs or does not. */
const withoutErrors = (files: readonly string[]) =>
  files.filter((file) => file !== 'src/errors.js');

test('one tool call with a hook before and after runs through few files', async () => {
  const script = fileURLToPath(new URL('test/fixtures/modules/files-run.mjs', root));
  const { stdout } = await execa('node', [script], { env: { HOME: tempFolder() } });
  const { first, ready } = JSON.parse(stdout) as Record<'first' | 'ready', readonly string[]>;
  expect(ready).toContain('src/agent/tool-call.js');
  // The first may not go over 55; the second is to come down to 35.
  expect(withoutErrors(first).length).toBeLessThanOrEqual(53);
  expect(withoutErrors(ready).length).toBeLessThanOrEqual(39);
});
