import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import { resolve } from 'node:path';
import type { HookCommand } from '../../../../machines/hook-process.ts';
import { openInputPipe, scratchFolder } from '../pipes.ts';
import { HookStreams, programOf, type StartedHook, type StartHook } from '../plain-start.ts';
import {
  isProcOurs,
  ownLimits,
  readAgain,
  runsWith,
  withoutStacks,
  type Limits,
} from '../processes.ts';
import { coarse, environmentOf, findShell, identitiesOf, systemShell } from '../programs.ts';
import { askForPids, lastPid, marked, newMark, tellsPids } from '../strays.ts';
import { forget, watch } from '../watchdog.ts';
import { environment } from '../../../base/surroundings.ts';

/*
 * Keeps processes of hooks with `"prestart": true` waiting on stdin: as many of each as have run side by
 * side. An event's input turns one of them into the hook, and the next is started in the pause that follows.
 * In case of doubt, a hook is started plainly, with its event.
 */

/** How many processes wait at most, for all hooks together. */
const most = 8;
/**
 * How long after the end of all hooks the next are started, and how long after a first event, in ms: a
 * command that fires one event has no use for them.
 */
const [pause, firstPause] = [2, 50];
/** How long unused processes are kept, in ms. */
const patience = 10 * 60_000;
/** After this many misses in a row, or this many processes ended by a signal, no more are started. */
const tolerance = 3;

interface Stock {
  readonly key: string;
  command: HookCommand;
  readonly waiting: WaitingHook[];
  running: number;
  /** The most that ever ran side by side. */
  wanted: number;
  events: number;
  misses: number;
  losses: number;
  isStarting: boolean;
  /** The hook did something before it had its input. */
  isUnfit: boolean;
}

/** By command and surroundings, the most recently used last. */
const stocks = new Map<string, Stock>();
let hooksRunning = 0;
let pausing: NodeJS.Timeout | undefined;
let clearing: NodeJS.Timeout | undefined;

/**
 * Starts a hook by giving its input to a process that waits for it, or otherwise in the given way.
 * `HOOKMACHINE_PLAIN_START=1` in the environment turns this off.
 */
export const startWaiting =
  (startPlainly: StartHook): StartHook =>
  (command, stdin) =>
    environment()['HOOKMACHINE_PLAIN_START'] === '1'
      ? startPlainly(command, stdin)
      : startFromStock(command, stdin, startPlainly);

function startFromStock(command: HookCommand, stdin: string, startPlainly: StartHook): StartedHook {
  const stock = stockFor(command);
  const started = takeOver(stock, stdin) ?? startPlainly(command, stdin);
  if (started.child.pid === undefined) return started;
  clearTimeout(pausing);
  stock.events++;
  stock.wanted = Math.min(most, Math.max(stock.wanted, ++stock.running));
  hooksRunning++;
  started.child.once('exit', () => {
    stock.running--;
    if (--hooksRunning > 0) return;
    pausing = setTimeout(endOfPause, stock.events > stock.wanted ? pause : firstPause).unref();
  });
  return started;
}

/** Starts a process for this hook, as the pause after an event does; returns whether one is then waiting. */
export async function prestart(command: HookCommand): Promise<boolean> {
  const stock = stockFor(command);
  await add(stock);
  return stock.waiting.length > 0;
}

function stockFor(command: HookCommand): Stock {
  const { args, cwd, env, isClean, shell, sharing } = command;
  const key = JSON.stringify([command.command, args, cwd, env, isClean, shell, sharing]);
  const stock = stocks.get(key) ?? {
    key,
    command,
    waiting: [],
    running: 0,
    wanted: 0,
    events: 0,
    misses: 0,
    losses: 0,
    isStarting: false,
    isUnfit: false,
  };
  // Nothing of the event itself is kept.
  stock.command = { ...command, stdin: () => '' };
  stocks.delete(key);
  stocks.set(key, stock);
  if (stocks.size > 4 * most) {
    const oldest = stocks.values().next().value!;
    dismissAll(oldest);
    stocks.delete(oldest.key);
  }
  return stock;
}

function takeOver(stock: Stock, stdin: string): StartedHook | undefined {
  if (stock.waiting.length === 0) return undefined;
  const now = inheritanceOf(stock.command);
  for (let hook = stock.waiting.shift(); hook !== undefined; hook = stock.waiting.shift()) {
    try {
      if (hook.hasBegun) refuse(stock, 'writes');
      const started = now && !stock.isUnfit ? hook.runIn(now, stdin) : undefined;
      if (started) {
        stock.misses = 0;
        return started;
      }
    } catch {
      // The process has ended, or cannot be inspected.
    }
    hook.dismiss();
  }
  stock.misses++;
  return undefined;
}

/** From now on, a hook that does not wait for its input is started with its event. */
function refuse(stock: Stock, what: string): void {
  if (stock.isUnfit) return;
  stock.isUnfit = true;
  const { command } = stock.command;
  const shown = command.length > 80 ? `${command.slice(0, 80)}…` : command;
  process.emitWarning(
    `The hook "${shown}" ${what} before it has read its input, so it is started with its event: remove its "prestart", or read stdin first.`,
  );
}

function endOfPause(): void {
  clearTimeout(clearing);
  clearing = setTimeout(clear, patience).unref();
  fill();
}

/** Starts one missing process and leaves the others to a later turn of the event loop. */
function fill(): void {
  const lacking = [...stocks.values()].findLast(lacks);
  if (lacking === undefined || hooksRunning > 0) return;
  void add(lacking).then(() => setImmediate(fill));
}

const lacks = ({ waiting, wanted, misses, losses, isStarting, isUnfit }: Stock): boolean =>
  !isUnfit && !isStarting && misses < tolerance && losses < tolerance && waiting.length < wanted;

async function add(stock: Stock): Promise<void> {
  stock.isStarting = true;
  try {
    const { command } = stock;
    const files = await (command.filesBehind?.() ?? []);
    const inheritance = inheritanceOf(command);
    for (const older of stocks.values()) {
      if (older === stock || count() < most) break;
      dismissAll(older);
    }
    if (inheritance === undefined || count() >= most) {
      stock.wanted = stock.waiting.length;
      return;
    }
    const lose = (hook: WaitingHook, bySignal: boolean): void => {
      const index = stock.waiting.indexOf(hook);
      if (index >= 0) stock.waiting.splice(index, 1);
      stock.losses++;
      if (!bySignal) refuse(stock, 'ends');
    };
    // It may have been removed while its files were looked up.
    if (stocks.get(stock.key) !== stock) return;
    stock.waiting.push(new WaitingHook(command, inheritance, files, lose));
  } catch {
    stock.losses++;
  } finally {
    stock.isStarting = false;
  }
}

/** Ends the processes that wait for hooks which no longer exist; `sharing` is the key of their commands. */
export function endWaiting(sharing: string): void {
  for (const stock of stocks.values())
    if (stock.command.sharing === sharing) {
      dismissAll(stock);
      stocks.delete(stock.key);
    }
}

const count = (): number => [...stocks.values()].flatMap(({ waiting }) => waiting).length;

function dismissAll({ waiting }: Stock): void {
  for (const hook of waiting.splice(0)) hook.dismiss();
}

function clear(): void {
  for (const stock of stocks.values()) dismissAll(stock);
  stocks.clear();
}

/** A hook whose own process was started ahead of its event and waits on stdin. */
class WaitingHook {
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
