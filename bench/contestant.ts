/** The process of one contestant: `node contestant.js NAME`, controlled by orders from its parent. */
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant, OpenContestant } from './contestants/contestant.ts';
import { bytesInUse } from './memory.ts';
import type { KeepEffort, Order, Report } from './orders.ts';
import { longPause, toolNames, type EventScenario } from './scenario.ts';

// Every contestant's process is as large as the peer's.
await import('@google/gemini-cli-core');
const { open } = (await import(`./contestants/${process.argv[2]}.js`)) as { open: OpenContestant };
const ballast: Buffer[] = [];
let scenario: EventScenario;
let contestant: Contestant;
let fired = 0;

const fire = () => contestant.fire(toolNames[fired++ % toolNames.length]!);

async function openScenario(order: Order & { type: 'open' }): Promise<number[]> {
  scenario = order.scenario;
  for (let size = 0; size < scenario.ballastMB; size++) ballast.push(Buffer.alloc(1 << 20, 1));
  contestant = await open(scenario, order.cwd);
  fired = 0;
  const answer = contestant.read(await fire());
  if (!isDeepStrictEqual(answer, scenario.expected))
    throw new Error(`${JSON.stringify(answer)} instead of ${JSON.stringify(scenario.expected)}`);
  return [];
}

async function time(samples: number): Promise<number[]> {
  const { sampleMs, gapMs } = scenario;
  const atOnce = sampleMs > 0 ? 50 : 1;
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    if (gapMs > 0 && gapMs < longPause) await sleep(gapMs);
    const startedAt = performance.now();
    let events = 0;
    let ms: number;
    do {
      for (let event = 0; event < atOnce; event++) await fire();
      events += atOnce;
      ms = performance.now() - startedAt;
    } while (ms < sampleMs);
    times.push((ms * 1_000) / events);
  }
  return times;
}

async function keep({ warmUp, blocks, events }: KeepEffort): Promise<number[]> {
  for (let event = 0; event < warmUp; event++) await fire();
  const sizes: number[] = [];
  for (let block = 0; block < blocks; block++) {
    for (let event = 0; event < events; event++) await fire();
    // What has ended may have work left for the next turns of the event loop, and so may a collection.
    for (let turn = 0; turn < 3; turn++) {
      await sleep(20);
      globalThis.gc?.();
    }
    sizes.push(bytesInUse());
  }
  return sizes;
}

function obey(order: Order): Promise<number[]> {
  switch (order.type) {
    case 'open':
      return openScenario(order);
    case 'time':
      return time(order.samples);
    case 'keep':
      return keep(order);
  }
}

const report = (message: Report): void => void process.send?.(message);

process.on('message', (order: Order) => {
  obey(order).then(
    (numbers) => report({ numbers }),
    (error: unknown) => report({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
report({ numbers: [] });
