import { isRecord } from '../../base/json.ts';
import type { AnswerWords, Vocabulary } from '../parts/near-misses.ts';
import type { ClaudeEventName } from './events.ts';

/** What a field of an answer must be: a test, and the words for it. */
interface Form {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

type Forms = Readonly<Record<string, Form>>;

const text: Form = { fits: (value) => typeof value === 'string', wanted: 'a string' };
const flag: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
const object: Form = { fits: isRecord, wanted: 'an object' };
const anything: Form = { fits: () => true, wanted: 'a value' };
const texts: Form = {
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  wanted: 'an array of strings',
};
const oneOf = (...words: readonly string[]): Form => ({
  fits: (value) => words.includes(value as string),
  wanted: `exactly one of ${words.join(', ')}`,
});

/** The fields that every event's answer may have. */
export const commonForms: Forms = {
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
  UserPromptSubmit: { ...context, sessionTitle: text, suppressOriginalPrompt: flag },
  UserPromptExpansion: { ...context, sessionTitle: text, suppressOriginalPrompt: flag },
  SessionStart: {
    ...context,
    initialUserMessage: text,
    sessionTitle: text,
    watchPaths: texts,
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
  CwdChanged: { watchPaths: texts },
  FileChanged: { watchPaths: texts },
  WorktreeCreate: { worktreePath: text },
  MessageDisplay: { displayContent: text },
};

/** Returns the fields of an event. */
export const specificFormsOf = (event: ClaudeEventName): Forms => specificForms[event] ?? {};

/** The fields of `hookSpecificOutput` that decide or replace something, at any event. */
const deciding = ['permissionDecision', 'decision', 'updatedInput', 'updatedToolOutput'] as const;

/** Returns those that an event has. */
const decidingSpecific = (event: ClaudeEventName): readonly string[] =>
  deciding.filter((name) => Object.hasOwn(specificFormsOf(event), name));

/** The common fields that may hold a guard's decision. */
const decidingCommon = ['decision', 'continue', 'hookSpecificOutput'] as const;

/** Returns the fields that an event's answer may have at the top and in `hookSpecificOutput`. */
export function wordsOf(event: ClaudeEventName): AnswerWords {
  const decide = sayNo(event);
  const instead: Vocabulary['instead'] = {
    'a decision': decide,
    arguments: 'give new arguments as "hookSpecificOutput.updatedInput"',
    'a result': 'give a new result as "hookSpecificOutput.updatedToolOutput"',
  };
  const specific = specificFormsOf(event);
  const belongs = decidingSpecific(event)
    .filter((name) => name !== 'decision')
    .map((name) => [name, `it belongs in "hookSpecificOutput.${name}"`]);
  return {
    common: {
      path: '',
      legal: [
        ...Object.keys(commonForms),
        'hookEventName',
        'additionalContext',
        'async',
        'asyncTimeout',
      ],
      deciding: decidingCommon,
      misplaced: { tool_input: instead.arguments, ...Object.fromEntries(belongs) },
      instead,
    },
    specific: {
      path: 'hookSpecificOutput.',
      legal: [...Object.keys(specific), 'hookEventName', 'additionalContext', 'reason'],
      deciding: decidingSpecific(event),
      misplaced: {
        continue: '"continue" belongs next to "hookSpecificOutput", not inside it',
        tool_input: instead.arguments,
        ...(!Object.hasOwn(specific, 'decision') && { decision: decide }),
      },
      instead,
    },
    once: [...decidingCommon, ...decidingSpecific(event)],
  };
}

/** Returns the hint that tells how an event's hooks deny. */
function sayNo(event: ClaudeEventName): string {
  switch (event) {
    case 'PreToolUse':
    case 'PreModelSwitch':
      return 'use "hookSpecificOutput": { "hookEventName", "permissionDecision": "deny" }';
    case 'PermissionRequest':
      return 'use "hookSpecificOutput": { "hookEventName", "decision": { "behavior": "deny" } }';
    default:
      return 'use "decision": "block" and a "reason"';
  }
}
