import type { ActorRefFrom } from 'xstate';
import type { toolCallMachine } from '../../dist/src/entries/machines.js';
import { loadMachines, loadXState } from '../engine.ts';
import { toolInput } from '../scenario.ts';

/** Starts one tool call as a machine and nothing else, without hooks. */
export type StartMachine = (
  execute: () => Promise<object>,
  inspect?: () => void,
) => ActorRefFrom<typeof toolCallMachine>;

/** The `toolCall` machine with the minimum of ports that runs the tool. */
export async function bareMachine(): Promise<StartMachine> {
  const { toolCallMachine: machine } = await loadMachines();
  const { createActor } = await loadXState();
  return (execute, inspect) => {
    const ports = {
      rewrite: (input: Readonly<Record<string, unknown>>) => input,
      execute,
      failure: (error: unknown) => ({ error }),
    };
    const input = { id: '1', toolName: 'write_file', toolInput, ports };
    return createActor(machine, { input, ...(inspect && { inspect }) }).start();
  };
}
