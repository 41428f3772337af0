import { agentTurnMachine } from '../../machines/agent-turn.ts';
import { hookEventMachine } from '../../machines/hook-event.ts';
import { hookProcessMachine } from '../../machines/hook-process.ts';
import { modelCallMachine } from '../../machines/model-call.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { hookProcess as processPort } from '../process/hook-process.ts';

/** The machines with their actors provided, once for all runs. */
export const hookProcess = hookProcessMachine.provide({ actors: { process: processPort } });

export const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });

export const toolCall = toolCallMachine.provide({ actors: { hookEvent } });

export const modelCall = modelCallMachine.provide({ actors: { hookEvent } });

export const agentTurn = agentTurnMachine.provide({ actors: { hookEvent } });
