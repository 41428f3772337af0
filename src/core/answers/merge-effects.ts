import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName, Slot } from '../points/hook-points.ts';
import { type Answer, decisions, type NamedAnswer } from './answer.ts';
import type { Change, Verdict, HookConflict } from './verdict.ts';
import { isRecord, inTable } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The verdict when no hook said anything. */
export const emptyVerdict: Verdict = {
  stop: false,
  hide: false,
  changes: {},
  followUps: [],
  own: {},
  conflicts: [],
  setBy: {},
};

/**
 * Merges the answers of a lane, given in plan order: the strictest decision with all its reasons, any
 * stop, all texts, one per line. The last replacing value wins, and patches are spread over it. A failed
 * hook's answer does not count, unless it denies or stops.
 */
export function mergeEffects(
  _event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const counted = answers.filter(({ answer }) => counts(answer));
  const decision = decisions.find((word) => counted.some(({ answer }) => answer.decision === word));
  const deciding = counted.filter(({ answer }) => answer.decision === decision);
  const reason = decision && joinTexts(deciding.map(({ answer }) => answer.reason));
  const stopping = counted.filter(({ answer }) => answer.stop);
  const stopReason = joinTexts(stopping.map(({ answer }) => answer.stopReason));
  const texts = (kind: 'context' | 'message' | 'notice'): string | undefined =>
    joinTexts(
      counted.flatMap(({ answer }) =>
        answer.effects.map((effect) => (effect.kind === kind ? effect.text : undefined)),
      ),
    );
  const [context, message, notice] = [texts('context'), texts('message'), texts('notice')];
  const { changes, conflicts, setBy } = mergeChanges(counted, payload);
  const all = counted.flatMap(({ answer }) => answer.effects);
  const decidedBy = decision === 'deny' ? deciding.at(-1) : undefined;
  const stoppedBy = stopping.at(-1);
  return {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    stop: stopping.length > 0,
    ...(stopReason !== undefined && { stopReason }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(notice !== undefined && { notice }),
    hide: all.some(({ kind }) => kind === 'hide'),
    changes,
    followUps: all.flatMap((effect) => (effect.kind === 'followUp' ? [effect.text] : [])),
    own: Object.fromEntries(
      all.flatMap((effect) => (effect.kind === 'own' ? [[effect.name, effect.value]] : [])),
    ),
    conflicts,
    setBy: {
      ...setBy,
      ...(decidedBy && { decision: decidedBy.hook }),
      ...(stoppedBy && { continue: stoppedBy.hook }),
    },
  };
}

/**
 * Computes what the hooks together make of each slot, and the keys that they set differently. A value
 * that replaces the whole sets, and removes, only what differs from what the earlier hooks left.
 */
function mergeChanges(
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Pick<Verdict, 'changes' | 'conflicts' | 'setBy'> {
  const changes: Partial<Record<Slot, Change>> = {};
  const wholeBy: Partial<Record<Slot, string>> = {};
  const keys = new FieldSet();
  for (const { hook, answer } of answers)
    for (const effect of answer.effects) {
      if (effect.kind !== 'replace' && effect.kind !== 'patch') continue;
      const { slot, value } = effect;
      const left = valueAfter(changes[slot], payload[slot]);
      if (effect.kind === 'replace') wholeBy[slot] = hook;
      changes[slot] = effect.kind === 'replace' ? { whole: value } : patched(changes[slot], value);
      keys.spread(slot, effect.kind === 'patch' ? value : differing(left, value), hook);
    }
  const setters = Object.entries(keys.setBy()).filter(
    ([field, hook]) => wholeBy[field.split('.', 1)[0] as Slot] !== hook,
  );
  return {
    changes,
    conflicts: keys.conflicts(),
    setBy: { ...wholeBy, ...Object.fromEntries(setters) },
  };
}

/** Returns a slot's value with a change applied. */
export const valueAfter = (change: Change | undefined, before: unknown): unknown =>
  change === undefined
    ? before
    : 'whole' in change
      ? change.whole
      : { ...(isRecord(before) ? before : {}), ...change.patch };

const patched = (before: Change | undefined, patch: Readonly<Record<string, unknown>>): Change =>
  before === undefined
    ? { patch }
    : 'whole' in before
      ? { whole: { ...before.whole, ...patch } }
      : { patch: { ...before.patch, ...patch } };

/** Returns the keys of a value that differ from before; removed keys are undefined. */
export function differing(before: unknown, value: Fields): Fields {
  if (!isRecord(before)) return value;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(value, key));
  return Object.fromEntries([
    ...gone.map((key) => [key, undefined]),
    ...Object.entries(value).filter(([key, now]) => !isDeepStrictEqual(inTable(before, key), now)),
  ]);
}

/** Returns the payload that the next hook of a sequence receives: the given one with an answer's changes. */
export function passChanges(
  _event: HookEventName,
  payload: HookPayload,
  { effects }: Answer,
): HookPayload {
  return effects.reduce<HookPayload>((changed, effect) => {
    if (effect.kind !== 'replace' && effect.kind !== 'patch') return changed;
    const { slot, value } = effect;
    const change = effect.kind === 'replace' ? { whole: value } : { patch: value };
    return { ...changed, [slot]: valueAfter(change, changed[slot]) };
  }, payload);
}

interface Field {
  value: unknown;
  readonly hooks: string[];
  differs: boolean;
}

/** From this number of fields on, the setter of an object is recorded once for the whole object. */
const tooManyToName = 1_000;

/**
 * Fields that hooks set one after another: the last value wins, and its setter is recorded. These are
 * maps, because the names are whatever a hook printed, including `__proto__`.
 */
export class FieldSet {
  readonly #fields = new Map<string, Field>();
  /** Objects that only one hook has set so far; they may be large, so only a second hook splits them up. */
  readonly #whole = new Map<string, { value: Readonly<Record<string, unknown>>; hook: string }>();
  readonly #inner = new Map<string, FieldSet>();

  set(name: string, value: unknown, hook: string): void {
    const field = this.#fields.get(name);
    if (field === undefined) {
      this.#fields.set(name, { value, hooks: [hook], differs: false });
      return;
    }
    field.differs ||= !isDeepStrictEqual(field.value, value);
    field.value = value;
    field.hooks.push(hook);
  }

  /** Sets an object's own fields over existing ones. A field is either always set or always spread. */
  spread(name: string, value: Readonly<Record<string, unknown>>, hook: string): void {
    const whole = this.#whole.get(name);
    let inner = this.#inner.get(name);
    if (whole === undefined && inner === undefined) {
      this.#whole.set(name, { value, hook });
      return;
    }
    if (inner === undefined) this.#inner.set(name, (inner = new FieldSet()));
    if (whole !== undefined) inner.#setAll(whole.value, whole.hook);
    this.#whole.delete(name);
    inner.#setAll(value, hook);
  }

  toObject(): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const [name, { value }] of this.#fields) entries.push([name, value]);
    for (const [name, { value }] of this.#whole) entries.push([name, value]);
    for (const [name, inner] of this.#inner) entries.push([name, inner.toObject()]);
    return Object.fromEntries(entries);
  }

  conflicts(): HookConflict[] {
    const found: HookConflict[] = [];
    for (const [field, { hooks, differs }] of this.#paths())
      if (differs) found.push({ field, hooks, winner: hooks.at(-1)! });
    return found;
  }

  setBy(): Record<string, string> {
    const setters: [string, string][] = [];
    for (const [field, { hooks }] of this.#paths()) setters.push([field, hooks.at(-1)!]);
    for (const [name, { value, hook }] of this.#whole) {
      const keys = Object.keys(value);
      if (keys.length >= tooManyToName) setters.push([name, hook]);
      else for (const key of keys) setters.push([`${name}.${key}`, hook]);
    }
    return Object.fromEntries(setters);
  }

  #setAll(object: Readonly<Record<string, unknown>>, hook: string): void {
    for (const key of Object.keys(object)) this.set(key, object[key], hook);
  }

  *#paths(): Generator<[string, Field]> {
    yield* this.#fields;
    for (const [name, inner] of this.#inner)
      for (const [key, field] of inner.#paths()) yield [`${name}.${key}`, field];
  }
}

/** Joins the texts that are not empty, one per line; undefined if there are none. */
export function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n');
}

/**
 * Whether an answer is merged with the others. That of a hook that failed or timed out is not, unless it
 * denies or stops all the same.
 */
export const counts = ({ status, decision, stop }: Answer): boolean =>
  status === 'ok' || decision === 'deny' || stop;
