import type { Observed } from './observed.ts';
/** A separate host for one fault: what goes wrong in it goes wrong nowhere else. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { livesOn, longest } from './claims.ts';
import { allFaults } from './faults.ts';
import { usualTimeout, type Fault } from './fault.ts';
import type { Fate, OpenEngine, Policy } from './engine.ts';
import { openOurs } from './ours.ts';
import { openPeer } from './peer.ts';
import { openDescriptors, processesWith } from './processes.ts';

/** Which fault is run, and how. */
export interface Order {
  readonly fault: string;
  readonly policy: Policy;
  readonly fate: Fate;
  /** The peer's package, if it is the peer's turn. */
  readonly peer?: string;
}

/** A call that takes this much longer than it may counts as hanging, in ms. */
const patience = 30_000;

/**
 * How long the system may take to remove what has ended, and how long what must stay alive is observed, in
 * ms.
 */
const [settling, staying] = [10_000, 300];

/** How long a hook runs before something goes wrong around it, in ms. */
const undisturbed = 150;

async function observe({ fault: name, policy, fate, peer }: Order): Promise<Observed> {
  const fault = allFaults.find((one) => one.name === name)!;
  const reported: string[] = [];
  const uncaught: string[] = [];
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => uncaught.push(String(error)));
  const timeout = fault.timeout ?? usualTimeout;
  const [variable, value] = ['FAULT_RUN', `${process.pid}-${Date.now()}`];
  const mark = `${variable}=${value}`;
  const folder = makeFolder(fault);
  const open: OpenEngine = peer === undefined ? openOurs : openPeer(peer);
  const site = {
    fault,
    policy,
    fate,
    folder,
    timeout,
    tell: (line: string) => void reported.push(line),
  };
  // What is created once, at the first call, is not a leak.
  const nothing: Fault = { name: '', expected: 'allow', command: 'true' };
  if (!fault.isFirst) {
    const elsewhere = makeFolder(nothing);
    await (await open({ ...site, fault: nothing, folder: elsewhere, command: 'true' })).call();
    rmSync(elsewhere, { recursive: true, force: true });
  }
  // A peer may keep the host's environment from its hooks.
  if (peer === undefined) process.env[variable] = value;
  const command = peer === undefined ? fault.command : marked(fault.command, mark);
  fault.setUp?.(process.env['HOME']!);
  const engine = await open({ ...site, command });
  reported.length = 0;
  const before = openDescriptors();
  const repairs = [fault.before?.(folder)];
  const startedAt = performance.now();
  const over = new AbortController();
  const running = (): number => processesWith(mark).length;
  if (fault.during) void disturb(running, () => repairs.push(fault.during!(folder)), over.signal);
  const decided = await Promise.race([
    engine.call().catch((error: unknown) => void uncaught.push(String(error))),
    sleep(longest(fault) + patience, undefined, { signal: over.signal }),
  ]);
  const ms = performance.now() - startedAt;
  over.abort();
  for (const repair of repairs) repair?.();
  // What we cannot end must be ended by whoever made it so.
  if (fault.isUnkillable) endAll(mark);
  const patientFor = livesOn(fault, fate) ? staying : settling;
  const left = await untilNone(running, patientFor);
  const descriptors = await untilNone(() => openDescriptors() - before, patientFor);
  // A process that stays alive may start others faster than one round ends them.
  for (let round = 0; round < 50 && processesWith(mark).length > 0; round++) endAll(mark);
  rmSync(folder, { recursive: true, force: true });
  return {
    ...(decided && { decided }),
    ms,
    processes: left,
    descriptors,
    reported,
    uncaught,
  };
}

/** The command in a shell whose environment carries the mark, as do those of all processes it starts. */
const marked = (command: string, mark: string): string =>
  `${mark} exec /bin/bash -c '${command.replaceAll("'", `'\\''`)}'`;

function makeFolder({ files = {} }: Fault): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookmachine-fault-')));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text === '' || text.startsWith('#!')) chmodSync(file, 0o755);
  }
  return folder;
}

function endAll(mark: string): void {
  for (const pid of processesWith(mark))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended in the meantime.
    }
}

/** Calls `act` a moment after the hook has begun to run, unless its call is over by then. */
async function disturb(running: () => number, act: () => void, over: AbortSignal): Promise<void> {
  while (running() === 0 && !over.aborted) await sleep(10);
  await sleep(undisturbed);
  if (!over.aborted) act();
}

async function untilNone(count: () => number, patientFor: number): Promise<number> {
  const patientUntil = performance.now() + patientFor;
  while (count() > 0 && performance.now() < patientUntil) await sleep(10);
  return Math.max(0, count());
}

async function answer(order: Order): Promise<void> {
  const observed = await observe(order);
  process.send!(observed, () => process.exit(0));
}

process.once('message', (order: Order) => {
  void answer(order);
});
process.send!('ready');
