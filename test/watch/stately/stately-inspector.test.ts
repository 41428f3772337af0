import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer, type RawData } from 'ws';
import { createMachine } from 'xstate';
import { loadStately } from '../../../src/watch/stately/stately-package.ts';
import {
  statelyInspector,
  type StatelyInspectorOptions,
} from '../../../src/watch/stately/stately-inspector.ts';
import '../../build.ts';
import { callTool } from '../../support/call-tool.ts';
import { sandbox } from '../../support/sandbox.ts';
import { inParallel } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

interface Message {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
  readonly name?: string;
  readonly sessionId: string;
  readonly parentId?: string;
  readonly definition?: string;
  readonly event?: { readonly type: string };
  readonly snapshot?: { readonly status: string; readonly value?: unknown };
}

const messageIn = (data: RawData): Message =>
  JSON.parse((data as Buffer).toString('utf8')) as Message;

/** A WebSocket server like Stately's, which keeps what it receives. */
async function server({ answersAfter = 0 } = {}) {
  const messages: Message[] = [];
  const sockets = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    verifyClient: (_, answer: (isWelcome: boolean) => void) =>
      void setTimeout(answer, answersAfter, true),
  });
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => messages.push(messageIn(data))),
  );
  await once(sockets, 'listening');
  const stop = () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  };
  onTestFinished(stop);
  const url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
  return { messages, sockets, url, stop };
}

const guard = { BeforeTool: inParallel({ name: 'guard', command: 'echo SPOKEN >&2; exit 2' }) };
const input = { file_path: 'ARGUMENT', password: 'hunter2', note: 'sk-1' };

async function inspected(options: StatelyInspectorOptions) {
  const stately = await statelyInspector(options);
  onTestFinished(() => stately.close());
  const { outcome } = await callTool(guard, { input, config: { inspect: stately.observe } });
  expect(outcome.status).toBe('blocked');
  return stately;
}

const isDone = ({ type, snapshot }: Message) =>
  type === '@xstate.snapshot' && snapshot?.value === 'blocked';
const untilDone = (messages: readonly Message[]) => waitUntil(() => messages.some(isDone));

describe('a Stately server', () => {
  test('a Stately server receives every machine, in a form that it can draw, and each of its states', async () => {
    const { messages, url } = await server();
    await inspected({ url });
    await untilDone(messages);
    const machines = messages.filter(
      ({ type, definition }) => type === '@xstate.actor' && definition?.includes('"states"'),
    );
    expect(machines.map(({ definition }) => createMachine(JSON.parse(definition!)).id)).toEqual([
      'toolCall',
      'hookEvent',
      'hookProcess',
    ]);
    expect(machines[1]?.parentId).toBe(machines[0]?.sessionId);
    const values = messages.flatMap(({ sessionId, snapshot, type }) =>
      type === '@xstate.snapshot' && sessionId === machines[0]?.sessionId ? [snapshot?.value] : [],
    );
    expect(values).toEqual([{ beforeHooks: 'running' }, 'blocked']);
    expect(messages.some(({ event }) => event?.type === 'process.closed')).toBe(true);
  });

  test('a Stately server receives no contexts, arguments or results by default', async () => {
    const { messages, url } = await server();
    await inspected({ url });
    await untilDone(messages);
    expect(JSON.stringify(messages)).not.toMatch(/ARGUMENT|hunter2|SPOKEN/);
  });

  test('a Stately server receives redacted payloads on request', async () => {
    const { messages, url } = await server();
    await inspected({ url, payloads: true, redact: ['/sk-\\d/'] });
    await untilDone(messages);
    const text = JSON.stringify(messages);
    expect(text).toContain('ARGUMENT');
    expect(text).toContain('SPOKEN');
    expect(text).not.toMatch(/hunter2|sk-1/);
  });

  test('a Stately server that goes away is warned about once, and no call fails', async () => {
    const { messages, url, stop } = await server();
    const onWarning = vi.fn();
    const stately = await inspected({ url, onWarning });
    await untilDone(messages);
    stop();
    await waitUntil(() => onWarning.mock.calls.length > 0);
    const { outcome } = await callTool(guard, { config: { inspect: stately.observe } });
    expect(outcome.status).toBe('blocked');
    expect(onWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^ws:.*Stately's inspector can no longer be reached \(.*\); nothing more is sent/,
        ),
      ],
    ]);
  });

  test('a Stately server that was never there is tried a few times and then given up', async () => {
    const { url, stop } = await server();
    stop();
    const onWarning = vi.fn();
    await inspected({ url, onWarning });
    await waitUntil(() => onWarning.mock.calls.length > 0);
    expect(onWarning.mock.calls).toEqual([[expect.stringContaining('ECONNREFUSED')]]);
  });

  test('a Stately server that starts late still receives everything', async () => {
    const { url, stop, sockets } = await server();
    const { port } = sockets.address() as AddressInfo;
    stop();
    await once(sockets, 'close');
    await inspected({ url });
    const late = new WebSocketServer({ host: '127.0.0.1', port });
    onTestFinished(() => {
      for (const socket of late.clients) socket.terminate();
      late.close();
    });
    const messages: Message[] = [];
    late.on('connection', (socket) =>
      socket.on('message', (data) => messages.push(messageIn(data))),
    );
    await untilDone(messages);
    expect(messages.some(({ definition }) => definition?.includes('"toolCall"'))).toBe(true);
  });

  test('a Stately server receives nothing that the settings or the host redact', async () => {
    const { project, files, write } = sandbox();
    write(files.project, { hooksConfig: { redact: ['file_path'] } });
    const { messages, url } = await server();
    const warnings: string[] = [];
    const onWarning = (line: string) => void warnings.push(line);
    await inspected({ url, cwd: project, payloads: true, redact: ['/sk-\\d/'], onWarning });
    await untilDone(messages);
    const text = JSON.stringify(messages);
    expect(text).toContain('SPOKEN');
    expect(text).not.toMatch(/ARGUMENT|sk-1|hunter2/);
    expect(warnings).toEqual([]);
  });

  test('a Stately server receives no payloads while a redaction rule is broken', async () => {
    const { project, files, write } = sandbox();
    write(files.project, { hooksConfig: { redact: 7 } });
    await expect(statelyInspector({ cwd: project, payloads: true })).rejects.toThrow(
      /hooksConfig\.redact: is 7; make it an array/,
    );
  });

  test.each([
    ['ws://example.org:8080', /example\.org:8080 is not on this machine, .* use a server on 127/],
    ['ws://10.0.0.1:1', /is not on this machine/],
    ['http://127.0.0.1:1', /is not the address of a WebSocket server; use ws:/],
    ['nonsense', /is not the address of a WebSocket server/],
  ])('a Stately server that is not on this machine is refused: %s', async (url, message) => {
    await expect(statelyInspector({ url })).rejects.toThrow(message);
  });
});

