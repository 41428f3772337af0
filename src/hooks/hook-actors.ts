import { hookEventMachine } from '../../machines/hook-event.ts';
import { hookProcessMachine } from '../../machines/hook-process.ts';
import { hookProcess as processPort } from '../process/hook-process.ts';

export { runMachine } from './run-machine.ts';

/** The machines of hooks with their actors provided, once for all runs. */
export const hookProcess = hookProcessMachine.provide({ actors: { process: processPort } });

export const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });
