import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../support/main.ts';
import { hooks, says, texts, type CallResult } from '../../support/mcp.ts';
import { project } from '../../support/project.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { waitUntil } from '../../support/until.ts';
import { isWhole, packageOf } from '../installed.ts';

const sdk = packageOf('mcp', '@modelcontextprotocol/sdk');
const everything = join(
  packageOf('mcp', '@modelcontextprotocol/server-everything') ?? '',
  'dist/index.js',
);
const filesystem = join(
  packageOf('mcp', '@modelcontextprotocol/server-filesystem') ?? '',
  'dist/index.js',
);

/** The parts of the published client that are used here; its types are missing if it is not installed. */
interface Client {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(
    request: { readonly name: string; readonly arguments?: object },
    schema?: undefined,
    options?: object,
  ): Promise<CallResult>;
  listResources(): Promise<{ readonly resources: readonly unknown[] }>;
  setRequestHandler(schema: unknown, handle: (request: never) => unknown): void;
}

type Loaded = Readonly<Record<string, unknown>>;

const load = async (path: string): Promise<Loaded> =>
  (await import(pathToFileURL(join(sdk!, 'dist/esm', path)).href)) as Loaded;

/** Connects the published client to a server through the proxy, in a project with these files. */
async function connected(
  server: readonly string[],
  files: Readonly<Record<string, string | object>>,
  capabilities: object = {},
) {
  const { Client: Made } = (await load('client/index.js')) as {
    Client: new (info: object, options: object) => Client;
  };
  const { StdioClientTransport: Transport } = (await load('client/stdio.js')) as {
    StdioClientTransport: new (options: object) => unknown;
  };
  const folder = project(files);
  const client = new Made({ name: 'test', version: '1' }, { capabilities });
  const env = { PATH: process.env['PATH'], HOME: tempFolder(), HOOKMACHINE_TRUST: '1' };
  const args = [main, 'mcp', ...server];
  const transport = new Transport({ command: 'node', args, cwd: folder, env, stderr: 'ignore' });
  onTestFinished(() => client.close());
  return { client, folder, open: () => client.connect(transport) };
}

const guard = hooks({
  'tool.before ^(?:echo|write_file)$': `grep -q secret && { echo 'secrets stay here' >&2; exit 2; }; true`,
  'tool.after ^get-sum$': says({ hookSpecificOutput: { additionalContext: 'by the way' } }),
});

const whole = test.skipIf(!sdk || !isWhole);

test.skipIf(!sdk)(
  'the published MCP client, through the proxy, reads why a tool of a published server was denied',
  async () => {
    const { client, open } = await connected(['--', 'node', everything], guard);
    await open();
    expect(texts(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toEqual([
      'Echo: hi',
    ]);
    expect(await client.callTool({ name: 'echo', arguments: { message: 'secret' } })).toEqual({
      content: [{ type: 'text', text: 'secrets stay here' }],
      isError: true,
    });
    expect(texts(await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } }))).toEqual([
      'The sum of 1 and 2 is 3.',
      'by the way',
    ]);
  },
);

whole(
  'the published MCP client, through the proxy, guards the files of the published file server',
  async () => {
    const { client, folder, open } = await connected(['--', 'node', filesystem, '.'], guard);
    await open();
    const write = (content: string) =>
      client.callTool({ name: 'write_file', arguments: { path: join(folder, 'a'), content } });
    expect(await write('plain')).not.toHaveProperty('isError');
    expect(await write('secret')).toMatchObject({ isError: true });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('plain');
  },
);

whole(
  'the published MCP client, through the proxy, finds everything else of the published server as it is without the proxy',
  async () => {
    const { client, open } = await connected(['--', 'node', everything], guard);
    await open();
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    const progress: unknown[] = [];
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
      undefined,
      { onprogress: (one: unknown) => progress.push(one) },
    );
    expect(progress.length).toBeGreaterThan(2);
  },
);

whole('the published MCP client, through the proxy, asks its user when a hook asks', async () => {
  const { ElicitRequestSchema } = await load('types.js');
  const { client, open } = await connected(
    ['--', 'node', everything],
    hooks({ 'tool.before': says({ decision: 'ask', reason: 'Really?' }) }),
    { elicitation: {} },
  );
  const asked: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }: { params: unknown }) => {
    asked.push(params);
    return { action: asked.length === 1 ? 'accept' : 'decline' };
  });
  await open();
  const call = () => client.callTool({ name: 'echo', arguments: { message: 'hi' } });
  expect(texts(await call())).toEqual(['Echo: hi']);
  expect(await call()).toMatchObject({ isError: true });
  expect(asked[0]).toMatchObject({ message: expect.stringContaining('Really?') as string });
});

whole(
  'the published MCP client, through the proxy, speaks to a published server over HTTP',
  async () => {
    const port = String(20_000 + (process.pid % 20_000));
    const running = execa('node', [everything, 'streamableHttp'], {
      env: { PORT: port },
      reject: false,
    });
    onTestFinished(() => void running.kill('SIGKILL'));
    let log = '';
    running.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    running.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await waitUntil(() => log.includes('listening'));
    const { client, open } = await connected(['--url', `http://127.0.0.1:${port}/mcp`], guard);
    await open();
    expect(texts(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toEqual([
      'Echo: hi',
    ]);
    expect(await client.callTool({ name: 'echo', arguments: { message: 'secret' } })).toMatchObject(
      { isError: true },
    );
    await client.close();
    await waitUntil(() => log.includes('termination'));
  },
);

whole(
  'the published conformance suite reports the same for a server behind the proxy, over stdio and over HTTP, as for the server',
  async () => {
    const here = import.meta.dirname;
    const server = ['node', join(here, 'conformance-server.mjs')];
    const folder = project(
      hooks({ 'tool.before': 'true', 'tool.after ^test_error_handling$': 'true' }),
    );
    /** Serves over HTTP what a command says over stdio, and returns the address. */
    const serve = async (...command: readonly string[]): Promise<string> => {
      const running = execa('node', [join(here, 'http-bridge.mjs'), ...command], {
        cwd: folder,
        env: { HOME: tempFolder(), HOOKMACHINE_TRUST: '1' },
        reject: false,
      });
      onTestFinished(() => void running.kill('SIGKILL'));
      let port = '';
      running.stdout.on('data', (chunk: Buffer) => (port += chunk.toString()));
      await waitUntil(() => port.endsWith('\n'));
      return `http://127.0.0.1:${port.trim()}/mcp`;
    };
    const suite = join(packageOf('mcp', '@modelcontextprotocol/conformance')!, 'dist/index.js');
    const findings = async (url: string): Promise<readonly string[]> => {
      const args = ['-y', '--ignore-scripts=false', 'node@24', suite, 'server', '--url', url];
      // It needs a newer Node. Its check of the address that a request names concerns only the bridge, and
      // fails.
      const { stdout } = await execa('npx', args, { cwd: tempFolder(), reject: false });
      return stdout.split('\n').filter((line) => /^(?:[✓✗]|Total)/.test(line));
    };
    const proxy = ['node', main, 'mcp'];
    const direct = await serve(...server);
    const [plain, stdio, http] = await Promise.all([
      findings(direct),
      serve(...proxy, '--', ...server).then(findings),
      serve(...proxy, '--url', direct).then(findings),
    ]);
    expect(plain.at(-1)).toBe('Total: 39 passed, 1 failed');
    expect(stdio).toEqual(plain);
    expect(http).toEqual(plain);
  },
  600_000,
);
