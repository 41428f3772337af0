import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';
import type { CursorEventName } from './events.ts';

/** Fields that are not a fault, whether or not they have a meaning at an event. */
const harmless = [
  'continue',
  'permission',
  'user_message',
  'userMessage',
  'agent_message',
  'agentMessage',
  'updated_input',
  'additional_context',
  'followup_message',
  'env',
  'reason',
  'hookSpecificOutput',
] as const;

/** Returns what an answer may say at an event that can be denied. */
export function wordsOf(event: CursorEventName): AnswerWords {
  const isPrompt = event === 'beforeSubmitPrompt';
  const decide = isPrompt ? 'use "continue": false' : 'use "permission": "deny"';
  const instead: Vocabulary['instead'] = {
    'a decision': decide,
    arguments: 'give new arguments as "updated_input", in answer to preToolUse',
    'a result': 'give a new result as "updated_mcp_tool_output", in answer to postToolUse',
  };
  const word = isPrompt ? 'continue' : 'permission';
  return {
    common: {
      path: '',
      legal: harmless,
      deciding: event === 'preToolUse' ? [word, 'updated_input'] : [word],
      misplaced: { decision: decide },
      instead,
    },
    specific: {
      path: 'hookSpecificOutput.',
      legal: ['permissionDecision', 'permissionDecisionReason', 'additionalContext'],
      deciding: ['permissionDecision'],
      misplaced: { decision: decide },
      instead,
    },
    once: [word],
  };
}
