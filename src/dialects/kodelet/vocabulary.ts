import type { HookEventName } from '../../protocol/events.ts';
import type { Vocabulary } from '../near-misses.ts';

const fields: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  BeforeTool: ['blocked', 'input'],
  AfterTool: ['output'],
  BeforeAgent: ['blocked'],
  AfterAgent: ['follow_up_messages'],
};

/** The fields of an answer that decide or replace something (seed 002 "Return Value Structures"). */
export const decidingFields = (event: HookEventName): readonly string[] => fields[event] ?? [];

const block = 'say it with "blocked": true and a "reason"';

/** What a hook's answer may say, in whatever case. */
export function wordsOf(event: HookEventName): Vocabulary {
  const deciding = decidingFields(event);
  const canBlock = deciding.includes('blocked');
  const decide = canBlock
    ? block
    : 'this type of hook cannot block; before_tool_call can, with "blocked"';
  return {
    path: '',
    legal: [...deciding, 'reason'],
    deciding,
    misplaced: {
      ...(!canBlock && { blocked: decide }),
      decision: decide,
      continue: decide,
      hookSpecificOutput: decide,
      tool_input: 'new arguments are given as "input", in answer to before_tool_call',
    },
    instead: {
      'a decision': decide,
      arguments: 'new arguments are given as "input", in answer to before_tool_call',
      'a result': 'a new result is given as "output", in answer to after_tool_call',
    },
    ignoresCase: true,
  };
}
