import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import { resolve } from 'node:path';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { openInputPipe, scratchFolder } from '../pipes.ts';
import { HookStreams, programOf, type StartedHook } from '../plain-start.ts';
import {
  isProcOurs,
  ownLimits,
  readAgain,
  runsWith,
  withoutStacks,
  type Limits,
} from '../processes.ts';
import { coarse, identitiesOf, environmentOf, findShell, systemShell } from '../programs.ts';
import { askForPids, lastPid, marked, newMark, tellsPids } from '../strays.ts';
import { forget, watch } from '../watchdog.ts';

/** A hook whose own process was started ahead of its event and waits on stdin. */
export class WaitingHook {
  readonly #child: ChildProcess;
  readonly #streams = new HookStreams(openInputPipe);
  readonly #mark = newMark();
  readonly #inheritance: Inheritance;
  readonly #files: readonly string[];
  readonly #identities: string;
  readonly #startedAt = Date.now();
  readonly #isCounted: boolean;
  #isHook = false;
  #isDismissed = false;

  /** `onEnd` is called if the process ends before it has received its input. */
  constructor(
    command: HookCommand,
    inheritance: Inheritance,
    files: readonly string[],
    onEnd: (hook: WaitingHook, bySignal: boolean) => void,
  ) {
    this.#inheritance = inheritance;
    this.#files = files;
    this.#identities = identitiesOf(files);
    const { cwd, env } = inheritance;
    try {
      if (!this.#streams.areFiles) throw new Error('A hook cannot be given pipes ahead of time.');
      const [program, args] = programOf(command);
      askForPids();
      this.#child = this.#streams.handOver((stdio) =>
        spawn(program, args, { cwd, env: marked(env, this.#mark), stdio, detached: true }),
      );
      // An error without a listener would end the host.
      this.#child.once('error', () => undefined);
      if (this.#child.pid === undefined) throw new Error('The hook could not be started.');
    } catch (error) {
      this.#streams.release();
      throw error;
    }
    const { pid } = this.#child;
    this.#child.once('exit', (_, signal) => {
      if (this.#isHook) return;
      this.#streams.release();
      forget(pid);
      if (!this.#isDismissed) onEnd(this, signal !== null);
    });
    this.#isCounted = tellsPids(pid);
    watch(pid);
    // Neither the hook nor its pipes may keep the host alive.
    this.#child.unref();
  }

  /** Whether the hook has written something, and so did not wait for its input. */
  get hasBegun(): boolean {
    return this.#streams.haveBegun;
  }

  /**
   * Makes this the hook of an event if it is waiting and a process started now would be the same: from the
   * same files and with the same limits. Otherwise returns undefined.
   */
  runIn({ key, limits }: Inheritance, stdin: string): StartedHook | undefined {
    const leader = this.#child.pid!;
    if (key !== this.#inheritance.key || !runsWith(leader, limits)) return undefined;
    if (identitiesOf(this.#files) !== this.#identities) return undefined;
    const last = lastPid();
    const early = descendantsOf(leader);
    const processes = [leader, ...(early ?? [])];
    if (!processes.every((one) => filesOf(one).every((file) => this.#isOlder(file))))
      return undefined;
    // If its children are unknown, every process born since its start may be one of them.
    const after = this.#isCounted ? (early ? last : leader) : undefined;
    const run = { mark: this.#mark, after, early: early ?? [], leader };
    this.#isHook = true;
    this.#streams.fill(stdin);
    this.#child.ref();
    return { child: this.#child, streams: this.#streams, run };
  }

  #isOlder(file: string): boolean {
    // Most words of a command line are not file names.
    return withoutStacks(() => {
      try {
        const stats = statSync(file, { throwIfNoEntry: false });
        return !stats?.isFile() || stats.ctimeMs < this.#startedAt - coarse;
      } catch {
        return true;
      }
    });
  }

  /** Ends the process without an event. */
  dismiss(): void {
    this.#isDismissed = true;
    try {
      process.kill(-this.#child.pid!, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** The files that a process was started from and with, as far as the system tells. */
function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/cwd`;
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  return [`/proc/${pid}/exe`, ...words.map((word) => resolve(folder, word))];
}

/** The living descendants of a process; undefined if the system does not tell. */
function descendantsOf(pid: number): number[] | undefined {
  const found = childrenOf(pid);
  for (const one of found ?? []) found!.push(...(childrenOf(one) ?? []));
  return found;
}

/** The living processes that this one has started; undefined if the system does not tell. */
function childrenOf(pid: number): number[] | undefined {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return pids.split(' ').filter(Boolean).map(Number);
  } catch {
    return undefined;
  }
}

/** What a hook's process inherits when it starts, and cannot be given later. */
export interface Inheritance {
  /** Equal if one process may stand in for another. */
  readonly key: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the system grants the host. */
  readonly limits: Limits;
}

/** The lines of /proc/PID/status that a process hands on: its umask, users, groups, rights and cores. */
const handedOn =
  /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Seccomp_filters|Cpus_allowed|Mems_allowed):.*$/gm;

/** What a process would inherit now; undefined if that cannot be known without starting one. */
export function inheritanceOf(given: HookCommand): Inheritance | undefined {
  const { cwd } = given;
  const shell = given.isClean ? systemShell() : findShell();
  const env = environmentOf(given);
  try {
    if (!isProcOurs()) return undefined;
    // Another folder may have taken over the name, or another disk the mount point.
    const { dev, ino } = statSync(cwd);
    // If a cleaner has removed the scratch folder, the streams in it are not those that a new hook would get.
    const streams = scratchFolder();
    const rights = readAgain('/proc/self/status').match(handedOn);
    const limits = ownLimits();
    const all = [shell, cwd, dev, ino, streams, env, getPriority(), rights, limits];
    return { key: JSON.stringify(all), cwd, env, limits };
  } catch {
    return undefined;
  }
}
