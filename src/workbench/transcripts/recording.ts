import type { CallAccount } from '../../watch/journal/account.ts';
import { isRecord } from '../../base/json.ts';
import { fault, isText, type Found, type PastEvent } from './past-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that every event has; they are about the session, which is given separately. */
const base = new Set(['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp']);

/** The events of a call in a recording of ours: a tool's as it was called, whatever hooks changed then. */
export function* eventsOf(call: CallAccount): Generator<Found> {
  const { machine, name, given, result, events, payloads } = call;
  if (machine === 'agentTurn' && events.length === 0) return;
  if (machine === 'hookProcess') return;
  if (!payloads)
    return yield fault('was recorded without payloads: record it with --record-payloads');
  const folder = events.map((event) => (event.given as Fields | undefined)?.['cwd']).find(isText);
  const found = (event: string, fields: Fields): PastEvent => ({
    kind: 'event',
    dialect: 'hookmachine',
    event,
    given: fields,
    session: call.session,
    ...(folder !== undefined && { folder }),
  });
  if (machine === 'toolCall' && isRecord(given)) {
    const asked = { tool_name: name, tool_input: given };
    yield found('BeforeTool', asked);
    if (call.status === 'done' && isRecord(result))
      yield found('AfterTool', { ...asked, tool_response: result });
  }
  if (machine === 'modelCall' && isRecord(given) && !events.some(isOf('BeforeModel')))
    yield found('BeforeModel', { llm_request: given });
  for (const { event, given: fields } of events)
    if (isRecord(fields) && !(machine === 'toolCall' && isOfCalls.has(event)))
      yield found(event, own(fields));
}

const isOfCalls: ReadonlySet<string> = new Set(['BeforeTool', 'AfterTool']);

const isOf =
  (wanted: string) =>
  ({ event }: { readonly event: string }): boolean =>
    event === wanted;

const own = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !base.has(name)));