const dist = (file: string): string =>
  fileURLToPath(new URL(`../../../dist/src/${file}.js`, import.meta.url));

/** A process that is inspected and then has nothing more to do. */
const inspectedProcess = (options: StatelyInspectorOptions) => {
  const script = `
    const { statelyInspector } = await import(${JSON.stringify(dist('watch/stately/stately-inspector'))});
    const { createConfig } = await import(${JSON.stringify(dist('index'))});
    const { ToolScheduler, builtInTools } = await import(${JSON.stringify(dist('entries/agent'))});
    const stately = await statelyInspector(${JSON.stringify(options)});
    const config = createConfig({ cwd: process.cwd(), settings: {}, inspect: stately.observe });
    const requests = [{ id: '1', name: 'list_directory', input: { dir_path: '.' } }];
    await new ToolScheduler({ config, tools: builtInTools() }).schedule(requests);
    console.log('done');
  `;
  return execa('node', ['--input-type=module', '-e', script], { timeout: 120_000, reject: false });
};

describe('an inspected process', () => {
  test('an inspected process ends on its own without a server', async () => {
    const { url, stop } = await server();
    stop();
    const { stdout, exitCode } = await inspectedProcess({ url });
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
  });

  test('an inspected process ends on its own beside a running server, which has received everything', async () => {
    const { messages, url } = await server();
    const { stdout, exitCode } = await inspectedProcess({ url });
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
    await waitUntil(() => messages.some(({ snapshot }) => snapshot?.value === 'done'));
  });

  test('a server that is slow to connect receives everything from an inspected process', async () => {
    const { messages, sockets, url } = await server({ answersAfter: 300 });
    const { stdout, exitCode } = await inspectedProcess({ url });
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
    await waitUntil(() => sockets.clients.size === 0);
    expect(messages.some(({ snapshot }) => snapshot?.value === 'done')).toBe(true);
  });

  test('an inspected process ends on its own even if its server never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { stdout, exitCode } = await inspectedProcess({ url: `ws://127.0.0.1:${port}` });
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
  });

  test('an inspected process ends on its own even if its page could still be opened', async () => {
    const { stdout, exitCode } = await inspectedProcess({});
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
  });
});

describe('the page that embeds Stately’s inspector', () => {
  test('the relay page is served to anyone who has its address, and to nobody else', async () => {
    const { url } = await inspected({});
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('src="https://stately.ai/inspect"');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${origin}/messages`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(403);
  });

  test('the relay page is served on the loopback address only', async () => {
    const { url } = await inspected({});
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  const outer = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);

  test.skipIf(outer === undefined)(
    'the relay page cannot be reached at an external address of this machine',
    async () => {
      const { port, pathname } = new URL((await inspected({})).url);
      await expect(fetch(`http://${outer?.address}:${port}${pathname}`)).rejects.toThrow();
    },
  );

  test('the relay page receives what happened before it was opened, and what comes after', async () => {
    const stately = await inspected({});
    const response = await fetch(`${stately.url}messages`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (count: number) => {
      while (text.split('"toolCall\\"').length <= count || !text.endsWith('\n\n')) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream has ended');
        text += value;
      }
    };
    await readUntil(1);
    await callTool(guard, { config: { inspect: stately.observe } });
    await readUntil(2);
    await reader.cancel();
    const messages = text
      .trim()
      .split('\n\n')
      .map((line) => JSON.parse(line.replace(/^data: /, '')) as Message);
    expect(messages[0]).toMatchObject({ type: '@xstate.actor' });
    expect(messages.some(isDone)).toBe(true);
  });

  test('the relay page is gone once it is closed', async () => {
    const stately = await inspected({});
    stately.close();
    await expect(fetch(stately.url)).rejects.toThrow();
  });
});

describe('the optional package', () => {
  test('a missing optional package is reported with what to install', async () => {
    await expect(loadStately('@statelyai/no-such-package')).rejects.toThrow(
      "Stately's inspector needs the package @statelyai/no-such-package; install it where hookmachine is installed: npm i @statelyai/no-such-package",
    );
  });
});
