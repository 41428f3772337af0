import { ignored } from '../../core/protocol/output.ts';
import { answerMisses } from '../parts/near-misses.ts';
import { objectsIn, parseObject, withoutDeepFields } from '../parts/printed-json.ts';
import type { ClaudeEventName } from './events.ts';
import { commonForms, specificFormsOf, wordsOf } from './vocabulary.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  /** Plain text; `objects` are the JSON objects in it. */
  | { readonly kind: 'text'; readonly text: string; readonly objects: readonly Fields[] }
  | {
      readonly kind: 'object';
      readonly fields: Fields;
      /** Why Claude Code ignores all of it; undefined if it does not. */
      readonly fault?: string | undefined;
      /** What the hook's author should know about words that are almost words that decide. */
      readonly misses: readonly string[];
      readonly notes: readonly string[];
    };

/** Reads stdout: one object and nothing else is an answer, whatever white space surrounds it. */
export function readStdout(event: ClaudeEventName, stdout: string, received: Fields): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  const fields = parseObject(text);
  return fields
    ? readObject(event, fields, text, received)
    : { kind: 'text', text, objects: objectsIn(text) };
}

/** Whether a hook's first line says not to wait for it; nobody reads what it prints then. */
export const saysAsync = (stdout: string): boolean =>
  parseObject(stdout.trimStart().split('\n', 1)[0]!.trim())?.['async'] === true;

function readObject(
  event: ClaudeEventName,
  printed: Fields,
  json: string,
  received: Fields,
): Printed {
  const notes: string[] = [];
  const fields = isTooDeep(json) ? withoutDeepFields(printed, notes) : printed;
  const misses = answerMisses(fields, json, wordsOf(event), received);
  if (typeof fields['additionalContext'] === 'string')
    notes.push('"additionalContext" was ignored: it belongs in "hookSpecificOutput"');
  return { kind: 'object', fields, fault: faultIn(event, fields), misses, notes };
}

/** Returns the first fault for which Claude Code discards the whole answer. */
function faultIn(event: ClaudeEventName, fields: Fields): string | undefined {
  const own = fields['hookSpecificOutput'];
  const wrong = firstWrong(commonForms, fields, '');
  if (wrong !== undefined || !isRecord(own)) return wrong;
  const { hookEventName } = own;
  if (hookEventName !== event)
    return hookEventName === undefined
      ? `"hookSpecificOutput.hookEventName" is missing: it must be "${event}"`
      : ignored('"hookSpecificOutput.hookEventName"', hookEventName, `"${event}"`);
  const specific = firstWrong(specificFormsOf(event), own, 'hookSpecificOutput.');
  if (specific !== undefined || event !== 'PermissionRequest') return specific;
  const { decision } = own;
  return isRecord(decision) && !['allow', 'deny'].includes(decision['behavior'] as string)
    ? ignored('"hookSpecificOutput.decision.behavior"', decision['behavior'], 'allow or deny')
    : undefined;
}

function firstWrong(forms: typeof commonForms, fields: Fields, path: string): string | undefined {
  for (const [name, { fits, wanted }] of Object.entries(forms))
    if (Object.hasOwn(fields, name) && !fits(fields[name]))
      return ignored(`"${path}${name}"`, fields[name], wanted);
  return undefined;
}
