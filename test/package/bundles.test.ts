import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPageTexts } from '../../src/watch/inspector/page-texts.ts';
import '../build.ts';
import { describeInBrowser, openPage, until } from '../watch/inspector/browser.ts';
import { sandbox } from '../support/sandbox.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bun = ['linux-x64', 'linux-aarch64', 'darwin-x64', 'darwin-aarch64']
  .map((platform) => join(root, `test/fixtures/bun/node_modules/@oven/bun-${platform}/bin/bun`))
  .find((path) => existsSync(path));

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** A folder in which the package is installed with its dependencies, and without optional packages. */
let apps: string;

beforeAll(() => {
  apps = mkdtempSync(join(tmpdir(), 'hookmachine-bundles-'));
  cpSync(join(root, 'test/fixtures/bundled'), apps, { recursive: true });
  const installed = join(apps, 'node_modules', 'hookmachine');
  mkdirSync(installed, { recursive: true });
  for (const name of ['package.json', 'dist'])
    cpSync(join(root, name), join(installed, name), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(apps, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(apps, 'node_modules', name));
  }
});
afterAll(() => rmSync(apps, { recursive: true, force: true }));

type App = 'core' | 'parts' | 'watched';

/** Bundles an app into a program, and returns the command that runs it. */
interface Bundler {
  readonly bundle: (app: App, folder: string) => Promise<readonly string[]>;
  /** Whether what runs the program strips types itself, as Bun and later versions of Node.js do. */
  readonly stripsTypes: boolean;
}

const nodeStripsTypes = 'typescript' in process.features && Boolean(process.features.typescript);

const withEsbuild = (format: 'esm' | 'cjs'): Bundler => ({
  stripsTypes: nodeStripsTypes,
  async bundle(app, folder) {
    const outfile = join(folder, format === 'esm' ? 'app.mjs' : 'app.cjs');
    const { errors, warnings } = await build({
      absWorkingDir: apps,
      entryPoints: [`${app}.mjs`],
      bundle: true,
      platform: 'node',
      format,
      outfile,
      logLevel: 'silent',
    });
    expect([errors, warnings]).toEqual([[], []]);
    return [process.execPath, outfile];
  },
});

const bundlers: Readonly<Record<string, Bundler>> = {
  'by esbuild as an ES module': withEsbuild('esm'),
  'by esbuild as CommonJS': withEsbuild('cjs'),
  ...(bun !== undefined && {
    'by bun build --compile': {
      stripsTypes: true,
      async bundle(app: App, folder: string) {
        const outfile = join(folder, 'app');
        await execa(bun, ['build', '--compile', '--outfile', outfile, `${app}.mjs`], { cwd: apps });
        return [outfile];
      },
    },
  }),
};

/** Starts an app in a place that holds only the bundle and the files that the app reads. */
async function start({ bundle }: Bundler, app: App, files: Readonly<Record<string, unknown>>) {
  const place = sandbox();
  const [command = '', ...args] = await bundle(app, place.folder);
  for (const [name, content] of Object.entries(files))
    place.write(join(place.project, name), content);
  return {
    running: execa(command, args, {
      cwd: place.project,
      env: { ...place.env, DEBUG: 'llxprt:core:hooks:planner' },
    }),
  };
}

async function run(...app: Parameters<typeof start>) {
  const { stdout, stderr } = await (await start(...app)).running;
  return { seen: JSON.parse(stdout) as Readonly<Record<string, unknown>>, stderr };
}

const needs = (what: string, name: string) =>
  `${what} needs the package ${name}; install it where hookmachine is installed: npm i ${name}`;

const says = `echo '{"decision":"deny","reason":"no"}'`;
const guards = {
  status: 'echo no >&2; exit 2',
  answer: says,
  'answer after its input was read': `cat >/dev/null; ${says}`,
  'answer that takes its time': `sleep 0.2; ${says}`,
  'answer of another program': `python3 -c 'import json, sys; json.load(sys.stdin); print(json.dumps({"decision": "deny", "reason": "no"}))'`,
};
const settings = `{
  // A comment.
  "tools": { "enableHooks": true },
  "hooks": {
    "BeforeTool": [
      { "matcher": "write_file", "hooks": [{ "type": "command", "command": "echo no >&2; exit 2" }, { "type": "nope" }] },
    ],
    "BeforeModel": [{ "hooks": [{ "type": "command", "command": "echo no model >&2; exit 2" }] }],
  },
}`;

