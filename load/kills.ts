import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../faults/processes.ts';
import { dice } from '../fuzz/mutate.ts';
import { leftOf } from './left.ts';
import { readAll, tear } from './recorded.ts';
import type { RecordOrder } from './recording-host.ts';
import { startHost } from './start-host.ts';

/** The results of killing hosts. */
export interface Kills {
  readonly kills: number;
  /** Processes of hooks that were alive when their host was killed. */
  readonly alive: number;
  /** The processes that stayed alive. */
  readonly left: number;
  /** How much was read of the recording that they all wrote to. */
  readonly entries: number;
  readonly torn: number;
  /** The claims that were broken; ideally none. */
  readonly broken: readonly string[];
}

/**
 * The latest time at which a host is killed, in ms after its first hook began; and the latest for one that
 * has only just begun.
 */
const [latest, early] = [700, 150];

/** Kills this many hosts with hooks in flight, each at a different moment, and reads what they recorded. */
export async function killHosts({
  kills,
  atOnce,
  seed,
}: {
  readonly kills: number;
  readonly atOnce: number;
  readonly seed: number;
}): Promise<Kills> {
  const roll = dice(seed);
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine-load-'));
  const file = join(folder, 'recording.jsonl');
  const broken: string[] = [];
  let [alive, left, entries, torn] = [0, 0, 0, 0];
  for (let kill = 1; kill <= kills; kill++) {
    const tell = (what: string): void => void broken.push(`kill ${kill}: ${what}`);
    // Shells that wait for a hook must not outlive the host either.
    const plain = kill % 2 === 0;
    // A process that ends by itself would hide that nobody ended it.
    const lasting = kill % 4 < 2;
    const order = { file, atOnce, seed: seed + kill, lasting };
    const killed = await killOne(order, plain, roll(lasting ? early : latest), tell);
    alive += killed.alive;
    left += killed.left;
    if (killed.left > 0) tell(`${killed.left} processes outlived the host`);
    const read = await readAll(file);
    if (read.headers !== kill) tell(`the recording has ${read.headers} headers`);
    if (read.headers + read.entries + read.skipped.length !== read.lines)
      tell(`of ${read.lines} lines ${read.entries} entries were read`);
    // SIGKILL alone tears at most the line that was being written.
    if (read.skipped.length > torn + 1) tell(`skipped: ${read.skipped.join(', ')}`);
    const isBegun = read.entries > entries;
    entries = read.entries;
    torn = read.skipped.length;
    // A file with a torn header is no longer a recording.
    if (!isBegun) continue;
    tear(file, roll);
    const cut = await readAll(file);
    if (cut.entries !== read.entries - 1) tell(`a torn line cost ${read.entries - cut.entries}`);
    if (!cut.skipped.at(-1)?.startsWith('is torn')) tell('the torn line was not reported');
    entries = cut.entries;
    torn = cut.skipped.length;
  }
  if (alive === 0 && kills > 0) broken.push('no hook was alive when its host was killed');
  rmSync(folder, { recursive: true, force: true });
  return { kills, alive, left, entries, torn, broken };
}

async function killOne(
  order: Omit<RecordOrder, 'mark'>,
  plain: boolean,
  after: number,
  tell: (what: string) => void,
): Promise<{ alive: number; left: number }> {
  const mark = `kill-${process.pid}-${Date.now()}`;
  const { child, ended, remove } = await startHost('recording-host.ts', plain);
  const running = once(child, 'message');
  child.on('message', (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'wrong' in message)
      tell(String(message.wrong));
  });
  child.send({ ...order, mark } satisfies RecordOrder);
  const exited = ended.then(() => true);
  let isOver = await Promise.race([running.then(() => false), exited]);
  while (!isOver && processesWith(mark).length === 0)
    isOver = await Promise.race([sleep(5).then(() => false), exited]);
  await sleep(after);
  const alive = processesWith(mark).length;
  child.kill('SIGKILL');
  const exit = await ended;
  if (exit !== 'SIGKILL') tell(`the host had ended with ${exit}`);
  const left = await leftOf(mark);
  for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  remove();
  return { alive, left };
}
