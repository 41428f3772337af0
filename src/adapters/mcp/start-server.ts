import { once } from 'node:events';
import { constants } from 'node:os';
import { linesOf } from './lines.ts';
import type { Server, ServerEnd } from './server.ts';
import { drained, untilClosed } from './streams.ts';

/**
 * How long a server's last output is waited for, in ms, if something that it started holds its stdout open.
 */
const drainLimit = 1_000;

/**
 * Starts a server that speaks over stdin and stdout. It gets this process's environment, working directory
 * and stderr, as if the client had started it.
 */
export async function startServer([program, ...args]: readonly [
  string,
  ...string[],
]): Promise<Server> {
  const { execa } = await import('execa');
  const child = execa(program, args, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    buffer: false,
    cleanup: false,
    reject: false,
  });
  await once(child, 'spawn');
  const { stdin, stdout } = child;
  // It may have closed its stdin; its end is reported elsewhere.
  stdin.on('error', () => undefined);
  const ended = new Promise<ServerEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => stdout.destroy(), drainLimit);
      const settle = (): void => {
        clearTimeout(timer);
        resolve({
          status: code ?? 128 + constants.signals[signal!],
          why: `the MCP server ended (${signal ?? `exit status ${code}`})`,
        });
      };
      if (stdout.closed) settle();
      else stdout.once('close', settle);
    });
  });
  return {
    lines: linesOf(untilClosed(stdout)),
    send: (line) => void stdin.write(line),
    drained: () => drained(stdin),
    end: () => void stdin.end(),
    terminate: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}
