import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { HookCommand, HookExit } from '../../../machines/hook-process.ts';
import { type Kept, OutputCollector, OutputHead, pipeSize, readNow } from './collect-output.ts';
import { type HookStdin, openInput, openOutput } from './pipes.ts';
import { environmentOf, expandCommand, findShell, systemShell } from './programs.ts';
import { askForPids, marked, newMark, type Run, tellsPids } from './strays.ts';

/** A hook's own process, with its input on the way. */
export interface StartedHook {
  readonly child: ChildProcess;
  readonly streams: HookStreams;
  readonly run: Run;
}

/** A way to start a hook. */
export type StartHook = (command: HookCommand, stdin: string) => StartedHook;

/** Starts a hook as a shell with `-c` and its command, or as the program it names. */
export function startPlainly(
  command: HookCommand,
  stdin: string,
  streams = new HookStreams(),
): StartedHook {
  try {
    streams.fill(stdin);
    const [program, args] = programOf(command);
    const mark = newMark();
    askForPids();
    const child = streams.handOver((stdio) =>
      spawn(program, args, {
        cwd: command.cwd,
        env: marked(environmentOf(command), mark),
        stdio,
        // A group of its own, so that what it starts ends with it.
        detached: true,
      }),
    );
    const { pid = 0 } = child;
    const after = pid > 0 && tellsPids(pid) ? pid : undefined;
    return { child, streams, run: { mark, leader: pid, after } };
  } catch (error) {
    streams.release();
    throw error;
  }
}

/** Returns what is started for a hook, and with which arguments. */
export const programOf = ({
  command,
  args,
  env,
  isClean,
  shell,
}: HookCommand): [string, readonly string[]] => {
  if (args) return [command, args];
  switch (shell) {
    case 'powershell':
      return ['pwsh', ['-NoProfile', '-NonInteractive', '-Command', command]];
    case 'sh':
      return ['/bin/sh', ['-c', expandCommand(command, env)]];
    default:
      return [isClean ? systemShell() : findShell(), ['-c', expandCommand(command, env)]];
  }
};

/** How much is kept of each output stream, in bytes (10 MiB). */
export const outputLimit = 10 * 1024 * 1024;

/**
 * How long a hook's outputs are left unread, in ms. Most hooks have finished by then and have written no more
 * than fits into a pipe; following a pipe costs the host more time than reading it once.
 */
const patience = 10;

const outputNames = ['stdout', 'stderr'] as const;

/** The standard streams of one process: filled, handed over to it, then read, and finally released. */
export class HookStreams {
  #input: HookStdin | undefined;
  readonly #outputs = outputNames.map(() => orNodesPipe(openOutput));
  #text = '';
  #collectors: OutputCollector[] = [];
  readonly #kept: readonly Kept[];
  #child: ChildProcess | undefined;
  #reading: NodeJS.Timeout | undefined;
  #isHandedOver = false;
  #isReleased = false;

  /** The input is a file, unless a process must wait for it. */
  constructor(
    makeInput: () => HookStdin = openInput,
    makeKept: () => Kept = () => new OutputHead(outputLimit),
  ) {
    this.#input = orNodesPipe(makeInput);
    this.#kept = outputNames.map(makeKept);
  }

  /** Whether none of the streams is one of Node's pipes. */
  get areFiles(): boolean {
    return this.#input !== undefined && !this.#outputs.includes(undefined);
  }

  /** Whether the process has already written something; what it wrote is then lost. */
  get haveBegun(): boolean {
    return this.#outputs.some(
      (output) => output !== undefined && (readNow(output.reader)?.length ?? 0) > 0,
    );
  }

  /** Provides the input: before the process starts, or before it receives what to run. */
  fill(text: string): void {
    this.#text = text;
    try {
      this.#input?.fill(text);
    } catch (error) {
      if (this.#isHandedOver) throw error;
      // A pipe needs no disk space for what it carries.
      closeSync(this.#input!.reader);
      this.#input = undefined;
    }
  }

  /** Starts a process with these streams; afterwards it alone holds its ends of them. */
  handOver<Started>(start: (stdio: (number | 'pipe')[]) => Started): Started {
    try {
      return start(this.#theirs.map((fd) => fd ?? 'pipe'));
    } finally {
      this.#closeTheirs();
    }
  }

  get #theirs(): (number | undefined)[] {
    return [this.#input?.reader, ...this.#outputs.map((output) => output?.writer)];
  }

  #closeTheirs(): void {
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    for (const fd of this.#theirs) if (fd !== undefined) closeSync(fd);
  }

  /**
   * Begins to read the process's output, and feeds it if its input is a pipe; `onEnd` is called when an
   * output that is read as it arrives ends.
   */
  attach(child: ChildProcess, onEnd: () => void): void {
    this.#child = child;
    this.#collectors = outputNames.map((name, index) => {
      const output = this.#outputs[index]?.reader ?? child[name]!;
      return new OutputCollector(output, this.#kept[index]!, onEnd);
    });
    // A hook that receives much may answer with as much.
    if (this.#text.length > pipeSize) this.readOn();
    else this.#reading = setTimeout(() => this.readOn(), patience).unref();
    // A hook need not read its input: EPIPE is not a failure.
    child.stdin?.on('error', () => undefined).end(this.#text);
  }

  /** Reads all outputs to their ends: at once if those are there already, otherwise as output arrives. */
  readOn(): void {
    clearTimeout(this.#reading);
    for (const collector of this.#collectors) collector.readOn();
  }

  /** Whether all writers have closed both outputs. */
  get ended(): boolean {
    return this.#collectors.every(({ ended }) => ended);
  }

  /** What has been read so far. */
  read(): Pick<HookExit, 'stdout' | 'stderr' | 'truncated'> {
    const [stdout = '', stderr = ''] = this.#kept.map((kept) => kept.text());
    return {
      stdout,
      stderr,
      truncated: outputNames.filter((_, index) => this.#kept[index]!.truncated),
    };
  }

  /** Leaves the outputs to whatever still holds them and would be killed by a closed pipe. */
  leave(): void {
    for (const collector of this.#collectors) if (!collector.ended) collector.leave();
  }

  /** Releases everything, even if something still holds the other ends. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearTimeout(this.#reading);
    this.#closeTheirs();
    this.#input?.close?.();
    for (const [index, output] of this.#outputs.entries()) {
      const collector = this.#collectors[index];
      output?.release(collector?.ended ?? true);
      if (output !== undefined && collector === undefined) closeSync(output.reader);
      collector?.destroy();
    }
    this.#child?.stdin?.destroy();
  }
}

/** If we cannot make a stream, the hook still runs, with one that it cannot open by name. */
function orNodesPipe<Stream>(open: () => Stream): Stream | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
