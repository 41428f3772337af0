import { isAbsolute } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import {
  behaviourOf,
  decisionWith,
  nestedAnswer,
  type NestedFields,
  permissionOf,
  stopOf,
} from '../parts/speaking.ts';
import { type ClaudeEventName, usualSeconds } from './events.ts';
import { hasFormOf, toClaudeResponse } from './tool-response.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes answers that Claude Code obeys: always a valid object, at exit 0. */
export const speaker: Speaker = {
  title: 'Claude Code',
  projectIn: (_, { CLAUDE_PROJECT_DIR }) => [CLAUDE_PROJECT_DIR].filter(isWhole),
  asks: (event) => event === 'PreToolUse',
  // With a user at the terminal, Claude Code asks instead and does not defer calls.
  defers: (event, { CLAUDE_CODE_ENTRYPOINT: entry = 'cli' }) =>
    event === 'PreToolUse' && entry !== 'cli',
  // `install` writes none.
  timeoutAt: (event) => usualSeconds(event as ClaudeEventName) * 1_000,
  write(event, said, wishes): HostAnswer {
    const { top, specific } = answerTo(event as ClaudeEventName, said, wishes);
    if (event === 'PreCompact' && top?.['decision'] === undefined) {
      const instructions = instructionsIn(wishes);
      if (instructions !== undefined) return { stdout: instructions };
    }
    const [systemMessage, suppressOutput] = [wishes.take('message'), wishes.take('hide')];
    return nestedAnswer(event, { top: { ...top, systemMessage, suppressOutput }, specific });
  },
};

/**
 * Only plain text joins the instructions for a summary, and leaves no room for anything else; what begins
 * like JSON might be read as an answer.
 */
const instructionsIn = (wishes: Wishes): string | undefined =>
  wishes.peek('context')?.trimStart().startsWith('{') ? undefined : wishes.take('context');

const isWhole = (path: unknown): path is string => typeof path === 'string' && isAbsolute(path);

function answerTo(event: ClaudeEventName, outcome: EventOutcome, wishes: Wishes): NestedFields {
  switch (event) {
    case 'PreToolUse':
      return {
        // A stop alone would let the call run; it comes with a denial.
        top: stopOf(wishes),
        specific: {
          ...permissionOf(wishes),
          updatedInput: wishes.take('toolInput') && outcome.native['toolInput'],
          additionalContext: wishes.take('context'),
        },
      };
    case 'PermissionRequest':
      return { specific: { decision: decisionOnPermission(outcome, wishes) } };
    case 'PostToolUse':
      return {
        top: { ...blockOf(wishes), ...stopOf(wishes) },
        specific: {
          updatedToolOutput: resultOf(outcome, wishes),
          additionalContext: wishes.take('context'),
        },
      };
    case 'PostToolUseFailure':
    case 'PostToolBatch':
    case 'UserPromptSubmit':
    case 'UserPromptExpansion':
      return {
        top: { ...blockOf(wishes), ...stopOf(wishes) },
        specific: { additionalContext: wishes.take('context') },
      };
    case 'Stop':
    case 'SubagentStop':
      return { top: wishes.peek('stop') === undefined ? continuation(wishes) : stopOf(wishes) };
    case 'SessionStart':
    case 'Setup':
    case 'SubagentStart':
    case 'Notification':
    case 'PostModelSwitch':
      return { specific: { additionalContext: wishes.take('context') } };
    case 'PreModelSwitch':
      return { specific: permissionOf(wishes) };
    case 'PreCompact':
    case 'ConfigChange':
      return { top: blockOf(wishes) };
    case 'TeammateIdle':
    case 'TaskCreated':
    case 'TaskCompleted':
      return { top: { ...blockOf(wishes), ...stopOf(wishes) } };
    default:
      return {};
  }
}

const decisionOnPermission = ({ native }: EventOutcome, wishes: Wishes): Fields | undefined =>
  behaviourOf(wishes, { interrupts: true, takesInput: true, input: native['toolInput'] });

/** A denial and a follow-up both make the agent continue. */
const continuation = (wishes: Wishes): Fields => decisionWith('block', wishes.takeContinuation());

const blockOf = (wishes: Wishes): Fields => decisionWith('block', wishes.take('deny'));

/** A result in another form than the tool's own would be silently dropped. */
function resultOf({ given, tool = '', project }: EventOutcome, wishes: Wishes): unknown {
  const response = wishes.peek('toolResponse');
  if (response === undefined) return undefined;
  const { tool_response: received, tool_input: input } = given;
  const made = toClaudeResponse(
    { tool, input: isRecord(input) ? input : {}, cwd: project },
    response,
  );
  const result = isRecord(received) && isRecord(made) ? { ...received, ...made } : made;
  if (!hasFormOf(received, result) || !holds(result, textsIn(response['llmContent'])))
    return undefined;
  wishes.take('toolResponse');
  return result;
}

/** Whether the text is in the result; the form of a tool that writes has no place for one. */
const holds = (result: unknown, text: string): boolean =>
  JSON.stringify(result).includes(JSON.stringify(text).slice(1, -1));
