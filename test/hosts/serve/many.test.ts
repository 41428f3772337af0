import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guards, relayBox, type RelayBox } from '../../support/relay.ts';
import { callIn, serveForAll, startServe } from '../../support/serve.ts';

const serve = serveForAll();

/** Guards with a module, which costs no process for each call. */
function guardCheaply(box: RelayBox): void {
  box.write(
    join(box.project, 'guard.mjs'),
    `export default ({ tool_input }) => ({ decision: 'deny', reason: tool_input.command });`,
  );
  box.write(box.own.project, {
    hooks: { 'tool.before': [{ hooks: [{ type: 'module', module: './guard.mjs' }] }] },
  });
}

const named = (box: RelayBox, command: string): object =>
  callIn(box.project, { tool_input: { command } });

const reasonIn = ({ answer }: { readonly answer: unknown }): unknown =>
  (answer as { hookSpecificOutput?: Record<string, unknown> } | undefined)?.hookSpecificOutput?.[
    'permissionDecisionReason'
  ];

const range = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

describe('serve answers every host that has the token', () => {
  test('serve answers each of 200 posts that come at once (S-27)', async () => {
    const box = relayBox();
    guardCheaply(box);
    const { post } = serve();
    const answered = await Promise.all(range(200).map((n) => post(named(box, n))));
    expect(answered.map(reasonIn)).toEqual(range(200));
  });

  test('serve answers one post after another while a stranger opens 5,000 connections (S-27)', async () => {
    const box = relayBox();
    guardCheaply(box);
    const { post, url } = serve();
    const strangers: Socket[] = [];
    onTestFinished(() => strangers.forEach((socket) => socket.destroy()));
    const knock = (): void => {
      for (let n = 0; n < 250; n++) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket
          .on('error', () => undefined)
          .on('connect', () => socket.write('POST / HTTP/1.1\r\n'));
        strangers.push(socket);
      }
    };
    const reasons: unknown[] = [];
    for (const n of range(20)) {
      knock();
      reasons.push(reasonIn(await post(named(box, n))));
    }
    expect(strangers).toHaveLength(5_000);
    expect(reasons).toEqual(range(20));
  });
});

test('serve waits for hosts that have the token, when it was suspended and when their events come slowly', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const { running, url, token, post } = await startServe(box);
  const { host, port } = new URL(url);
  const body = JSON.stringify(callIn(box.project));
  const head = `POST /claude-code HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const hosts = range(21).map(() => {
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    return { socket, answer: text(socket) };
  });
  const [slow, ...others] = hosts;
  slow!.socket.write(head + body.slice(0, 10));
  await Promise.all(hosts.map(({ socket }) => once(socket, 'connect')));
  // It has accepted all of them by the time that it has answered one.
  await post(callIn(box.project));
  running.kill('SIGSTOP');
  for (const { socket } of others) socket.write(head + body);
  // Longer than a stranger may take.
  await setTimeout(4_000);
  running.kill('SIGCONT');
  for (const { answer } of others) expect(await answer).toContain('not here');
  for (const byte of body.slice(10, -10)) {
    slow!.socket.write(byte);
    await setTimeout(10);
  }
  slow!.socket.write(body.slice(-10));
  expect(await slow!.answer).toContain('not here');
});
