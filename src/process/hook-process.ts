import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { execa, type StdinOption, type StdoutStderrOption } from 'execa';
import { fromCallback } from 'xstate';
import type {
  HookCommand,
  HookExit,
  ProcessOrder,
  ProcessReport,
} from '../../machines/hook-process.ts';
import { expandCommand } from './expand-command.ts';
import { isGroupAlive, signalGroup } from './group.ts';
import { OutputCollector } from './output-collector.ts';
import { openInput, openOutput, type OutputPipe } from './pipes.ts';
import { findShell } from './shell.ts';
import { forget, watch } from './watchdog.ts';

/** What is kept of each output stream, in bytes (10 MiB, G-01). */
export const outputLimit = 10 * 1024 * 1024;

/** How often a group is looked at whose leader has gone, in ms. */
const lookAgain = 10;

/**
 * Runs one hook command and reports what it did; it knows no policy and no deadline.
 *
 * It reports `process.closed` once the command has exited, its streams have ended and its process
 * group is empty, or when told to `collect` what there is.
 */
export const hookProcess = fromCallback<ProcessOrder, HookCommand>(
  ({ input, sendBack, receive }) => {
    const report: (report: ProcessReport) => void = sendBack;
    let running: RunningHook | undefined;
    try {
      running = new RunningHook(input, report);
    } catch (error) {
      report({ type: 'process.failed', error: error as Error });
    }
    receive((order) => running?.obey(order));
    return () => running?.abandon();
  },
);

class RunningHook {
  readonly #report: (report: ProcessReport) => void;
  readonly #startedAt = performance.now();
  readonly #pipes: OutputPipe[] = [];
  readonly #subprocess: ReturnType<typeof start>;
  #stdout: OutputCollector | undefined;
  #stderr: OutputCollector | undefined;
  #ended: { code: number | null; signal: string | null; durationMs: number } | undefined;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(command: HookCommand, report: (report: ProcessReport) => void) {
    this.#report = report;
    const text = command.stdin();
    const streams = openStreams(text, this.#pipes);
    try {
      this.#subprocess = start(command, streams.stdio);
    } finally {
      for (const fd of streams.lent) closeSync(fd);
    }
    // With `reject: false` this only ever resolves, and says why there was no process.
    const onResult = (result: { originalMessage?: string }): void => {
      if (this.#subprocess.pid === undefined) this.#fail(result);
    };
    void this.#subprocess.then(onResult);
    const { pid } = this.#subprocess;
    if (pid === undefined) return;
    watch(pid);
    this.#subprocess.once('exit', (code: number | null, signal: string | null) => {
      this.#ended = { code, signal, durationMs: performance.now() - this.#startedAt };
      report({ type: 'process.exited' });
      this.#closeIfDone();
    });
    const onEnd = (): void => this.#closeIfDone();
    this.#stdout = new OutputCollector(this.#stream('stdout'), outputLimit, onEnd);
    this.#stderr = new OutputCollector(this.#stream('stderr'), outputLimit, onEnd);
    const { stdin } = this.#subprocess;
    // A hook need not read its input: EPIPE is no failure (HOOK-192).
    stdin?.on('error', () => undefined).end(text);
    report({ type: 'process.started', pid });
  }

  obey(order: ProcessOrder): void {
    const { pid } = this.#subprocess;
    if (this.#closed || pid === undefined) return;
    switch (order.type) {
      case 'terminate':
        signalGroup(pid, 'SIGTERM');
        // A stopped process sees SIGTERM only once it goes on.
        signalGroup(pid, 'SIGCONT');
        return this.#closeIfDone();
      case 'kill':
        signalGroup(pid, 'SIGKILL');
        return this.#closeIfDone();
      case 'collect':
        return this.#close();
    }
  }

  /** The machine has let go of the hook: nothing of it may stay. */
  abandon(): void {
    const { pid } = this.#subprocess;
    if (this.#closed || pid === undefined) return;
    signalGroup(pid, 'SIGKILL');
    this.#release();
  }

  #stream(name: 'stdout' | 'stderr'): Readable {
    return this.#pipes[name === 'stdout' ? 0 : 1]?.reader ?? this.#subprocess[name]!;
  }

  #closeIfDone(): void {
    if (this.#closed || this.#ended === undefined) return;
    if (!this.#stdout?.ended || !this.#stderr?.ended) return;
    if (!isGroupAlive(this.#subprocess.pid!)) return this.#close();
    // What the hook left in the background holds no stream: only looking tells when it is gone.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#closeIfDone();
    }, lookAgain);
  }

  #close(): void {
    const exit: HookExit = {
      exitCode: this.#ended?.code ?? null,
      signal: this.#ended?.signal ?? null,
      stdout: this.#stdout?.text() ?? '',
      stderr: this.#stderr?.text() ?? '',
      truncated: (['stdout', 'stderr'] as const).filter((name) =>
        name === 'stdout' ? this.#stdout?.truncated : this.#stderr?.truncated,
      ),
      durationMs: this.#ended?.durationMs ?? performance.now() - this.#startedAt,
    };
    this.#release();
    this.#report({ type: 'process.closed', exit });
  }

  #fail(result: { originalMessage?: string }): void {
    this.#closed = true;
    for (const pipe of this.#pipes) {
      pipe.reader.destroy();
      pipe.release(true);
    }
    this.#report({
      type: 'process.failed',
      error: new Error(result.originalMessage ?? 'The process could not be started.'),
    });
  }

  #release(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    const clean = this.#stdout?.ended === true && this.#stderr?.ended === true;
    this.#stdout?.destroy();
    this.#stderr?.destroy();
    for (const pipe of this.#pipes) pipe.release(clean);
    forget(this.#subprocess.pid!);
  }
}

type Stdio = [StdinOption, StdoutStderrOption, StdoutStderrOption];

function start({ command, cwd, env }: HookCommand, stdio: Stdio) {
  return execa(findShell(), ['-c', expandCommand(command, env)], {
    cwd,
    env,
    stdio,
    // A group of its own, so that what it starts ends with it.
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
}

/** The descriptors for a hook's standard streams; those `lent` are to be closed once the hook has them. */
function openStreams(text: string, pipes: OutputPipe[]): { stdio: Stdio; lent: number[] } {
  const lent: number[] = [];
  try {
    const stdin = openInput(text);
    lent.push(stdin);
    for (let count = 0; count < 2; count++) {
      const pipe = openOutput();
      pipes.push(pipe);
      lent.push(pipe.writer);
    }
    return { stdio: lent as unknown as Stdio, lent };
  } catch {
    for (const fd of lent) closeSync(fd);
    for (const pipe of pipes.splice(0)) {
      pipe.reader.destroy();
      pipe.release(false);
    }
    return { stdio: ['pipe', 'pipe', 'pipe'], lent: [] };
  }
}
