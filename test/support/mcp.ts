import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { main } from './main.ts';
import { project } from './project.ts';
import { tempFolder } from './temp-folder.ts';
import { waitUntil } from './until.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The tests' own small server. */
export const ownServer = fileURLToPath(new URL('../fixtures/mcp/server.mjs', import.meta.url));

/** Settings with one or more hooks per hook point. */
export const hooks = (commands: Readonly<Record<string, string | readonly string[]>>) => ({
  '.hookmachine/settings.json': {
    hooks: Object.fromEntries(
      Object.entries(commands).map(([key, given]) => {
        const [point, matcher] = key.split(' ');
        const handlers = [given].flat().map((command) => ({ type: 'command', command }));
        return [point, [{ ...(matcher && { matcher }), hooks: handlers }]];
      }),
    ),
  },
});

/** A command that prints what a hook says on stdout. */
export const says = (output: object): string => `echo '${JSON.stringify(output)}'`;

export interface McpRun {
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string | object>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the server of the tests. */
  readonly server?: readonly string[];
  /** What the client declares; with 'none', no session is started. */
  readonly capabilities?: object | 'none';
}

/** Starts the proxy in front of a server, with the test as the client. */
export async function startMcp({
  args = [],
  files = {},
  env = {},
  server = ['--', 'node', ownServer],
  capabilities = {},
}: McpRun = {}) {
  const folder = project(files);
  const read = join(folder, 'read');
  const running = execa('node', [main, 'mcp', ...args, ...server], {
    cwd: folder,
    env: { HOME: tempFolder(), XDG_STATE_HOME: '', HOOKMACHINE_TRUST: '1', READ: read, ...env },
    buffer: false,
    reject: false,
    timeout: 120_000,
  });
  onTestFinished(() => void running.kill('SIGKILL'));
  let stderr = '';
  const chunks: Buffer[] = [];
  running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  running.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  running.stdin.on('error', () => undefined);
  const bytes = (): Buffer => Buffer.concat(chunks);
  const messages = (): Fields[] =>
    bytes()
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Fields);
  const write = (given: object | string | Buffer): void => {
    const isText = typeof given === 'string' || Buffer.isBuffer(given);
    running.stdin.write(isText ? given : `${JSON.stringify({ jsonrpc: '2.0', ...given })}\n`);
  };
  const answerTo = (id: unknown): Promise<Fields> =>
    waitUntil(() => messages().find((message) => message['id'] === id && !message['method'])).then(
      (found) => found!,
    );
  /** Calls a tool as a client, and returns the result. */
  const call = async (id: number, name: string, given?: object, more: object = {}) => {
    const params = { name, ...(given && { arguments: given }), ...more };
    write({ id, method: 'tools/call', params });
    return (await answerTo(id))['result'] as CallResult;
  };
  /** What the server read, line by line. */
  const serverRead = (): string[] =>
    existsSync(read) ? readFileSync(read, 'utf8').split('\n').slice(0, -1) : [];
  if (capabilities !== 'none') {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 't' } };
    write({ id: 'hello', method: 'initialize', params });
    await answerTo('hello');
    write({ method: 'notifications/initialized' });
  }
  return {
    running,
    folder,
    write,
    call,
    answerTo,
    messages,
    bytes,
    serverRead,
    stderr: () => stderr,
  };
}

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: object;
  readonly _meta?: object;
}

/** The texts of a result. */
export const texts = ({ content }: CallResult): (string | undefined)[] =>
  content.map(({ text }) => text);