/** `npm run package` tries all of them; otherwise only the one that most people use is tried. */
const tried = Object.entries(bundlers).slice(
  0,
  process.env['PACKAGE'] === undefined ? 1 : undefined,
);

describe.each(tried)('an app that is bundled %s', (_, bundler) => {
  test('a bundled app blocks what its guards forbid, with nothing beside it', async () => {
    const hooks = [
      ...Object.entries(guards).map(([name, command]) => ({ type: 'command', name, command })),
      {
        type: 'command',
        name: 'deadline',
        command: 'sleep 60',
        timeout: 300,
        onFailure: 'block',
      },
    ];
    const { seen, stderr } = await run(bundler, 'core', {
      'guards.json': { tools: { enableHooks: true }, hooks },
      '.llxprt/settings.json': settings,
      '.hookmachine/settings.json': {
        hooks: {
          'tool.before': [
            {
              matcher: 'typescript',
              hooks: [{ type: 'module', module: './guard.ts', onFailure: 'block' }],
            },
          ],
        },
      },
      'guard.ts': 'export default () => ({ decision: "deny" as string, reason: "no" });',
      '.claude/settings.json': {
        hooks: {
          PreToolUse: [{ hooks: [{ type: 'command', command: 'echo never >&2; exit 2' }] }],
        },
      },
    });
    const no = [false, 'no'];
    const late = [false, expect.stringContaining('timed out after 300ms')];
    expect(seen).toEqual({
      ...Object.fromEntries(Object.keys(guards).map((name) => [name, [no, no, no]])),
      deadline: [late, late, late],
      files: [no],
      typescript: [
        [
          false,
          bundler.stripsTypes
            ? 'no'
            : expect.stringContaining('the package @swc/wasm-typescript is not installed'),
        ],
      ],
      hosts: [[false, 'no\nnever']],
      model: [true, 'no model'],
    });
    expect(stderr).toContain('is "nope", so the hook was discarded');
    // The package that logs is not in the bundle, which is said once.
    expect(stderr.split('the package debug is not here')).toHaveLength(2);
    expect(stderr).not.toContain('continuing without hooks');
  });

  test('a bundled app has all other parts in it, and names the packages that are missing', async () => {
    const { seen } = await run(bundler, 'parts', {
      '.llxprt/settings.json': settings.replace('"BeforeModel"', '"AfterModel"'),
      'session.yaml': `
- calls:
    - { name: run_shell_command, args: { command: 'echo hi # AKIA4X7WQ2LZP5M3KD6R' } }
    - { name: glob, args: { pattern: "*.yaml" } }
    - { name: write_file, args: { file_path: x, content: y } }
- text: bye`,
    });
    const page = await readPageTexts();
    expect(seen).toEqual({
      page: { 'index.html': page['index.html'], 'main.js': page['main.js'] },
      diagram: expect.stringMatching(/^<svg/),
      results: [
        ['run_shell_command', 'done', 'hi\n'],
        ['glob', 'done', 'Found 1 matching file(s)'],
        ['write_file', 'blocked', 'no'],
      ],
      recorded: expect.arrayContaining(['recording', 'started', 'ended', 'answered', 'verdict']),
      hasSecret: false,
      machine: 'toolCall',
      missing: [
        needs('anthropic:m', '@ai-sdk/anthropic'),
        needs('google:m', '@ai-sdk/google'),
        needs('openai-compatible:m', '@ai-sdk/openai-compatible'),
        needs("Stately's inspector", '@statelyai/inspect'),
      ],
    });
  });

  describeInBrowser('and is watched', () => {
    test('a bundled app that is watched shows its calls', async () => {
      const { running } = await start(bundler, 'watched', { '.llxprt/settings.json': settings });
      onTestFinished(async () => {
        running.stdin.end();
        await running;
      });
      const [url] = await once(running.stdout.setEncoding('utf8'), 'data');
      const page = await openPage(String(url).trim());
      await page.getByRole('treeitem', { name: /write_file, blocked/ }).click();
      await until(() => page.locator('.lead').textContent(), expect.stringContaining('denied'));
      await until(() => page.locator('.way [aria-current]').textContent(), 'blocked');
    });
  });
});

test.skipIf(bun !== undefined)(
  'an app that is bundled by bun blocks (skipped: run npm ci --prefix test/fixtures/bun)',
  () => undefined,
);
