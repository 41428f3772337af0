import { loadEngine, loadXState } from '../engine.ts';
import { toolInput } from '../scenario.ts';
import { median } from '../statistics.ts';
import { bareMachine } from './bare-machine.ts';

const result = { llmContent: 'ok', returnDisplay: 'ok' };

/**
 * Measures a whole tool call without a hook, in µs: as the engine runs it, and as a machine with and without
 * an observer.
 */
export async function machineRun(): Promise<Record<string, number>> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const { toPromise } = await loadXState();
  const startMachine = await bareMachine();
  const machine = async (inspect?: () => void): Promise<void> => {
    const { status } = await toPromise(startMachine(async () => result, inspect));
    if (status !== 'done') throw new Error('the tool call is not done');
  };
  const settings = { tools: { enableHooks: true } };
  const configs = {
    plain: createConfig({ cwd: process.cwd(), settings }),
    watched: createConfig({ cwd: process.cwd(), settings, inspect: () => {} }),
  };
  const engine = async (config: (typeof configs)['plain']): Promise<void> => {
    const { llmContent } = await executeToolWithHooks(
      config,
      'write_file',
      toolInput,
      async () => result,
    );
    if (llmContent !== 'ok') throw new Error('the tool has not run');
  };
  return interleaved({
    'engine, nobody watches': () => engine(configs.plain),
    'engine, inspector': () => engine(configs.watched),
    machine: () => machine(),
    'machine, inspector': () => machine(() => {}),
  });
}

/** The median time of each in µs, taking turns. */
async function interleaved(
  runs: Readonly<Record<string, () => Promise<void>>>,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
  for (let round = 0; round < 40; round++)
    for (const [name, run] of Object.entries(runs)) {
      const startedAt = performance.now();
      for (let index = 0; index < 200; index++) await run();
      // V8 compiles in the first rounds.
      if (round >= 10) times.get(name)!.push(((performance.now() - startedAt) * 1_000) / 200);
    }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}
