import { isRecord } from '../../protocol/output.ts';
import { isDenyingText } from '../deciding-words.ts';
import { answerMisses, type AnswerWords, type Vocabulary } from '../near-misses.ts';
import { isTooDeep, objectsIn, parseObject, withoutDeepFields } from '../printed-json.ts';
import type { CopilotEvent, CopilotPointName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook printed on stdout, without its lines of progress. */
export type Printed =
  | { readonly kind: 'nothing' }
  /** No JSON object; `objects` are those that stand in it. */
  | { readonly kind: 'text'; readonly text: string; readonly objects: readonly Fields[] }
  | {
      readonly kind: 'object';
      readonly fields: Fields;
      /** What was almost a word that decides. */
      readonly misses: readonly string[];
      readonly notes: readonly string[];
    };

/** Reads stdout: what is left without lines of progress is one JSON object, or no answer. */
export function readStdout(event: CopilotEvent, stdout: string, received: Fields): Printed {
  const text = withoutProgress(stdout).trim();
  if (text === '') return { kind: 'nothing' };
  const printed = parseObject(text);
  if (printed === undefined) return { kind: 'text', text, objects: objectsIn(text) };
  const notes: string[] = [];
  const fields = isTooDeep(text) ? withoutDeepFields(printed, notes) : printed;
  const misses = answerMisses(fields, text, wordsOf(event), received);
  return { kind: 'object', fields, misses, notes };
}

/** Copilot takes out every line that is a whole object which tells of progress. */
function withoutProgress(stdout: string): string {
  if (!stdout.includes('progress')) return stdout;
  return stdout
    .split('\n')
    .filter((line) => parseObject(line.trim())?.['type'] !== 'progress')
    .join('\n');
}

/** Whether `hookSpecificOutput` is read in answer to an event: to this one alone, under its name in Pascal case. */
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

/** Fields that are no fault, whether they have a meaning or not (S-05). */
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

/** The words by which hooks say no, at the top of an answer or in what is specific to an event. */
const denying = ['permissionDecision', 'decision', 'behavior', 'permission'] as const;

/** Whether an answer evidently means to deny, in whatever of these words, and wherever (S-04). */
export const meansToDeny = (fields: Fields): boolean =>
  [fields, fields['hookSpecificOutput'], fields['decision'], decisionIn(fields)].some(
    (place) => isRecord(place) && denying.some((word) => isDenyingText(place[word])),
  );

const decisionIn = ({ hookSpecificOutput: own }: Fields): unknown =>
  isRecord(own) ? own['decision'] : undefined;

/** What an event's answer may say. */
function wordsOf(event: CopilotEvent): AnswerWords {
  const own = deciding[event.point] ?? [];
  const decide = sayNo(event.point);
  const instead: Vocabulary['instead'] = {
    'a decision': decide,
    arguments: 'new arguments are given as "modifiedArgs", in answer to preToolUse',
    'a result': 'a new result is given as "modifiedResult", in answer to postToolUse',
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
          : { hookSpecificOutput: `Copilot reads it in answer to PreToolUse alone; ${decide}` }),
      },
      instead,
    },
    specific: isRead
      ? {
          path: 'hookSpecificOutput.',
          legal: [...harmless, 'permissionDecision', 'updatedInput'],
          deciding: ['permissionDecision', 'updatedInput'],
          misplaced: { decision: decide, modifiedArgs: '"updatedInput" is its name here' },
          instead,
        }
      : undefined,
    once: own,
  };
}

/** How an event's hooks say no. */
function sayNo(point: CopilotPointName): string {
  switch (point) {
    case 'preToolUse':
      return 'say it with "permissionDecision": "deny" and a "permissionDecisionReason"';
    case 'permissionRequest':
      return 'say it with "behavior": "deny" and a "message"';
    case 'postToolUse':
    case 'userPromptSubmitted':
    case 'agentStop':
    case 'subagentStop':
      return 'say it with "decision": "block" and a "reason"';
    default:
      return 'hooks of this event decide nothing';
  }
}
