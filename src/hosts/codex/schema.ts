import { fieldsOf, isRecord, inTable } from '../../base/json.ts';
import {
  anything,
  flag,
  object as record,
  oneOf,
  orNull,
  text as string,
  type Forms,
} from '../parts/forms.ts';
import { codexEvents, type CodexEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why Codex ignores an answer, and what its author can do. */
export interface Fault {
  readonly why: string;
  readonly fix: string;
}

const [text, object] = [orNull(string), orNull(record)];
const exactly = (...words: readonly string[]) => ({
  ...oneOf(...words),
  wanted: `exactly ${words.join(' or ')}`,
});

const common = { continue: flag, stopReason: text, suppressOutput: flag, systemMessage: text };
const blocking = { ...common, decision: orNull(exactly('block')), reason: text };
const ownKey = 'hookSpecificOutput';
const specific = { [ownKey]: object };

/** The fields of an answer, by event. */
const topForms: Readonly<Record<CodexEventName, Forms>> = {
  PreToolUse: { ...blocking, ...specific, decision: orNull(exactly('approve', 'block')) },
  PermissionRequest: { ...common, ...specific },
  PostToolUse: { ...blocking, ...specific },
  UserPromptSubmit: { ...blocking, ...specific },
  Stop: blocking,
  SubagentStart: { ...common, ...specific },
  SubagentStop: blocking,
  SessionStart: { ...common, ...specific },
  SessionEnd: common,
  PreCompact: common,
  PostCompact: common,
  Interrupt: common,
};

const name = { hookEventName: exactly(...codexEvents.names) };
const context = { ...name, additionalContext: text };

/** The fields of `hookSpecificOutput`, by event. */
const specificForms: Readonly<Partial<Record<CodexEventName, Forms>>> = {
  PreToolUse: {
    ...context,
    permissionDecision: orNull(exactly('allow', 'deny', 'ask')),
    permissionDecisionReason: text,
    updatedInput: anything,
  },
  PermissionRequest: { ...name, decision: object },
  PostToolUse: { ...context, updatedMCPToolOutput: anything },
  UserPromptSubmit: context,
  SessionStart: context,
  SubagentStart: context,
};

const permissionForms: Forms = {
  behavior: exactly('allow', 'deny'),
  message: text,
  updatedInput: anything,
  updatedPermissions: anything,
  interrupt: flag,
};

/** Returns the first fault for which Codex ignores an answer; undefined if it accepts it. */
export function faultOf(event: CodexEventName, fields: Fields): Fault | undefined {
  const own = fieldsOf(fields[ownKey]);
  const permission = fieldsOf(own['decision']);
  const isAsked = event === 'PermissionRequest' && isRecord(own['decision']);
  const path = `${ownKey}.decision.`;
  return (
    firstWrong(topForms[event], fields, '') ??
    firstWrong(specificForms[event] ?? {}, own, `${ownKey}.`) ??
    (isRecord(fields[ownKey]) && own['hookEventName'] === undefined
      ? missing(`${ownKey}.hookEventName`, `write "hookEventName": "${event}"`)
      : undefined) ??
    (isAsked ? firstWrong(permissionForms, permission, path) : undefined) ??
    (isAsked && permission['behavior'] === undefined
      ? missing(`${path}behavior`, 'make it allow or deny')
      : undefined) ??
    refusalOf(event, fields, own)
  );
}

const missing = (path: string, fix: string): Fault => ({ why: `"${path}" is missing`, fix });

function firstWrong(forms: Forms, fields: Fields, path: string): Fault | undefined {
  for (const [key, value] of Object.entries(fields)) {
    const form = inTable(forms, key);
    if (form === undefined)
      return { why: `it does not know the field "${path}${key}" here`, fix: 'remove that field' };
    if (!form.fits(value))
      return { why: `"${path}${key}" must be ${form.wanted}`, fix: 'correct it' };
  }
  return undefined;
}

/** Whether a value is a text that is not blank. */
export const isSaid = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const refuses = (key: string, isThere: boolean): Fault | undefined =>
  isThere ? { why: `it rejects "${key}" here`, fix: 'remove that field' } : undefined;

/** Returns what Codex refuses although its form is valid. */
function refusalOf(event: CodexEventName, fields: Fields, own: Fields): Fault | undefined {
  const { decision, reason, suppressOutput } = fields;
  const { updatedInput, updatedPermissions, interrupt } = fieldsOf(own['decision']);
  const stops =
    refuses('continue', fields['continue'] === false) ??
    refuses('stopReason', isGiven(fields['stopReason'])) ??
    refuses('suppressOutput', suppressOutput === true);
  const unreasoned: Fault | undefined =
    decision === 'block' && !isSaid(reason)
      ? { why: 'a block needs a "reason"', fix: 'say why' }
      : undefined;
  switch (event) {
    case 'PreToolUse':
      return stops ?? refusalBefore(fields, own);
    case 'PermissionRequest':
      return (
        stops ??
        refuses('updatedInput', isGiven(updatedInput)) ??
        refuses('updatedPermissions', isGiven(updatedPermissions)) ??
        refuses('interrupt', interrupt === true)
      );
    case 'PostToolUse':
      return (
        unreasoned ??
        refuses('suppressOutput', suppressOutput === true) ??
        refuses('updatedMCPToolOutput', isGiven(own['updatedMCPToolOutput']))
      );
    case 'UserPromptSubmit':
    case 'Stop':
    case 'SubagentStop':
      return unreasoned;
    default:
      return undefined;
  }
}

/**
 * Returns what Codex refuses in an answer before a tool: it accepts denials with a reason, and new
 * arguments beside an approval.
 */
function refusalBefore({ decision, reason }: Fields, own: Fields): Fault | undefined {
  const { permissionDecision: word, permissionDecisionReason: because, updatedInput } = own;
  const hasInput = isGiven(updatedInput);
  if (word === 'deny') {
    if (!isSaid(because))
      return { why: 'a denial needs a "permissionDecisionReason"', fix: 'say why' };
    return hasInput
      ? { why: 'it comes with new arguments', fix: 'remove "updatedInput"' }
      : undefined;
  }
  if (word === 'ask') return { why: 'it cannot ask', fix: 'deny, or print nothing' };
  if (decision === 'block') {
    if (!isSaid(reason)) return { why: 'a block needs a "reason"', fix: 'say why' };
    if (word === 'allow')
      return { why: 'it comes with an approval', fix: 'remove "permissionDecision"' };
  } else if (decision === 'approve')
    return { why: 'it accepts no approval before a tool', fix: 'print nothing' };
  else if (isGiven(reason))
    return { why: 'a "reason" needs a decision', fix: 'add a decision, or remove it' };
  if (word === 'allow') {
    if (!hasInput)
      return {
        why: 'it accepts an approval only together with "updatedInput"',
        fix: 'print nothing',
      };
  } else {
    if (hasInput)
      return {
        why: 'new arguments need an approval',
        fix: 'write "permissionDecision": "allow"',
      };
    if (isGiven(because))
      return {
        why: 'a "permissionDecisionReason" needs a decision',
        fix: 'add a decision, or remove it',
      };
  }
  return undefined;
}
