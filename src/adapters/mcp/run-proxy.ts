import type { Readable, Writable } from 'node:stream';
import { linesOf, onOwnLines } from './lines.ts';
import { McpProxy, type McpProxyOptions } from './proxy.ts';
import type { Server, ServerEnd } from './server.ts';
import { drained, flushed, untilClosed } from './streams.ts';

/**
 * How long a server may take once nobody speaks to it any more, in ms: to answer what is open, then to end by
 * itself, then to end when it is told to.
 */
const limits = { answers: 10_000, end: 2_000, terminate: 1_500 } as const;

export interface RunProxyOptions extends Omit<McpProxyOptions, 'toClient' | 'toServer'> {
  readonly server: Server;
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when everything must end at once, no matter who waits for something. */
  readonly signal: AbortSignal;
}

/**
 * Passes messages between a client and a server until one of them is gone. Resolves with the command's exit
 * status.
 */
export async function runProxy(options: RunProxyOptions): Promise<number> {
  const { server, input, output, signal } = options;
  const proxy = new McpProxy({
    ...options,
    toClient: onOwnLines((line) => void output.write(line)),
    toServer: onOwnLines((line) => server.send(line)),
  });
  const serverGone = untilServerGone(proxy, server, output);
  const clientGone = untilClientGone(proxy, server, input);
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  void aborted.then(() => proxy.withdrawAll('the client has gone'));
  const orGone = [serverGone, aborted];
  await Promise.race([clientGone, ...orGone]);
  input.destroy();
  proxy.clientEnded();
  await Promise.race([proxy.judged(), ...orGone]);
  server.end();
  const closed = proxy.settled().then(() => proxy.end());
  await within(limits.answers, proxy.settled(), ...orGone);
  const isOver = await within(limits.end, ...orGone);
  const hasEnded = isOver && !signal.aborted;
  if (!hasEnded) {
    server.terminate();
    await within(limits.terminate, serverGone);
    server.kill();
  }
  const { status } = await serverGone;
  await closed;
  await Promise.race([flushed(output), aborted]);
  return hasEnded ? status : 0;
}

async function untilServerGone(
  proxy: McpProxy,
  server: Server,
  output: Writable,
): Promise<ServerEnd> {
  for await (const line of server.lines) {
    proxy.fromServer(line);
    await drained(output);
  }
  const end = await server.ended;
  proxy.serverEnded(end.why);
  return end;
}

async function untilClientGone(proxy: McpProxy, server: Server, input: Readable): Promise<void> {
  for await (const line of linesOf(untilClosed(input))) {
    proxy.fromClient(line);
    await server.drained();
  }
}

/** Waits for the first of these, but no longer than `limit` (ms). Returns whether it came in time. */
async function within(limit: number, ...awaited: readonly Promise<unknown>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limit);
  });
  const inTime = await Promise.race([late, ...awaited.map((one) => one.then(() => true))]);
  clearTimeout(timer);
  return inTime;
}
