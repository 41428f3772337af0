import type { EventOutcome, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { fieldsOf } from '../../base/json.ts';
import { decisionWith, nestedAnswer, permissionOf, stopOf } from '../parts/speaking.ts';
import type { Fields, Said } from './host-table.ts';

const words: Readonly<Record<string, Said['decision']>> = {
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
  allow: 'allow',
  approve: 'allow',
};

const meaningOf = (word: unknown): Said['decision'] =>
  typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;

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

/** Answers in Claude Code's shape. */
export function claudeAnswer(event: string, wishes: Wishes, { native }: EventOutcome): HostAnswer {
  const systemMessage = wishes.take('message');
  const suppressOutput = wishes.take('hide');
  const common = { systemMessage, suppressOutput };
  const context = { additionalContext: wishes.take('context') };
  switch (event) {
    case 'PreToolUse':
      return nestedAnswer(event, {
        top: { ...common, ...stopOf(wishes) },
        specific: {
          ...permissionOf(wishes, { defer: 'ask' }),
          updatedInput: wishes.take('toolInput') && native['toolInput'],
          ...context,
        },
      });
    case 'PostToolUse':
    case 'UserPromptSubmit':
      return nestedAnswer(event, {
        top: {
          ...common,
          ...(event === 'PostToolUse' ? stopOf(wishes) : {}),
          ...decisionWith(
            'block',
            event === 'PostToolUse' ? wishes.take('deny') : wishes.takeRefusal(),
          ),
        },
        specific: context,
      });
    case 'Stop':
    case 'SubagentStop':
      return nestedAnswer(event, {
        top: { ...common, ...stopOf(wishes), ...decisionWith('block', wishes.takeContinuation()) },
      });
    default:
      return nestedAnswer(event, { top: common, specific: context });
  }
}
