import { fromCallback } from 'xstate';
import { hookEventMachine } from '../../machines/hook-event.ts';
import { hookProcessMachine } from '../../machines/hook-process.ts';
import { startHandler } from '../handlers/index.ts';

/** The machines of hooks with their actors provided, once for all runs. */
export const hookProcess = hookProcessMachine.provide({
  actors: { process: fromCallback(startHandler) },
});

export const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });
