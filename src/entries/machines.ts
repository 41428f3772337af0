/** `hookmachine/machines`: the machines themselves, for inspection, diagrams and tests. */

export { agentTurnMachine } from '../../machines/agent-turn.ts';
export { answerStreamMachine } from '../../machines/answer-stream.ts';
export { durableHookMachine } from '../../machines/durable-hook.ts';
export { hookEventMachine } from '../../machines/hook-event.ts';
export { hookProcessMachine } from '../../machines/hook-process.ts';
export { modelCallMachine } from '../../machines/model-call.ts';
export { toolCallMachine } from '../../machines/tool-call.ts';
