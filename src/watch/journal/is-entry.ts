import { isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import type { JournalEntry } from './entry.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
/** JSON can contain numbers so large that they are read as infinite. */
const count: Check = (value) => typeof value === 'number' && Number.isFinite(value);

/** Whether a value, in ms since 1970, is a time that a date can have. */
const time: Check = (value) => typeof value === 'number' && Math.abs(value) <= 8.64e15;
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);
type Checks = Readonly<Record<string, Check>>;
const fields =
  (checks: Checks): Check =>
  (value) =>
    isRecord(value) && wrongField(value, checks) === undefined;

const wrongField = (value: Readonly<Record<string, unknown>>, checks: Checks): string | undefined =>
  Object.keys(checks).find((name) => !checks[name]!(value[name]));
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const hook = fields({
  name: text,
  source: text,
  command: text,
  timeout: count,
  event: maybe(text),
  async: maybe(flag),
});
const lane = fields({ dialect: text, mode: text });
const plan = fields({
  outlives: maybe(text),
  mode: text,
  hooks: listOf(hook),
  lanes: maybe(listOf(lane)),
});
const conflict = fields({ field: text, hooks: listOf(text), winner: text });
const dated = { at: time, id: text };

/** What is checked for each kind of entry; other fields are for the reader to check. */
const kinds: { readonly [Kind in JournalEntry['kind']]: Checks } = {
  started: {
    ...dated,
    parent: maybe(text),
    session: text,
    machine: text,
    name: text,
    callId: maybe(text),
    plan: maybe(plan),
  },
  moved: { ...dated, from: maybe(text), to: text, event: text },
  answered: {
    ...dated,
    status: text,
    decision: maybe(text),
    stop: flag,
    reason: maybe(text),
    stopReason: maybe(text),
    exitCode: (value) => value === null || count(value),
    signal: maybe(text),
    httpStatus: maybe(count),
    durationMs: count,
    timedOut: flag,
    pieces: maybe(count),
    changed: maybe(count),
    failure: maybe(text),
    error: maybe(text),
    notes: maybe(listOf(text)),
    sets: maybe(listOf(text)),
  },
  verdict: {
    ...dated,
    blocked: flag,
    stop: flag,
    ask: maybe(flag),
    defer: maybe(flag),
    approved: maybe(flag),
    reason: maybe(text),
    by: maybe(text),
    stopBy: maybe(text),
    stopReason: maybe(text),
    setBy: recordOf(text),
    conflicts: listOf(conflict),
  },
  ended: {
    ...dated,
    status: text,
    reason: maybe(text),
    failed: maybe(flag),
    usage: maybe(fields({ input: count, output: count, cached: maybe(count), thinking: maybe(count) })), // prettier-ignore
  },
  warned: { at: time, text },
};

/**
 * Says what is wrong with a value that should be an entry, in words that continue "line 7 …"; undefined if
 * nothing is. A recording may have been edited or come from strangers.
 */
export function faultOf(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value['kind'] !== 'string' || !Object.hasOwn(kinds, value['kind']))
    return 'is not a journal entry';
  const checks = kinds[value['kind'] as JournalEntry['kind']];
  const wrong = wrongField(value, checks);
  if (wrong === undefined) return undefined;
  const found = `"${wrong}" ${said(value[wrong])}`;
  if (checks[wrong] === time && typeof value[wrong] === 'number')
    return `is not a journal entry: ${found}, which is not a valid time`;
  return `is not a journal entry: ${found}`;
}

/** Says what is wrong with the time of a header, in the same way. */
export const timeFaultOf = ({ at }: { readonly at?: unknown }): string | undefined =>
  time(at) ? undefined : `is a header whose "at" ${said(at)}, which is not a valid date`;
