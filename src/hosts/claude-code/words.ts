import { fieldsOf, isRecord } from '../../base/json.ts';
import { ignored } from '../../core/protocol/output.ts';
import {
  anything,
  firstWrong,
  flag,
  object,
  oneOf,
  text,
  texts,
  type Forms,
} from '../parts/forms.ts';
import { type AnswerWords, nestedWords } from '../parts/near-misses.ts';
import type { ClaudeEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that every event's answer may have. */
const commonForms: Forms = {
  continue: flag,
  suppressOutput: flag,
  stopReason: text,
  decision: oneOf('approve', 'block'),
  reason: text,
  systemMessage: text,
  terminalSequence: text,
  hookSpecificOutput: object,
};

const context = { additionalContext: text };
const permission = {
  permissionDecision: oneOf('allow', 'deny', 'ask', 'defer'),
  permissionDecisionReason: text,
};
const elicited = { action: oneOf('accept', 'decline', 'cancel'), content: object };
const prompt = { ...context, sessionTitle: text, suppressOriginalPrompt: flag };
const watched = { watchPaths: texts };

/** The fields of `hookSpecificOutput`, by event. */
const specificForms: Readonly<Partial<Record<ClaudeEventName, Forms>>> = {
  PreToolUse: { ...permission, updatedInput: object, ...context },
  PermissionRequest: { decision: object },
  PermissionDenied: { retry: flag },
  PostToolUse: {
    ...context,
    updatedToolOutput: anything,
    updatedMCPToolOutput: anything,
    classifierContext: text,
  },
  PostToolUseFailure: context,
  PostToolBatch: context,
  UserPromptSubmit: prompt,
  UserPromptExpansion: prompt,
  SessionStart: {
    ...context,
    initialUserMessage: text,
    sessionTitle: text,
    ...watched,
    reloadSkills: flag,
  },
  Setup: context,
  Stop: context,
  SubagentStart: context,
  SubagentStop: context,
  Notification: context,
  PreModelSwitch: permission,
  PostModelSwitch: context,
  Elicitation: elicited,
  ElicitationResult: elicited,
  CwdChanged: watched,
  FileChanged: watched,
  WorktreeCreate: { worktreePath: text },
  MessageDisplay: { displayContent: text },
};

/** The fields of `hookSpecificOutput` that decide or replace something, at any event. */
const deciding = ['permissionDecision', 'decision', 'updatedInput', 'updatedToolOutput'] as const;

/** Returns the fields that an event's answer may have at the top and in `hookSpecificOutput`. */
export function wordsOf(event: ClaudeEventName): AnswerWords {
  const specific = Object.keys(specificForms[event] ?? {});
  const newInput = 'give new arguments as "hookSpecificOutput.updatedInput"';
  return nestedWords({
    decide: sayNo(event),
    instead: {
      arguments: newInput,
      'a result': 'give a new result as "hookSpecificOutput.updatedToolOutput"',
    },
    legal: [...Object.keys(commonForms), 'async', 'asyncTimeout'],
    specific: [...specific, 'reason'],
    deciding: deciding.filter((name) => specific.includes(name)),
    misplaced: { tool_input: newInput },
  });
}

const nested = (fields: string): string =>
  `use "hookSpecificOutput": { "hookEventName", ${fields} }`;

/** Returns the hint that tells how an event's hooks deny. */
function sayNo(event: ClaudeEventName): string {
  switch (event) {
    case 'PreToolUse':
    case 'PreModelSwitch':
      return nested('"permissionDecision": "deny"');
    case 'PermissionRequest':
      return nested('"decision": { "behavior": "deny" }');
    default:
      return 'use "decision": "block" and a "reason"';
  }
}

const place = (name: string): string => `"hookSpecificOutput.${name}"`;

/** Returns the first fault for which Claude Code discards the whole answer. */
export function faultIn(event: ClaudeEventName, fields: Fields): string | undefined {
  const own = fields['hookSpecificOutput'];
  const top = firstWrong(commonForms, fields);
  if (top !== undefined) return ignored(`"${top}"`, fields[top], commonForms[top]!.wanted);
  if (!isRecord(own)) return undefined;
  const { hookEventName } = own;
  if (hookEventName === undefined)
    return `${place('hookEventName')} is missing: it must be "${event}"`;
  if (hookEventName !== event) return ignored(place('hookEventName'), hookEventName, `"${event}"`);
  const { [event]: forms = {} } = specificForms;
  const wrong = firstWrong(forms, own);
  if (wrong !== undefined) return ignored(place(wrong), own[wrong], forms[wrong]!.wanted);
  const { behavior } = fieldsOf(own['decision']);
  return event === 'PermissionRequest' &&
    isRecord(own['decision']) &&
    !['allow', 'deny'].includes(behavior as string)
    ? ignored(place('decision.behavior'), behavior, 'allow or deny')
    : undefined;
}
