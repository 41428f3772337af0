import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import '../build.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = new URL('../..', import.meta.url);
const { exports, peerDependencies } = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** Our modules that a program loads, by their path in the package, and the packages of others. */
async function loadedBy(program: string) {
  const folder = tempFolder();
  // The debugger sees every script that V8 compiles, ES modules and CommonJS alike.
  const script = `
    import { Session } from 'node:inspector';
    const urls = [];
    const session = new Session();
    session.connect();
    session.on('Debugger.scriptParsed', ({ params: { url } }) => urls.push(url));
    session.post('Debugger.enable');
    process.chdir(${JSON.stringify(folder)});
    ${program}
    console.log(urls.join('\\n'));`;
  const { stdout } = await execa('node', ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(root),
    // Adapters that make objects of their frameworks look for these as soon as they are imported.
    env: { HOME: folder, NODE_PATH: fileURLToPath(new URL('test/fixtures/frameworks', root)) },
  });
  const urls = stdout.split('\n');
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

/** The most modules of ours that each part may load, and the packages that it needs. */
const parts: Readonly<Record<string, readonly [most: number, ...packages: string[]]>> = {
  hookmachine: [114, 'fastest-levenshtein', 'xstate'],
  'hookmachine/agent': [102, 'picomatch', 'xstate', 'zod'],
  'hookmachine/hook': [4],
  'hookmachine/models': [34, 'zod'],
  'hookmachine/inspector': [
    63,
    '@secretlint/secretlint-rule-preset-recommend',
    'fastest-levenshtein',
  ],
  'hookmachine/stately': [
    46,
    '@secretlint/secretlint-rule-preset-recommend',
    'fastest-levenshtein',
  ],
  'hookmachine/opentelemetry': [
    53,
    '@secretlint/secretlint-rule-preset-recommend',
    'fastest-levenshtein',
  ],
  'hookmachine/machines': [8, 'xstate'],
  'hookmachine/durable': [150, 'fastest-levenshtein', 'unbash', 'xstate', 'zod'],
  'hookmachine/claude-agent-sdk': [128, 'fastest-levenshtein', 'xstate'],
  'hookmachine/guards': [209, 'fastest-levenshtein', 'picomatch', 'unbash'],
  'hookmachine/agent-hooks': [120, 'fastest-levenshtein'],
  'hookmachine/policies': [72, 'unbash'],
  'hookmachine/dialects': [130, 'fastest-levenshtein'],
  'hookmachine/ai-sdk': [155, 'fastest-levenshtein', 'xstate'],
  'hookmachine/langchain': [160, 'fastest-levenshtein', 'xstate'],
  'hookmachine/opencode': [135, 'fastest-levenshtein', 'xstate'],
  'hookmachine/adk': [149, 'fastest-levenshtein', 'xstate'],
  'hookmachine/openai-agents': [153, 'fastest-levenshtein', 'xstate'],
  'hookmachine/mastra': [157, 'fastest-levenshtein', 'xstate'],
};

/** Imports a part; an adapter whose framework is missing says so, which is fine. */
const importing = (part: string): string =>
  `await import('${part}').catch((error) => { if (!/install them: npm i/.test(error.message)) throw error; });`;

test('the limits in this test cover every part of the package', () => {
  const subpaths = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [path.replace('.', 'hookmachine')],
  );
  expect(Object.keys(parts).toSorted()).toEqual(subpaths.toSorted());
});

test.each(Object.entries(parts))(
  '%s loads what it needs and no more',
  async (part, [most, ...needed]) => {
    const { ours, packages } = await loadedBy(importing(part));
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
  const others = /^src\/(?:adapters|agent|cli|durable|entries|watch|workbench)/;
  expect(ours.filter((path) => others.test(path))).toEqual([]);
});

