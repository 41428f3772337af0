import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadEngine } from '../engine.ts';
import { toolInput } from '../scenario.ts';

/** What every call has besides its tool. */
export type Load = 'the tools alone' | 'no hook' | 'no hook, inspector' | 'one hook each';

/** More concurrent processes than any limit allows; few enough to start them all. */
const trial = 100;

const result = { llmContent: 'ok', returnDisplay: 'ok' };

/**
 * Measures this many tool calls at once: how long all of them take, how much memory they hold, and how long
 * the event loop was blocked.
 */
export async function scale(load: Load, count: number): Promise<Record<string, number>> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const command = { type: 'command', command: `cat >/dev/null; echo '{}'` } as const;
  const hooks = load === 'one hook each' ? { BeforeTool: [{ hooks: [command] }] } : {};
  const config = createConfig({
    cwd: process.cwd(),
    settings: { tools: { enableHooks: true }, hooks },
    ...(load === 'no hook, inspector' && { inspect: () => {} }),
  });
  let ran = 0;
  const tool = async () => {
    await sleep(10);
    ran++;
    return result;
  };
  const call = (): Promise<unknown> =>
    load === 'the tools alone'
      ? tool()
      : executeToolWithHooks(config, 'write_file', toolInput, tool);
  const processes = countProcesses();
  // The first calls load what the others need, and show whether the engine bounds its processes.
  await Promise.all(Array.from({ length: trial }, call));
  const isBounded = processes.most < trial;
  const inFlight = isBounded || load !== 'one hook each' ? count : availableParallelism();
  processes.most = 0;
  globalThis.gc?.();
  const before = memoryUsage().rss;
  let peak = before;
  const look = setInterval(() => (peak = Math.max(peak, memoryUsage().rss)), 20);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next++ < count) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const ms = performance.now() - startedAt;
  // The last long turn is reported once the loop has gone round once.
  await sleep(20);
  delay.disable();
  clearInterval(look);
  if (ran !== count + trial) throw new Error(`${ran} tools ran`);
  return {
    ms,
    'µs per call': (ms * 1_000) / count,
    'KB per call': (peak - before) / 1024 / count,
    'median loop delay ms': delay.percentile(50) / 1e6,
    'longest loop delay ms': delay.max / 1e6,
    'calls in flight': inFlight,
    'processes at most': processes.most,
  };
}

/** Counts the most children that existed at one time. */
function countProcesses(): { most: number } {
  const counted = { most: 0 };
  let now = 0;
  subscribe('child_process', (message) => {
    counted.most = Math.max(counted.most, ++now);
    (message as { process: ChildProcess }).process.once('exit', () => now--);
  });
  return counted;
}
