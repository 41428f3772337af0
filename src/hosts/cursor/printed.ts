import { isRecord, isTooDeep } from '../../base/json.ts';
import { embeddedObjects, withoutDeepFields } from '../parts/printed-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'object';
      readonly fields: Fields;
      /** The object as it was printed. */
      readonly json: string;
      readonly notes: readonly string[];
    }
  /** Not an answer; `objects` are the JSON objects in it. */
  | { readonly kind: 'text'; readonly objects: readonly Fields[] };

/** Reads stdout: the object at its end, whatever comes before it. */
export function readStdout(stdout: string): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  const whole = parse(text);
  const objects = whole === undefined ? objectsIn(text) : [];
  const json = whole === undefined && objects.length > 0 ? objects.at(-1)! : text;
  const last = whole ?? (text.endsWith(json) ? parse(json) : undefined);
  if (!isRecord(last))
    return { kind: 'text', objects: objects.map(parse).filter((one) => isRecord(one)) };
  const notes: string[] = [];
  return {
    kind: 'object',
    fields: isTooDeep(json) ? withoutDeepFields(last, notes) : last,
    json,
    notes,
  };
}

/** The most objects looked for in a text; no answer holds more. */
const mostObjects = 1_000;

function objectsIn(text: string): string[] {
  const found: string[] = [];
  for (const json of embeddedObjects(text)) {
    found.push(json);
    if (found.length === mostObjects) break;
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
