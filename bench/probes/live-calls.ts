import { setTimeout as sleep } from 'node:timers/promises';
import { loadEngine } from '../engine.ts';
import { bytesInUse } from '../memory.ts';
import { toolInput } from '../scenario.ts';
import { bareMachine } from './bare-machine.ts';

/** Bytes of each tool call under way: with a hook still to come, and the machine alone. */
export async function liveCalls(count: number): Promise<Record<string, number>> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const command = { type: 'command', command: `echo '{}'` } as const;
  const config = createConfig({
    cwd: process.cwd(),
    settings: { tools: { enableHooks: true }, hooks: { AfterTool: [{ hooks: [command] }] } },
  });
  const startMachine = await bareMachine();
  return {
    call: await bytesOfEach(count, (tool) => {
      void executeToolWithHooks(config, 'write_file', toolInput, tool);
    }),
    machine: await bytesOfEach(count, (tool) => {
      startMachine(tool);
    }),
  };
}

async function bytesOfEach(
  count: number,
  start: (tool: () => Promise<never>) => void,
): Promise<number> {
  // What could end a tool is what keeps its call alive.
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
