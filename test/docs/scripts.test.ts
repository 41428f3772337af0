import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { type Block, blocksOf, blockWith, pages } from '../support/blocks.ts';
import { starter } from '../support/main.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { demo, options, script, trusted } from './demo.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where blocks of a language are run, all of a page or of every page. */
const elsewhere: Readonly<Record<string, string>> = {
  console: 'test/docs/sessions.test.ts',
  json: 'test/docs/settings.test.ts',
  jsonc: 'test/docs/settings.test.ts',
  ts: 'test/package/types.test.ts',
  'docs/operations.md sql': 'test/durable/operations.test.ts',
  'docs/hooks.md python': 'test/docs/hooks.test.ts',
  'docs/hooks.md sh': 'test/docs/hooks.test.ts',
  'docs/recipes.md python': 'test/recipes/page.test.ts',
  'docs/recipes.md sh': 'test/recipes/page.test.ts',
  'docs/recipes.md yaml': 'test/recipes/page.test.ts',
};

interface Fired {
  readonly blocked: boolean;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly hooks: readonly { readonly success: boolean }[];
}

/** Runs the project's hooks before a tool, and returns their verdict. */
async function fired(box: Sandbox, tool_name: string, tool_input: object): Promise<Fired> {
  const { env, ...more } = options(box);
  const { stdout, stderr } = await execa(starter, ['fire', 'tool.before'], {
    ...more,
    env: { ...env, HOOKMACHINE_TRUST: '1' },
    input: JSON.stringify({ tool_name, tool_input }),
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Fired;
}

/** A project with one hook before tools, written as its page shows. */
function hooked(file: string, text: string, hook: object): Sandbox {
  const box = sandbox();
  script(box, `project/${file}`, text);
  box.write(box.own.project, { hooks: { 'tool.before': [{ hooks: [hook] }] } });
  return box;
}

/** Makes this package importable from the project. */
function installHere(box: Sandbox): void {
  box.write('project/node_modules/x', '');
  symlinkSync(root, join(box.project, 'node_modules/hookmachine'));
}

const writes = async (box: Sandbox, file_path: string): Promise<Fired> =>
  fired(box, 'write_file', { file_path, content: 'x' });

/** Runs the lines of a shell block. */
async function lines(box: Sandbox, { text }: Block, more: Record<string, string> = {}) {
  const { env, ...given } = options(box);
  return execa('bash', ['-e', '-c', text], { ...given, env: { ...env, ...more } });
}

/** Runs a block, or says why it is not run here and where what it shows is tested. */
type Run = ((block: Block) => Promise<void>) | string;

const plugin: Run = async ({ text }) => {
  const box = sandbox();
  installHere(box);
  const file = box.write('project/hooks.mjs', text);
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  expect(Object.values(exported).map((value) => typeof value)).toEqual(['function']);
};

/** Runs a block that needs these programs. */
const needing = (programs: readonly string[], run: Run): Run => {
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  return missing.length === 0 ? run : `${missing.join(', ')} is not installed; test/docs`;
};

const runs: Readonly<Record<string, readonly Run[]>> = {
  'README.md sh': [
    'it is the beginning of every run in CI; .ci/run',
    async () => {
      const box = sandbox();
      demo(box);
      expect(await writes(box, '.env')).toMatchObject({ blocked: true, reason: 'Secrets stay out of .env files.' }); // prettier-ignore
      expect(await writes(box, 'a.txt')).toMatchObject({ blocked: false });
    },
    'it is what runs in CI; .ci/run',
  ],
  'docs/adapters.md js': [plugin, plugin],
  'docs/command-line.md yaml': [
    async ({ text }) => {
      const box = sandbox();
      demo(box);
      box.write('project/no-env.hooktest.yaml', text);
      await trusted(box);
      const { stdout, exitCode } = await execa(starter, ['test'], options(box));
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/2 (?:tests )?passed/)]);
    },
    async ({ text }) => {
      const [, step] = parse(text) as [unknown, { readonly with: Record<string, string> }];
      const { inputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as { readonly inputs: object }; // prettier-ignore
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
    },
    async ({ text }) => {
      const { repos } = parse(text) as {
        readonly repos: readonly [{ readonly hooks: readonly object[] }];
      };
      const offered = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as { readonly id: string }[]; // prettier-ignore
      expect(offered.map(({ id }) => ({ id }))).toEqual(
        expect.arrayContaining([...repos[0].hooks]),
      );
    },
  ],
  'docs/operations.md sh': ['it serves until it is ended; test/durable/hub.test.ts'],
  'docs/durable.md js': ['it needs a package of 61 MB; test/durable'],
  'docs/durable.md sh': [
    needing(['jq', 'curl'], async ({ text }) => {
      const box = sandbox();
      const file = box.write('project/tell.sh', text);
      const got: [unknown, string][] = [];
      const server = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          got.push([request.headers['title'], body]);
          response.end();
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const input = JSON.stringify({
        message: 'ap-7: may write_file run? May it?',
        details: { approval_id: 'ap-7', call_id: 'c-1', tool_name: 'write_file' },
      });
      const env = { NOTIFY_URL: `http://127.0.0.1:${port}/topic` };
      await execa('sh', [file], { input, env });
      expect(got).toEqual([
        [
          'A call waits for approval',
          'ap-7: may write_file run? May it?\nhookmachine approvals answer ap-7 approve --as NAME\n',
        ],
      ]);
    }),
  ],
  'docs/embedding.md sh': ['it needs the registry; test/package'],
  'docs/hooks.md bash': [
    needing(['jq'], async ({ text }) => {
      const box = sandbox();
      const file = box.write('project/guard.sh', text);
      const answer = async (path: string) =>
        (await execa('bash', [file], { input: JSON.stringify({ toolArgs: { path } }) })).stdout;
      expect(JSON.parse(await answer('a/.env'))).toMatchObject({ permissionDecision: 'deny' });
      expect(await answer('a.txt')).toBe('');
    }),
  ],
  'docs/hooks.md js': [
    async ({ text }) => {
      const file = sandbox().write('project/redact.mjs', text);
      const { default: hook } = (await import(pathToFileURL(file).href)) as {
        readonly default: (event: object) => unknown;
      };
      const key = 'AKIAABCDEFGHIJKLMNOP';
      const held = hook({ stream: { text: `It is ${key.slice(0, 12)}`, done: false } });
      expect(held).toEqual({ text: '', held: 'It is AKIAABCDEFGH' });
      const done = hook({ stream: { text: `It is ${key}.`, done: true } });
      expect(done).toEqual({ text: 'It is [key].', held: '' });
      const whole = hook({ llm_response: { text: key } });
      expect(whole).toEqual({ hookSpecificOutput: { llm_response: { text: '[key]' } } });
      expect(hook({ llm_response: { text: 'no key' } })).toBeUndefined();
    },
  ],
  'docs/inspector.md yaml': ['it is the session of many samples; test/docs/sessions.test.ts'],
  'docs/new-host.md sh': [
    async (block) => {
      const box = sandbox();
      const prefix = join(box.home, 'npm');
      box.write('home/npm/lib/node_modules/x', '');
      symlinkSync(root, join(prefix, 'lib/node_modules/hookmachine'));
      const { exitCode, stderr } = await lines(box, block, { npm_config_prefix: prefix });
      expect([exitCode, stderr]).toEqual([0, '']);
      const [, event] = blocksOf('docs/new-host.md').filter(({ language }) => language === 'sh');
      box.write(box.own.user, { guards: 'on' });
      const relayed = await lines(box, event!);
      expect(JSON.parse(relayed.stdout)).toEqual(JSON.parse(blockWith('docs/new-host.md', 'json', 'verdict'))); // prettier-ignore
    },
    'it needs the agent that the sample before it installs, and is run with it; test/docs/scripts.test.ts', // prettier-ignore
  ],
  'docs/policies.md cedar': [
    async ({ text }) => {
      const box = sandbox();
      box.write('project/.hookmachine/policies/network.cedar', text);
      box.write(box.own.project, blockWith('docs/policies.md', 'json', 'tool.before'));
      const shell = (command: string) => fired(box, 'run_shell_command', { command });
      expect(await shell('curl https://example.com')).toMatchObject({ blocked: true, reason: expect.stringContaining('Only acme.dev may be reached.') }); // prettier-ignore
      expect(await shell('curl https://api.acme.dev')).toMatchObject({ blocked: false });
      expect(await writes(box, 'infra/main.tf')).toMatchObject({ decision: 'ask' });
      expect(await writes(box, 'src/main.ts')).toMatchObject({ blocked: false, decision: 'none' });
    },
  ],
  'docs/policies.md js': [
    async ({ text }) => {
      const box = hooked('policy.mjs', text, { type: 'module', module: './policy.mjs' });
      installHere(box);
      const shell = (command: string) => fired(box, 'run_shell_command', { command });
      expect(await shell('curl https://example.com')).toMatchObject({ blocked: true, reason: expect.stringContaining('Only our own API.') }); // prettier-ignore
      expect(await shell('curl https://api.acme.dev')).toMatchObject({ blocked: false });
    },
  ],
  'docs/policies.md sh': ['it needs the registry; test/package'],
  'docs/scripted-models.md sh': [
    async (block) => {
      const box = sandbox();
      box.write('project/session.yaml', blockWith('docs/scripted-models.md', 'yaml', '# session'));
      box.write('project/README.md', '# A project with hooks\n');
      const { stdout, exitCode } = await lines(box, block);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('It runs hooks around an agent')]); // prettier-ignore
      box.write('project/README.md', '# Something else\n');
      expect((await lines(box, block)).exitCode).toBe(1);
    },
  ],
  'docs/scripted-models.md yaml': [
    'it is run with its command; test/docs/scripts.test.ts',
    'it lists forms of one key; test/agent/models/scripted.test.ts',
  ],
  'docs/settings.md js': [
    async ({ text }) => {
      const box = hooked('guard.mjs', text, { type: 'module', module: './guard.mjs' });
      expect(await writes(box, '.env')).toMatchObject({ blocked: true, reason: 'Secrets stay out of .env files.' }); // prettier-ignore
      expect(await writes(box, 'a.txt')).toMatchObject({ blocked: false });
    },
  ],
  'docs/settings.md python': [
    async ({ text }) => {
      const box = hooked('keys.py', text, { type: 'live', command: 'python3 keys.py' });
      expect(await writes(box, 'a.pem')).toMatchObject({ blocked: true, reason: 'Keys have a place of their own.' }); // prettier-ignore
      expect(await writes(box, 'a.txt')).toMatchObject({ blocked: false });
    },
  ],
  'docs/speed.md sh': ['it takes ten minutes; bench/'],
  'docs/standards.md sh': ['it needs a running server; test/adapters/acs/acs.test.ts'],
  'docs/teams.md bash': ['it needs the registry; test/watch/opentelemetry'],
  'docs/troubleshooting.md sh': [
    async (block) => {
      const box = sandbox();
      demo(box);
      await trusted(box);
      const { stdout, exitCode } = await lines(box, block);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('does not match')]);
    },
  ],
};