test('an audit without traces loads nothing of OpenTelemetry', async () => {
  const { ours, packages } = await loadedBy(`
    const { mkdirSync, readFileSync, writeFileSync } = await import('node:fs');
    const { createConfig, executeToolWithHooks } = await import('hookmachine');
    const cwd = process.cwd();
    const audit = { file: cwd + '/log.jsonl' };
    mkdirSync('etc/hookmachine', { recursive: true });
    writeFileSync('etc/hookmachine/settings.json', JSON.stringify({ managed: { audit } }));
    const config = createConfig({ cwd, systemFolder: cwd + '/etc' });
    await executeToolWithHooks(config, 'a', {}, async () => ({ llmContent: '', returnDisplay: '' }));
    await new Promise(setImmediate);
    if (!readFileSync(audit.file, 'utf8').includes('"kind":"call"')) throw new Error('not audited');`);
  expect(ours).toContain('src/watch/audit/start-audit.js');
  expect(ours.filter((path) => path.includes('opentelemetry'))).toEqual([]);
  expect(packages.filter((name) => name.startsWith('@opentelemetry'))).toEqual([]);
});

test('the core loads the dialects of all hosts only with the first event of a config that wants them', async () => {
  const make = `const { createConfig, fireBeforeToolHook } = await import('hookmachine');
    const config = createConfig({ cwd: process.cwd(), dialects: 'present' });
    config.getHookSystem();`;
  const hosts = /^src\/hosts\/(?:all\/known|claude-code)/;
  const before = await loadedBy(make);
  expect(before.ours.filter((path) => hosts.test(path))).toEqual([]);
  const after = await loadedBy(`${make} await fireBeforeToolHook(config, 'a', {});`);
  expect(after.ours.filter((path) => hosts.test(path))).not.toEqual([]);
});

test('a part whose framework is missing says what to install', async () => {
  const frameworks = {
    langchain: 'langchain @langchain/core',
    'openai-agents': '@openai/agents',
    adk: '@google/adk',
    'ai-sdk': 'ai',
    mastra: '@mastra/core',
    'claude-agent-sdk': '@anthropic-ai/claude-agent-sdk',
  };
  const program = `for (const part of ${JSON.stringify(Object.keys(frameworks))})
    await import('hookmachine/' + part).then(
      () => console.log(part + ' was loaded'),
      (error) => console.log(error.message),
    );`;
  const { stdout } = await execa('node', ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(root),
  });
  expect(stdout.split('\n')).toEqual(
    Object.entries(frameworks).map(
      ([part, packages]) =>
        `hookmachine/${part} needs packages that are not installed; install them: npm i ${packages}`,
    ),
  );
});

test('no part loads an optional package before it is used', async () => {
  const all = Object.keys(parts).map(importing);
  const { packages } = await loadedBy(`${all.join('\n')}
    const { modelFromTurns } = await import('hookmachine/models');
    modelFromTurns([{ text: 'hi' }]);`);
  expect(packages.filter((name) => name in peerDependencies)).toEqual([]);
});

test('code that apps bundle looks for nothing beside its own file, since a bundle has nothing there', () => {
  // The command is not part of an app; the build embeds the page; an error names a package that is missing, and
  // so does whoever wants the debug log.
  const free =
    /^cli\/|^watch\/inspector\/page|^watch\/stately\/stately-package|^adapters\/parts\/assert-installed|^handlers\/typescript-loader|^base\/debug-package/;
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

/** Whether these run depends on the moment at which a process ends, and on how soon its output is read. */
const byChance = new Set(['src/base/errors.js', 'src/handlers/process/run-end.js']);
const alwaysRun = (files: readonly string[]) => files.filter((file) => !byChance.has(file));

test('a tool call with a hook before and after it runs through few files', async () => {
  const script = fileURLToPath(new URL('test/fixtures/modules/files-run.mjs', root));
  const { stdout } = await execa('node', [script], { env: { HOME: tempFolder() } });
  const { first, ready } = JSON.parse(stdout) as Record<'first' | 'ready', readonly string[]>;
  expect(ready).toContain('src/core/calls/run-tool-call.js');
  expect(alwaysRun(first).length).toBeLessThanOrEqual(64);
  expect(alwaysRun(ready).length).toBeLessThanOrEqual(42);
});
