import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';
import { traitsOf, type QwenEventName } from './events.ts';

/** The common fields that may hold a guard's decision. */
const decidingCommon = ['decision', 'continue', 'hookSpecificOutput'] as const;

/** The fields of `hookSpecificOutput` that decide something in answer to an event. */
const decidingSpecific = (event: QwenEventName): readonly string[] =>
  event === 'PreToolUse'
    ? ['permissionDecision']
    : event === 'PermissionRequest'
      ? ['decision']
      : [];

/** Returns what an event's answer may say at the top and in `hookSpecificOutput`. */
export function wordsOf(event: QwenEventName): AnswerWords {
  const decide =
    event === 'PermissionRequest'
      ? 'use "hookSpecificOutput": { "decision": { "behavior": "deny" } }'
      : 'use "decision": "block" and a "reason"';
  const instead: Vocabulary['instead'] = {
    'a decision': decide,
    arguments:
      event === 'PermissionRequest'
        ? 'give new arguments as "hookSpecificOutput.decision.updatedInput"'
        : 'new arguments are accepted only in answer to PermissionRequest',
    'a result': `a result cannot be replaced${traitsOf(event).stop === 'replaces' ? ', except with "continue": false' : ''}`,
  };
  const deciding = decidingSpecific(event);
  return {
    common: {
      path: '',
      legal: [
        ...decidingCommon,
        'reason',
        'stopReason',
        'suppressOutput',
        'systemMessage',
        'terminalSequence',
        'hookEventName',
        'additionalContext',
      ],
      deciding: decidingCommon,
      misplaced: Object.fromEntries(
        deciding
          .filter((name) => name !== 'decision')
          .map((name) => [name, `it belongs in "hookSpecificOutput.${name}"`]),
      ),
      instead,
    },
    specific: {
      path: 'hookSpecificOutput.',
      legal: [
        ...deciding,
        'permissionDecisionReason',
        'hookEventName',
        'additionalContext',
        'artifacts',
        'tool_input',
      ],
      deciding,
      misplaced: {
        continue: '"continue" belongs next to "hookSpecificOutput", not inside it',
        ...(!deciding.includes('decision') && { decision: decide }),
      },
      instead,
    },
    once: [...decidingCommon, ...deciding],
  };
}