/** Every block that is not run elsewhere, by its page and language. */
const blocks = grouped();

function grouped(): ReadonlyMap<string, readonly Block[]> {
  const found = new Map<string, Block[]>();
  for (const block of pages.flatMap(blocksOf)) {
    const key = `${block.page} ${block.language}`;
    if ((elsewhere[block.language] ?? elsewhere[key]) !== undefined) continue;
    found.set(key, [...(found.get(key) ?? []), block]);
  }
  return found;
}

test('every block of every page is run, or known to be run elsewhere', () => {
  const counts = [...blocks].map(([key, list]) => [key, list.length] as const);
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(Object.entries(runs).map(([key, list]) => [key, list.length])),
  );
  const named = [
    ...Object.values(elsewhere),
    ...Object.values(runs).flatMap((list) =>
      list.flatMap((run) => (typeof run === 'string' ? (run.split('; ')[1] ?? 'nothing') : [])),
    ),
  ];
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('a script of a page does what its page says', () => {
  for (const [key, list] of Object.entries(runs))
    for (const [index, run] of list.entries())
      test.skipIf(typeof run === 'string')(
        `${key}, number ${index + 1}${typeof run === 'string' ? ` (${run})` : ''}`,
        async () => {
          if (typeof run !== 'string') await run(blocks.get(key)![index]!);
        },
      );
});
