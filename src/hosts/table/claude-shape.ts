import type { EventOutcome, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { fieldsOf } from '../../base/json.ts';
import { meaningOf } from '../parts/said.ts';
import {
  decisionWith,
  nestedAnswer,
  permissionOf,
  sayAll,
  says,
  type Says,
} from '../parts/speaking.ts';
import type { Fields, Said } from './host-table.ts';

/** Reads an answer in Claude Code's shape, for hosts that follow it; `updatedInput` may be a part of the arguments. */
export function readClaude(event: string, printed: Fields, input: 'all' | 'some'): Said {
  const { decision, reason, continue: goesOn, stopReason, systemMessage, suppressOutput } = printed;
  const own = fieldsOf(printed['hookSpecificOutput']);
  const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext } = own;
  const isBefore = event === 'PreToolUse';
  const said = isBefore
    ? (meaningOf(permissionDecision) ?? meaningOf(decision))
    : meaningOf(decision);
  return {
    ...(said &&
      (isBefore || said === 'deny') && {
        decision: said,
        reason: permissionDecisionReason ?? reason,
      }),
    ...(goesOn === false && { stop: stopReason ?? '' }),
    context: additionalContext,
    message: systemMessage,
    ...(isBefore &&
      updatedInput !== undefined && {
        input: input === 'all' ? { all: updatedInput } : { some: updatedInput },
      }),
    hide: suppressOutput === true,
  };
}

const { block, context, hide, message, refusal, stop, updatedInput } = says;

const permission: Says = (wishes) => ({ specific: permissionOf(wishes, { defer: 'ask' }) });
const goesOn: Says = (wishes) => ({ top: decisionWith('block', wishes.takeContinuation()) });

const said: Readonly<Record<string, readonly Says[]>> = {
  PreToolUse: [stop, permission, updatedInput, context],
  PostToolUse: [stop, block, context],
  UserPromptSubmit: [refusal, context],
  Stop: [stop, goesOn],
  SubagentStop: [stop, goesOn],
};

/** Answers in Claude Code's shape. */
export const claudeAnswer = (event: string, wishes: Wishes, outcome: EventOutcome): HostAnswer =>
  nestedAnswer(event, sayAll([message, hide, ...(said[event] ?? [context])], wishes, outcome));
