import { availableParallelism } from 'node:os';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { expandCommand } from '../programs.ts';
import { type Inheritance, shellInheritanceOf, type Surroundings } from './inheritance.ts';
import type { StartedHook } from '../plain-start.ts';
import { ReadyShell } from './ready-shell.ts';
import { readyWay } from './ready-way.ts';

/*
 * Keeps shells ready for hooks like those that ran before: as many as ran without a pause, side by
 * side or one after the other.
 *
 * Node forks, and its fork takes the longer the more memory the host has. Started ahead, a shell
 * costs that time while nobody waits: a moment after a hook's end. The first hooks get none, so that a
 * command that fires one event never pays for shells that it cannot use. Where hooks follow one
 * another without a pause, shells for the next ones are started beside those that run.
 */

/** How many are kept at most. */
const most = 8;
/** How long after a hook's end the next shell is started, and how long shells are kept unused, in ms. */
const [pause, patience] = [2, 5 * 60_000];
/** A shell reads its order byte by byte; a longer text is faster in a shell of its own. */
const longest = 2048;
/** After so many shells that ended by themselves none is started any more, and after so many misses none for hooks like those. */
const tolerance = 3;

interface Stock {
  readonly key: string;
  readonly surroundings: Surroundings;
  readonly shells: ReadyShell[];
  /** What the shells were started with. */
  inheritance: Inheritance | undefined;
  /** How many hooks began since the last pause, and the most there ever were. */
  begun: number;
  wanted: number;
  running: number;
  /** Whether hooks came again after a pause. */
  isRegular: boolean;
  /** How often in a row the shells were of no use, because something had changed since their start. */
  misses: number;
  /** Whether shells complain at their start: what they say must come once, and from the hook's own. */
  isNoisy: boolean;
}

/** By their surroundings, those used last at the end. */
const stocks = new Map<string, Stock>();
/** How many of their hooks run. */
let hooksRunning = 0;
let losses = 0;
let pausing: NodeJS.Timeout | undefined;
let filling: NodeJS.Timeout | NodeJS.Immediate | undefined;
let clearing: NodeJS.Timeout | undefined;

/** Whether this command may be left to a ready shell. `HOOKMACHINE_PLAIN_START=1` in the environment turns all of this off. */
const isFit = ({ command, args }: HookCommand): boolean =>
  process.env['HOOKMACHINE_PLAIN_START'] !== '1' &&
  losses < tolerance &&
  args === undefined &&
  command.length <= longest &&
  !command.includes('\0');

/** Starts a hook in a shell that is ready for it, or else in the way that is given. */
export function startReady(
  command: HookCommand,
  stdin: string,
  startPlainly: () => StartedHook,
): StartedHook {
  if (!isFit(command)) return startPlainly();
  const stock = stockFor(command);
  const started = takeOver(stock, command, stdin) ?? startPlainly();
  if (started.child.pid === undefined) return started;
  clearTimeout(pausing);
  stock.begun++;
  stock.running++;
  hooksRunning++;
  if (lacks(stock)) filling ??= setTimeout(fill).unref();
  started.child.once('exit', () => {
    stock.running--;
    if (--hooksRunning === 0) pausing = setTimeout(endOfPause, pause).unref();
  });
  return started;
}

/** Starts a shell for hooks like this one; tells whether one is ready then. */
export function prepare(command: HookCommand): boolean {
  return isFit(command) && add(stockFor(command));
}

function stockFor({ cwd, env, isClean }: Surroundings): Stock {
  const surroundings = { cwd, env, ...(isClean && { isClean }) };
  const key = JSON.stringify(surroundings);
  const stock = stocks.get(key) ?? {
    key,
    surroundings,
    shells: [],
    inheritance: undefined,
    begun: 0,
    wanted: 0,
    running: 0,
    isRegular: false,
    misses: 0,
    isNoisy: false,
  };
  stocks.delete(key);
  stocks.set(key, stock);
  if (stocks.size > most) discard(stocks.values().next().value!);
  return stock;
}

function takeOver(stock: Stock, command: HookCommand, stdin: string): StartedHook | undefined {
  if (stock.shells.length === 0) return undefined;
  const now = shellInheritanceOf(command);
  if (now === undefined || now.key !== stock.inheritance?.key) {
    dismissAll(stock);
    stock.misses++;
    return undefined;
  }
  const text = expandCommand(command.command, command.env);
  for (let shell = stock.shells.shift(); shell !== undefined; shell = stock.shells.shift()) {
    try {
      stock.isNoisy ||= shell.hasComplained;
      if (!stock.isNoisy && shell.isWaitingWith(now)) {
        stock.misses = 0;
        return shell.run(readyWay(text, command.env), text, stdin);
      }
    } catch {
      // Nothing has run yet.
    }
    shell.dismiss();
  }
  return undefined;
}

function endOfPause(): void {
  clearTimeout(clearing);
  clearing = setTimeout(clear, patience).unref();
  for (const stock of stocks.values()) {
    stock.isRegular ||= stock.wanted > 0 && stock.begun > 0;
    stock.wanted = Math.max(stock.wanted, stock.begun);
    stock.begun = 0;
  }
  if (filling === undefined) fill();
}

/** Starts one shell where they lack, and sees to the others in a later turn. */
function fill(): void {
  filling = undefined;
  const lacking = [...stocks.values()].findLast(lacks);
  if (lacking === undefined || losses >= tolerance) return;
  // One that did not hold the host would wait until something else comes; the few do not hold it long.
  if (add(lacking)) filling = setImmediate(fill);
}

/**
 * After a pause as many are wanted as ran without one. If more ran than can be kept, there is no pause,
 * and as many follow as run now; unless those keep the processor busy, for then a shell ahead of its
 * hook only takes from the others.
 */
function lacks({ shells, begun, wanted, running, isRegular, misses, isNoisy }: Stock): boolean {
  if (isNoisy || misses >= tolerance) return false;
  if (begun > most) return running < availableParallelism() && shells.length < running;
  return begun === 0 && isRegular && shells.length < wanted;
}

function add(stock: Stock): boolean {
  const inheritance = shellInheritanceOf(stock.surroundings);
  if (inheritance === undefined) {
    discard(stock);
    return false;
  }
  if (inheritance.key !== stock.inheritance?.key) dismissAll(stock);
  stock.inheritance = inheritance;
  for (const older of stocks.values()) {
    if (older === stock || ready() < most) break;
    discard(older);
  }
  if (ready() >= most) return false;
  try {
    const lose = (shell: ReadyShell): void => {
      losses++;
      stock.shells.splice(stock.shells.indexOf(shell), 1);
    };
    stock.shells.push(new ReadyShell(inheritance, lose));
    return true;
  } catch {
    losses++;
    return false;
  }
}

const ready = (): number => [...stocks.values()].flatMap(({ shells }) => shells).length;

function discard(stock: Stock): void {
  dismissAll(stock);
  stocks.delete(stock.key);
}

function dismissAll({ shells }: Stock): void {
  for (const shell of shells.splice(0)) shell.dismiss();
}

function clear(): void {
  for (const stock of stocks.values()) discard(stock);
}
