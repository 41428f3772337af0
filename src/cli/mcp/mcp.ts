import { constants } from 'node:os';
import { readyHookSystem } from '../../core/calls/event-hooks.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { warn, warnPlainly } from '../../base/log.ts';
import { connectServer } from '../../adapters/mcp/connect-server.ts';
import { runProxy } from '../../adapters/mcp/run-proxy.ts';
import type { Server } from '../../adapters/mcp/server.ts';
import { startServer } from '../../adapters/mcp/start-server.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { onReaderGone } from '../../hosts/relay/guard-streams.ts';
import { reportChanges } from '../parts/report-changes.ts';
import { inspected, type InspectOptions } from '../parts/inspect-option.ts';
import { whichHooks } from '../../hosts/relay/no-hooks-option.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { recorded, type RecordingOptions } from '../parts/recording-option.ts';
import { reportMissingGuards } from '../../hosts/relay/report-missing.ts';
import { sessionNotes } from '../../hosts/relay/session-notes.ts';
import { onlyTrusted } from '../../hosts/relay/trust-option.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';

export interface McpOptions extends RecordingOptions, InspectOptions {
  readonly cwd: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly server?: string;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long, in ms, a client's calls are still carried out after it has stopped reading. */
const readerGoneLimit = 10_000;

/** Sits between a client on stdin and stdout and a server, until one of them is gone. */
export async function mcp(command: readonly string[], options: McpOptions): Promise<void> {
  const start = serverOf(command, options);
  const folder = projectFolder(options.cwd);
  if (options.hooks) await reportMissingGuards(folder);
  const { watching, done } = await inspected(folder, options, await recorded(folder, options));
  const config = createConfig({
    cwd: folder,
    watch: true,
    dialects: options.dialects ?? presentDialects,
    onNote: sessionNotes((line) => warnPlainly(watching.onWarning, line)),
    ...whichHooks(options.hooks),
    ...onlyTrusted(folder, options.trust),
    ...watching,
  });
  const abort = new AbortController();
  let bySignal: number | undefined;
  for (const name of signals)
    process.on(name, () => {
      bySignal = 128 + constants.signals[name];
      abort.abort();
    });
  // A client that was killed may have written calls that hooks are still judging.
  onReaderGone(() => void setTimeout(() => abort.abort(), readerGoneLimit).unref());
  // Otherwise the first messages would wait for the hook system while later ones overtake them.
  const [server] = await Promise.all([
    start((text) => warn(watching.onWarning, text)),
    readyHookSystem(config),
  ]);
  const status = await runProxy({
    config,
    serverName: options.server,
    server,
    input: process.stdin,
    output: process.stdout,
    signal: abort.signal,
    onChanges: reportChanges,
  });
  config.getHookSystem()?.dispose();
  await done();
  process.exitCode = bySignal ?? status;
  // Nobody reads the output that may still be pending.
  if (abort.signal.aborted) process.exit();
}

/** How to reach the server that the command line names. */
function serverOf(
  command: readonly string[],
  { url, header = [] }: McpOptions,
): (tell: (text: string) => void) => Promise<Server> {
  const [program, ...args] = command;
  if ((program === undefined) === (url === undefined))
    throw new CommandFailure(
      'which MCP server? Give either the command that starts it, after "--", or its address with --url',
    );
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new CommandFailure(
        `--url ${url}: give the full address, such as https://example.com/mcp`,
      );
    const headers = Object.fromEntries(header.map(headerOf));
    return (tell) => Promise.resolve(connectServer(new URL(url), { headers, warn: tell }));
  }
  if (header.length > 0) throw new CommandFailure('--header needs --url');
  return () =>
    startServer([program!, ...args]).catch((cause: Error) => {
      throw new CommandFailure(`the MCP server cannot be started: ${cause.message}`, { cause });
    });
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandFailure('--header: give it as "Name: value"');
  return [name.toLowerCase(), value];
}
