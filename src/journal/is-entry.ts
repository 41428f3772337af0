import { isRecord } from '../protocol/output.ts';
import type { JournalEntry } from './entry.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => typeof value === 'number';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const hook = fields({ name: text, source: text, command: text, timeout: count });
const plan = fields({ mode: text, hooks: listOf(hook) });
const conflict = fields({ field: text, hooks: listOf(text), winner: text });
const dated = { at: count, id: text };

/** What is told of each kind; what else an entry holds is for its reader to judge. */
const kinds: { readonly [Kind in JournalEntry['kind']]: Check } = {
  started: fields({
    ...dated,
    parent: maybe(text),
    session: text,
    machine: text,
    name: text,
    callId: maybe(text),
    plan: maybe(plan),
  }),
  moved: fields({ ...dated, from: maybe(text), to: text, event: text }),
  answered: fields({
    ...dated,
    fared: text,
    decision: maybe(text),
    stop: flag,
    reason: maybe(text),
    stopReason: maybe(text),
    exitCode: (value) => value === null || count(value),
    signal: maybe(text),
    durationMs: count,
    timedOut: flag,
    error: maybe(text),
    notes: maybe(listOf(text)),
    sets: maybe(listOf(text)),
  }),
  verdict: fields({
    ...dated,
    blocked: flag,
    stop: flag,
    reason: maybe(text),
    by: maybe(text),
    stopBy: maybe(text),
    stopReason: maybe(text),
    setBy: recordOf(text),
    conflicts: listOf(conflict),
  }),
  ended: fields({ ...dated, status: text, reason: maybe(text) }),
  warned: fields({ at: count, text }),
};

/** Whether a value can be taken for an entry: a recording may have been edited, or come from strangers. */
export const isEntry = (value: unknown): value is JournalEntry =>
  isRecord(value) &&
  typeof value['kind'] === 'string' &&
  Object.hasOwn(kinds, value['kind']) &&
  kinds[value['kind'] as JournalEntry['kind']](value);
