import { isRecord, isTooDeep } from '../../base/json.ts';
import { embeddedObjects, withoutDeepFields } from '../parts/printed-json.ts';
import type { CodexEventName } from './events.ts';
import { faultOf, type Fault } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  /** Plain text; `objects` are the JSON objects in it. */
  | { readonly kind: 'text'; readonly text: string; readonly objects: readonly Fields[] }
  /** Text that begins like JSON but is not an answer. */
  | { readonly kind: 'broken'; readonly fault: Fault; readonly objects: readonly Fields[] }
  /** An answer; with a `fault`, one that Codex ignores entirely. */
  | {
      readonly kind: 'object';
      readonly fields: Fields;
      readonly fault: Fault | undefined;
      readonly notes: readonly string[];
    };

/**
 * Reads stdout: text that begins with `{` or `[` must be the event's object and nothing else; all other
 * text is plain.
 */
export function readStdout(event: CodexEventName, stdout: string): Printed {
  const text = trimmed(stdout);
  if (text === '') return { kind: 'nothing' };
  if (!/^[{[]/.test(text)) return { kind: 'text', text, objects: objectsIn(text) };
  const value = parse(text);
  if (isRecord(value)) {
    const notes: string[] = [];
    const fields = isTooDeep(text) ? withoutDeepFields(value, notes) : value;
    return { kind: 'object', fields, fault: faultOf(event, fields), notes };
  }
  const fault = {
    why: 'stdout is not a JSON object',
    fix: 'print one JSON object and nothing else',
  };
  // A list is not a log line around an answer.
  return { kind: 'broken', fault, objects: value === undefined ? objectsIn(text) : [] };
}

/** Trims stdout as Codex does, which does not count a byte order mark as white space. */
function trimmed(stdout: string): string {
  const text = stdout.trim();
  const before = stdout.slice(0, stdout.length - stdout.trimStart().length);
  const mark = before.indexOf('\uFEFF');
  return mark === -1 ? text : `${before.slice(mark)}${text}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The most objects looked for in a text; no answer holds more. */
const mostObjects = 20;

function objectsIn(text: string): Fields[] {
  const found: Fields[] = [];
  // Bytes that are not text come before it.
  if (text.slice(0, text.indexOf('{')).includes('\uFFFD')) return found;
  for (const json of embeddedObjects(text)) {
    const fields = parse(json);
    if (isRecord(fields)) found.push(fields);
    if (found.length === mostObjects) break;
  }
  return found;
}
