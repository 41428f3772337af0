import { agentTurnMachine } from '../../machines/agent-turn.ts';
import { modelCallMachine } from '../../machines/model-call.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { hookEvent } from '../hooks/hook-machines.ts';

/** The machines of calls and turns with their actors provided, once for all runs. */
export const toolCall = toolCallMachine.provide({ actors: { hookEvent } });

export const modelCall = modelCallMachine.provide({ actors: { hookEvent } });

export const agentTurn = agentTurnMachine.provide({ actors: { hookEvent } });
