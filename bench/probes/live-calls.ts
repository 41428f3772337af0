import { setTimeout as sleep } from 'node:timers/promises';
import { loadEngine, loadXState } from '../engine.ts';
import { bytesInUse } from '../memory.ts';
import { toolInput } from '../scenario.ts';
import { bareMachine } from './bare-machine.ts';

/**
 * Measures the bytes of each tool call in progress: with a hook still to come, the machine alone as a root
 * actor, and what XState takes for any root that invokes a promise.
 */
export async function liveCalls(count: number): Promise<Record<string, number>> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const command = { type: 'command', command: `echo '{}'` } as const;
  const config = createConfig({
    cwd: process.cwd(),
    settings: { tools: { enableHooks: true }, hooks: { AfterTool: [{ hooks: [command] }] } },
  });
  const startMachine = await bareMachine();
  const startLeast = await leastMachine();
  return {
    call: await bytesOfEach(count, (tool) => {
      void executeToolWithHooks(config, 'write_file', toolInput, tool);
    }),
    machine: await bytesOfEach(count, (tool) => {
      startMachine(tool);
    }),
    least: await bytesOfEach(count, startLeast),
  };
}

/** Creates a machine with one state and one promise. */
async function leastMachine(): Promise<(tool: () => Promise<never>) => void> {
  const { createActor, fromPromise, setup } = await loadXState();
  const machine = setup({
    types: { context: {} as { tool: () => Promise<never> }, input: {} as () => Promise<never> },
    actors: {
      tool: fromPromise<never, () => Promise<never>>(({ input }) => input()),
    },
  }).createMachine({
    context: ({ input }) => ({ tool: input }),
    invoke: { src: 'tool', input: ({ context }) => context.tool },
  });
  return (tool) => void createActor(machine, { input: tool }).start();
}

async function bytesOfEach(
  count: number,
  start: (tool: () => Promise<never>) => void,
): Promise<number> {
  // A call stays alive as long as something could still end its tool.
  const enders: ((error: Error) => void)[] = [];
  const tool = () => new Promise<never>((_, reject) => enders.push(reject));
  for (let warm = 0; warm < 100; warm++) start(tool);
  await sleep(100);
  const before = bytesInUse();
  for (let call = 0; call < count; call++) start(tool);
  await sleep(100);
  const bytes = (bytesInUse() - before) / count;
  if (enders.length !== count + 100) throw new Error(`${enders.length} calls are under way`);
  return bytes;
}
