import { isRecord } from '../../base/json.ts';
import { isDenyingText } from '../parts/deciding-words.ts';
import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';
import { parseObject } from '../parts/printed-json.ts';
import type { CopilotEvent, CopilotPointName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Copilot drops every line that is a complete object reporting progress. */
export function withoutProgress(stdout: string): string {
  if (!stdout.includes('progress')) return stdout;
  return stdout
    .split('\n')
    .filter((line) => parseObject(line.trim())?.['type'] !== 'progress')
    .join('\n');
}

/** Whether `hookSpecificOutput` is read at an event: only at this one, under its name in Pascal case. */
export const readsSpecific = ({ point, isPascal }: CopilotEvent): boolean =>
  isPascal && point === 'preToolUse';

/** The fields of an answer that decide or replace something, by event. */
const deciding: Readonly<Partial<Record<CopilotPointName, readonly string[]>>> = {
  preToolUse: ['permissionDecision', 'modifiedArgs'],
  permissionRequest: ['behavior', 'interrupt'],
  postToolUse: ['decision', 'modifiedResult'],
  userPromptSubmitted: ['decision', 'modifiedPrompt'],
  userPromptTransformed: ['modifiedTransformedPrompt'],
  agentStop: ['decision'],
  subagentStop: ['decision', 'modifiedResponse'],
};

/** Fields that are not a fault, whether or not they have a meaning. */
const harmless = [
  'permissionDecisionReason',
  'message',
  'reason',
  'additionalContext',
  'systemMessage',
  'suppressOutput',
  'stopReason',
  'continue',
  'hookEventName',
  'handled',
  'responseContent',
] as const;

/** The fields with which hooks deny, at the top of an answer or in its event-specific part. */
const denying = ['permissionDecision', 'decision', 'behavior', 'permission'] as const;

/** Whether an answer evidently means to deny, with any of these fields and in any place. */
export const meansToDeny = (fields: Fields): boolean =>
  [fields, fields['hookSpecificOutput'], fields['decision'], decisionIn(fields)].some(
    (place) => isRecord(place) && denying.some((word) => isDenyingText(place[word])),
  );

const decisionIn = ({ hookSpecificOutput: own }: Fields): unknown =>
  isRecord(own) ? own['decision'] : undefined;

/** Returns what an event's answer may say. */
export function wordsOf(event: CopilotEvent): AnswerWords {
  const own = deciding[event.point] ?? [];
  const decide = sayNo(event.point);
  const instead: Vocabulary['instead'] = {
    'a decision': decide,
    arguments: 'give new arguments as "modifiedArgs", in answer to preToolUse',
    'a result': 'give a new result as "modifiedResult", in answer to postToolUse',
  };
  const isRead = readsSpecific(event);
  return {
    common: {
      path: '',
      legal: [...own, ...harmless, ...(isRead ? ['hookSpecificOutput'] : [])],
      deciding: own,
      misplaced: {
        ...(!own.includes('decision') && { decision: decide }),
        ...(isRead
          ? { updatedInput: `${instead.arguments}, or in "hookSpecificOutput"` }
          : { hookSpecificOutput: `Copilot reads it only in answer to PreToolUse; ${decide}` }),
      },
      instead,
    },
    specific: isRead
      ? {
          path: 'hookSpecificOutput.',
          legal: [...harmless, 'permissionDecision', 'updatedInput'],
          deciding: ['permissionDecision', 'updatedInput'],
          misplaced: { decision: decide, modifiedArgs: 'here it is called "updatedInput"' },
          instead,
        }
      : undefined,
    once: own,
  };
}

/** Returns the hint that tells how an event's hooks deny. */
export function sayNo(point: CopilotPointName): string {
  switch (point) {
    case 'preToolUse':
      return 'use "permissionDecision": "deny" and a "permissionDecisionReason"';
    case 'permissionRequest':
      return 'use "behavior": "deny" and a "message"';
    case 'postToolUse':
    case 'userPromptSubmitted':
    case 'agentStop':
    case 'subagentStop':
      return 'use "decision": "block" and a "reason"';
    default:
      return 'hooks of this event cannot decide anything';
  }
}
