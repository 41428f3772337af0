import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, onTestFinished } from 'vitest';
import { main } from './main.ts';
import type { RelayBox } from './relay.ts';
import { waitUntil } from './until.ts';

/** The answer to a host over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** What the body holds, if it is JSON. */
  readonly answer: unknown;
}

interface Posting {
  readonly path?: string;
  readonly method?: string;
  /** Undefined for a header that is not to be sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Starts the command in a project, until the test has finished. */
export async function startServe(
  { project, env }: Pick<RelayBox, 'project' | 'env'>,
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
  atEnd: (end: () => void) => void = onTestFinished,
) {
  const running = execa('node', [main, 'serve', '--json', ...args], {
    cwd: project,
    env: { HOOKMACHINE_TRUST: '1', ...env, ...more },
    reject: false,
    forceKillAfterDelay: 20_000,
  });
  atEnd(() => void running.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  running.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  running.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await waitUntil(() => stdout.includes('\n') || running.exitCode !== null);
  const { url, tokenFile } = JSON.parse(stdout) as { url: string; tokenFile: string };
  const token = readFileSync(tokenFile, 'utf8').trim();
  const post = (
    given: object | string,
    { path = '/claude-code', method = 'POST', headers = {} }: Posting = {},
  ): Promise<HttpAnswer> => {
    const body = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
    const all = { authorization: `Bearer ${token}`, 'content-length': body.length, ...headers };
    return new Promise((resolve, reject) => {
      const sent = request(url + path, {
        method,
        agent: false,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        text(response).then(
          (content) =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: content,
              answer: parsed(content),
            }),
          reject,
        );
      });
      sent.end(body);
    });
  };
  return { running, url, token, tokenFile, post, stderr: () => stderr };
}

/** Starts one for all tests of a file that need none of their own: each has its own project and sessions. */
export function serveForAll(): () => Awaited<ReturnType<typeof startServe>> {
  let serve: Awaited<ReturnType<typeof startServe>>;
  beforeAll(async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'hookmachine-serve-')));
    const place = { project: home, env: { HOME: home, XDG_STATE_HOME: '' } };
    const endings: (() => void)[] = [];
    serve = await startServe(place, [], {}, (end) => endings.push(end));
    return async () => {
      for (const end of endings) end();
      await serve.running;
      rmSync(home, { recursive: true, force: true });
    };
  });
  return () => serve;
}

/** An event of Claude Code's before a tool, in this project. */
export const callIn = (project: string, more: object = {}): object => ({
  hook_event_name: 'PreToolUse',
  session_id: sessionIn(project),
  cwd: project,
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  ...more,
});

/** A session id for this project only, since a session stays in the project of its first event. */
export const sessionIn = (project: string): string => project.replaceAll(/\W+/g, '-');

/** Where the command keeps what it needs for its next start. */
export const keptIn = (home: string, name: string): string =>
  join(home, '.local/state/hookmachine/serve', name);

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
