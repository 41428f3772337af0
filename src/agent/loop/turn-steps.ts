import { randomUUID } from 'node:crypto';
import type { AgentTurnInput, ModelStep, ToolCallEnd } from '../../../machines/agent-turn.ts';
import type { ModelCallOutcome } from '../../../machines/model-call.ts';
import type { ToolCallOutcome } from '../../../machines/tool-call.ts';
import { endedModelCall, type EndedModelCall } from '../../core/calls/genai-model-call.ts';
import {
  cancelledToolCall,
  endedToolCall,
  type ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import { failedResult } from '../../core/calls/tool-effects.ts';
import type { GenAIContent } from '../../core/translate/genai-types.ts';
import { modelMessage, toolCallsOf, withCallIds } from './chat-history.ts';
import type { KeptCall } from './kept-calls.ts';
import type { CompletedToolCall } from './tool-scheduler.ts';

/** A tool call of a turn, ended or waiting. */
export type TurnCall = CompletedToolCall | KeptCall;

/** The limits of a turn. */
export type TurnLimits = Pick<AgentTurnInput, 'maxSteps' | 'maxRejections'>;

/** A model call that has ended, and its message. */
export type ReadAnswer = ModelStep & {
  readonly call: EndedModelCall;
  readonly message?: GenAIContent;
};

/** Maps the end of a model call to a step of the turn. */
export function readAnswer(outcome: ModelCallOutcome, isKept: boolean): ReadAnswer {
  const call = endedModelCall(outcome);
  if (outcome.status === 'failed') return { call, status: 'failed', error: outcome.error };
  if (outcome.status === 'cancelled') return { call, status: 'cancelled' };
  const said = call.response && modelMessage(call.response);
  const message = said && withCallIds(said, randomUUID, isKept);
  return {
    call,
    status: 'answered',
    calls: message ? toolCallsOf(message) : [],
    ...(message && { message }),
    ...(call.stop && { stop: call.stop }),
  };
}

/** Maps the end of a tool call to a result for the turn. */
export const readResult = (request: ToolCallRequest, end: ToolCallEnd): CompletedToolCall => ({
  ...endedToolCall(outcomeOf(request, end)),
  request,
});

function outcomeOf(request: ToolCallRequest, end: ToolCallEnd): ToolCallOutcome {
  switch (end.status) {
    case 'broken':
      return {
        status: 'done',
        toolInput: request.input,
        failures: [],
        result: failedResult(end.error),
      };
    case 'unstarted':
      return cancelledToolCall(request, end.reason);
    default:
      return end;
  }
}

/** Says that the answer is kept although AfterAgent hooks want the agent to continue. */
export const keptAnswer = ({ maxRejections, maxSteps }: TurnLimits): string =>
  `AfterAgent hooks want the agent to continue again, but may do so only ${maxRejections === 1 ? 'once' : `${maxRejections} times`} in at most ${maxSteps} model ${maxSteps === 1 ? 'call' : 'calls'}; the answer is kept.`;
