import type { HookPayload } from '../../../machines/hook-event.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { hostSample } from './host-samples.ts';
import { definitionOf, readyToFind } from './run-as.ts';
import { sampleFieldsOf } from './sample-fields.ts';
import { lineScript } from './script.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns an event's own fields as a dialect spells them, to try `hookmachine fire` with: what its hook would
 * receive, without what we add ourselves. Undefined for an event whose fields are unknown. Of several calls,
 * it is one that `isWanted`, if there is one.
 */
export async function sampleStdin(
  dialect: Dialect,
  name: string,
  cwd: string,
  isWanted?: (payload: HookPayload) => boolean,
): Promise<Fields | undefined> {
  const whole = await wholeSample(dialect, name, cwd, isWanted);
  if (whole === undefined) return undefined;
  const names = [name, dialect.events[name]!];
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => !isOurs(value, names, cwd)),
  );
}

/** The same with what we add ourselves, such as the event's name: all that a host gives its hooks. */
export async function wholeSample(
  dialect: Dialect,
  name: string,
  cwd: string,
  isWanted: (payload: HookPayload) => boolean = () => true,
): Promise<Fields | undefined> {
  await readyToFind(dialect, cwd);
  const event = dialect.events[name]!;
  const hook = definitionOf(dialect, name, event, lineScript('true', 1000));
  const ofHost = hostSample(dialect.family, event);
  const fieldsOf = ofHost ? [ofHost] : sampleFieldsOf(event);
  const payloads = fieldsOf.map((fields) => ({
    ...baseFields(event, cwd),
    ...fields,
  }));
  const fits = dialect.compileMatcher(hook, () => undefined);
  // A dialect may have one name of an event for shells, and another for files.
  const fitting = payloads.filter(
    (one) =>
      (!('tool_name' in one) || fits(String(one.tool_name))) &&
      dialect.applies?.(hook, one) !== false,
  );
  const payload = fitting.find(isWanted) ?? fitting[0] ?? payloads[0];
  if (payload === undefined) return undefined;
  const said = dialect.stdin(hook, payload, { toolCallId: 'call-1', messages });
  return JSON.parse(JSON.stringify(said)) as Fields;
}

const sample = 'sample';

const baseFields = (event: HookEventName, cwd: string) => ({
  session_id: sample,
  transcript_path: sample,
  cwd,
  hook_event_name: event,
  timestamp: sample,
});

/** Whether a value is one that the caller who fires an event need not give. */
function isOurs(value: unknown, names: readonly string[], cwd: string): boolean {
  const [one] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [value];
  return (
    one === null ||
    one === sample ||
    one === cwd ||
    (typeof one === 'string' && names.some((name) => name.toLowerCase() === one.toLowerCase()))
  );
}

const conversation = [
  { role: 'user', content: 'Say hello.' },
  { role: 'assistant', content: 'Hello.' },
] as const;
const messages = () => conversation;
