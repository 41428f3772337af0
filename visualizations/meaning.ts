import type { AgentTurnOutcome } from '../machines/agent-turn.ts';
import type { AnswerStreamOutcome } from '../machines/answer-stream.ts';
import type { HookEventOutcome } from '../machines/hook-event.ts';
import type { HookProcessOutcome } from '../machines/hook-process.ts';
import type { ModelCallOutcome } from '../machines/model-call.ts';
import type { ToolCallOutcome } from '../machines/tool-call.ts';

/** What a final state means: it went well, it was not allowed, it was broken off, or something broke. */
export type Ending = 'well' | 'denied' | 'stopped' | 'failed';

type Outcome =
  | AgentTurnOutcome
  | AnswerStreamOutcome
  | HookEventOutcome
  | HookProcessOutcome
  | ModelCallOutcome
  | ToolCallOutcome;

/** By the status of an outcome, which the final state is named after. */
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

/** What a final state of this name means; undefined where no machine of ours ends so. */
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
