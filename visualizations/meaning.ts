import type { AgentTurnOutcome } from '../machines/agent-turn.ts';
import type { AnswerStreamOutcome } from '../machines/answer-stream.ts';
import type { HookEventOutcome } from '../machines/hook-event.ts';
import type { HookProcessOutcome } from '../machines/hook-process.ts';
import type { ModelCallOutcome } from '../machines/model-call.ts';
import type { ToolCallOutcome } from '../machines/tool-call.ts';

/** What a final state means: success, a denial, a stop, or a failure. */
export type Ending = 'well' | 'denied' | 'stopped' | 'failed';

type Outcome =
  | AgentTurnOutcome
  | AnswerStreamOutcome
  | HookEventOutcome
  | HookProcessOutcome
  | ModelCallOutcome
  | ToolCallOutcome;

/** By the status of an outcome, after which the final state is named. */
const endings: Readonly<Record<Outcome['status'], Ending>> = {
  done: 'well',
  answered: 'well',
  finished: 'well',
  settled: 'well',
  exited: 'well',
  blocked: 'denied',
  refused: 'denied',
  stopped: 'stopped',
  deferred: 'stopped',
  suspended: 'stopped',
  cancelled: 'stopped',
  failed: 'failed',
  timedOut: 'failed',
};

/** Returns the meaning of a final state with this name; undefined if none of our machines ends in it. */
export const endingOf = (name: string): Ending | undefined =>
  Object.hasOwn(endings, name) ? endings[name as Outcome['status']] : undefined;

/** By machine, the states that an undisturbed run with hooks goes through. */
export const usualWays: Readonly<Record<string, readonly string[]>> = {
  agentTurn: [
    'planning',
    'admitting',
    'beforeAgent',
    'judgingPrompt',
    'callingModel',
    'judgingModelCall',
    'runningTools.running',
    'judgingTools',
    'callingModel',
    'judgingModelCall',
    'afterAgent',
    'judgingAnswer',
    'finished',
  ],
  answerStream: [
    'waiting',
    'passing',
    'asking',
    'passing',
    'showing',
    'waiting',
    'merging',
    'done',
  ],
  durableHook: ['claiming', 'running', 'recording', 'ending', 'exited'],
  hookEvent: ['hearing.waiting', 'hearing.judging', 'hearing.waiting', 'merging', 'settled'],
  hookProcess: ['alive.starting', 'alive.running', 'exited'],
  modelCall: [
    'preparing',
    'selectingTools',
    'judgingSelection',
    'assembling',
    'beforeHooks',
    'judgingBefore',
    'calling',
    'judgingResponse',
    'afterHooks',
    'judgingAfter',
    'done',
  ],
  toolCall: [
    'admitting',
    'beforeHooks',
    'judgingBefore',
    'approving',
    'executing',
    'judgingResult',
    'afterHooks',
    'judgingAfter',
    'done',
  ],
};
