import { performance } from 'node:perf_hooks';
import { loadEngine } from '../engine.ts';
import { toolNames } from '../scenario.ts';
import { median } from '../statistics.ts';
import { emptyScenarios } from '../scenarios.ts';

/** Measures the synchronous check whether a tool call has hooks, when it has none: ns and bytes per check. */
export async function syncCheck(): Promise<Record<string, number>> {
  const { createConfig } = await loadEngine();
  const { groups } = emptyScenarios.find(({ id }) => id === 'no-match-1000')!;
  const configOf = (enableHooks: boolean) =>
    createConfig({
      cwd: process.cwd(),
      settings: { tools: { enableHooks }, hooks: { BeforeTool: groups } },
    });
  const [on, off] = [configOf(true), configOf(false)];
  const system = on.getHookSystem()!;
  await system.initialize();
  const has = (tool: string): boolean =>
    on.getHookSystem()?.hasHooksFor('BeforeTool', tool) ?? false;
  const hasOther = (): boolean => on.getHookSystem()?.hasHooksFor('AfterTool') ?? false;
  const isOn = (): boolean => off.getHookSystem()?.hasHooksFor('BeforeTool') ?? false;
  return {
    ...measured('no match', has),
    ...measured('no hook', hasOther),
    ...measured('disabled', isOn),
  };
}

const count = 200_000;

function measured(name: string, check: (tool: string) => boolean): Record<string, number> {
  const ask = (times: number): number => {
    let found = 0;
    for (let index = 0; index < times; index++)
      if (check(toolNames[index % toolNames.length]!)) found++;
    return found;
  };
  // Until V8 has finished optimising it.
  for (let round = 0; round < 10; round++)
    if (ask(count) > 0) throw new Error(`${name}: a hook was found`);
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const startedAt = performance.now();
    ask(count);
    times.push(((performance.now() - startedAt) * 1e6) / count);
  }
  const sizes: number[] = [];
  for (let round = 0; round < 10; round++) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    ask(count);
    sizes.push((process.memoryUsage().heapUsed - before) / count);
  }
  return { [`${name} ns`]: median(times), [`${name} bytes`]: Math.max(0, Math.min(...sizes)) };
}
