import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../machines/hook-event.ts';
import type { HookEventName, Slot } from '../hook-points.ts';
import { isRecord, type HookOutput, defined } from '../protocol/output.ts';
import { decisions, type Answer } from './answer.ts';
import type { NamedAnswer } from './dialect.ts';
import type { Change, Verdict, HookConflict } from './verdict.ts';

/** What hooks that said nothing come to. */
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
 * The answers of a lane, in plan order, as one verdict: the strictest decision with all its reasons, any
 * stop, all texts one a line; of values in the place of others the last one stands, and patches are
 * spread over it. What a failed hook said does not count, unless its failure denies.
 */
export function mergeEffects(
  _event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const heard = answers.filter(
    ({ answer }) => answer.status === 'ok' || answer.decision === 'deny',
  );
  const decision = decisions.find((word) => heard.some(({ answer }) => answer.decision === word));
  const deciding = heard.filter(({ answer }) => answer.decision === decision);
  const reason = decision && joinTexts(deciding.map(({ answer }) => answer.reason));
  const stopping = heard.filter(({ answer }) => answer.stop);
  const stopReason = joinTexts(stopping.map(({ answer }) => answer.stopReason));
  const texts = (kind: 'context' | 'message'): string | undefined =>
    joinTexts(
      heard.flatMap(({ answer }) =>
        answer.effects.map((effect) => (effect.kind === kind ? effect.text : undefined)),
      ),
    );
  const [context, message] = [texts('context'), texts('message')];
  const { changes, conflicts, setBy } = mergeChanges(heard, payload);
  const all = heard.flatMap(({ answer }) => answer.effects);
  const [decidedBy, stoppedBy] = [
    decision === 'deny' ? deciding.at(-1) : undefined,
    stopping.at(-1),
  ];
  return {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    stop: stopping.length > 0,
    ...(stopReason !== undefined && { stopReason }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
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

/** What the hooks make of each slot together, and the keys that they set differently. */
function mergeChanges(
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Pick<Verdict, 'changes' | 'conflicts' | 'setBy'> {
  const changes: Partial<Record<Slot, Change>> = {};
  const setBy: Record<string, string> = {};
  const keys = new FieldSet();
  for (const { hook, answer } of answers)
    for (const effect of answer.effects) {
      if (effect.kind !== 'replace' && effect.kind !== 'patch') continue;
      const { slot, value } = effect;
      changes[slot] = effect.kind === 'replace' ? { whole: value } : patched(changes[slot], value);
      setBy[slot] = hook;
      const changed = effect.kind === 'patch' ? value : changedKeys(payload[slot], value);
      keys.spread(slot, changed, hook);
    }
  return { changes, conflicts: keys.conflicts(), setBy };
}

const patched = (before: Change | undefined, patch: Readonly<Record<string, unknown>>): Change =>
  before === undefined
    ? { patch }
    : 'whole' in before
      ? { whole: { ...before.whole, ...patch } }
      : { patch: { ...before.patch, ...patch } };

/** The keys of a value that differ from what they were. */
export function changedKeys(
  before: unknown,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!isRecord(before)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key, now]) => !isDeepStrictEqual(before[key], now)),
  );
}

/** What a hook of a sequence that put a value in the place of another hands to the next one. */
export function passReplaced(
  _event: HookEventName,
  payload: HookPayload,
  { effects }: Answer,
): HookPayload {
  return effects.reduce<HookPayload>((told, effect) => {
    if (effect.kind === 'replace') return { ...told, [effect.slot]: effect.value };
    if (effect.kind !== 'patch') return told;
    const before = told[effect.slot];
    return {
      ...told,
      [effect.slot]: { ...(isRecord(before) ? before : {}), ...effect.value },
    };
  }, payload);
}

type Fields = Readonly<Record<string, unknown>>;

/** What the hooks of one dialect decided. */
export interface LaneVerdict {
  readonly verdict: Verdict;
  /** Where in the plan the hook of this name stands. */
  readonly positionOf: (hook: string) => number;
}

/**
 * The verdicts of all lanes as one. The strictest decision wins, which is the engine's own rule: no
 * dialect undoes a denial of another. Changes of different keys are united; of the same key the later
 * hook's in the plan stands, and the conflict is reported.
 */
export function mergeLanes(lanes: readonly LaneVerdict[], payload: HookPayload): Verdict {
  const [first = { verdict: emptyVerdict }, ...others] = lanes;
  if (others.length === 0) return first.verdict;
  const verdicts = lanes.map(({ verdict }) => verdict);
  const decision = decisions.find((word) => verdicts.some((one) => one.decision === word));
  const deciding = verdicts.filter((one) => one.decision === decision);
  const stopping = verdicts.filter(({ stop }) => stop);
  const { changes, conflicts, setBy } = uniteChanges(lanes, payload);
  const isAsked = decision === 'ask' && deciding.every(({ passesUnasked }) => passesUnasked);
  const isApproved = decision === 'allow' && deciding.some(({ approved }) => approved);
  return defined<Verdict>({
    decision,
    passesUnasked: isAsked ? true : undefined,
    approved: isApproved ? true : undefined,
    reason: joinTexts(deciding.map(({ reason }) => reason)),
    stop: stopping.length > 0,
    stopReason: joinTexts(stopping.map(({ stopReason }) => stopReason)),
    context: joinTexts(verdicts.map(({ context }) => context)),
    message: joinTexts(verdicts.map(({ message }) => message)),
    hide: verdicts.some(({ hide }) => hide),
    changes,
    followUps: verdicts.flatMap(({ followUps }) => followUps),
    own: united(verdicts.map(({ own }) => own)),
    conflicts: [...verdicts.flatMap((one) => one.conflicts), ...conflicts],
    setBy: {
      ...united(verdicts.map((one) => one.setBy)),
      ...setBy,
    },
  });
}

/** Made of entries, for a hook may name a field `__proto__`. */
const united = <Value>(objects: readonly Readonly<Record<string, Value>>[]) =>
  Object.fromEntries(objects.flatMap((object) => Object.entries(object)));

function uniteChanges(
  lanes: readonly LaneVerdict[],
  payload: HookPayload,
): Pick<Verdict, 'changes' | 'conflicts' | 'setBy'> {
  const slots = new Set(lanes.flatMap(({ verdict }) => Object.keys(verdict.changes) as Slot[]));
  const changes: Partial<Record<Slot, Change>> = {};
  const conflicts: HookConflict[] = [];
  const setBy: Record<string, string> = {};
  for (const slot of slots) {
    const changing = lanes.flatMap((lane) => {
      const change = lane.verdict.changes[slot];
      return change ? [{ change, lane }] : [];
    });
    if (changing.length === 1) {
      changes[slot] = changing[0]!.change;
      continue;
    }
    const before = payload[slot];
    const gone = new Set<string>();
    const fields: { key: string; value: unknown; hook: string; position: number }[] = [];
    for (const { change, lane } of changing) {
      if ('whole' in change)
        for (const key of Object.keys(isRecord(before) ? before : {}))
          if (!Object.hasOwn(change.whole, key)) gone.add(key);
      const set = 'whole' in change ? changedKeys(before, change.whole) : change.patch;
      for (const [key, value] of Object.entries(set)) {
        const hook = setterOf(lane.verdict, slot, key);
        fields.push({ key, value, hook, position: lane.positionOf(hook) });
      }
    }
    const keys = new FieldSet();
    for (const { key, value, hook } of fields.toSorted((one, two) => one.position - two.position))
      keys.spread(slot, Object.fromEntries([[key, value]]), hook);
    const set = (keys.toObject()[slot] ?? {}) as Fields;
    conflicts.push(...keys.conflicts());
    Object.assign(setBy, keys.setBy());
    const kept = Object.entries(isRecord(before) ? before : {}).filter(([key]) => !gone.has(key));
    changes[slot] = changing.some(({ change }) => 'whole' in change)
      ? { whole: { ...Object.fromEntries(kept), ...set } }
      : { patch: set };
  }
  return { changes, conflicts, setBy };
}

/** The hook whose value of a key stands in its lane. */
const setterOf = ({ setBy }: Verdict, slot: Slot, key: string): string =>
  setBy[`${slot}.${key}`] ?? setBy[slot] ?? '';

/** A verdict as the API of seed 003 shows it; undefined when no hook said anything. */
export function outputOf(verdict: Verdict): HookOutput | undefined {
  if (verdict.output) return verdict.output;
  const { decision, reason, stop, stopReason, context, message, hide, changes, own } = verdict;
  const specific = defined<Record<string, unknown>>({
    additionalContext: context,
    ...own,
    ...Object.fromEntries(
      Object.entries(changes).map(([slot, change]) => [
        slot,
        'whole' in change ? change.whole : change.patch,
      ]),
    ),
  });
  const hasSpecific = Object.keys(specific).length > 0;
  const output = defined<HookOutput>({
    decision: shown(decision),
    reason,
    continue: stop ? false : undefined,
    stopReason,
    suppressOutput: hide ? true : undefined,
    systemMessage: message,
    hookSpecificOutput: hasSpecific ? specific : undefined,
  });
  if (Object.keys(output).length === 0) return undefined;
  return decision === undefined && !stop ? { decision: 'allow', ...output } : output;
}

/** The API of seed 003 knows no deferred call, so it shows one that the user is to be asked about. */
const shown = (decision: Verdict['decision']): HookOutput['decision'] | undefined =>
  decision === 'defer' ? 'ask' : decision;

interface Field {
  value: unknown;
  readonly hooks: string[];
  differs: boolean;
}

/** From so many fields on, an object that one hook set is remembered as a whole. */
const tooManyToName = 1_000;

/**
 * Fields that hooks set one after another: the last value stands, and who set it is remembered.
 * Maps, because the names are whatever a hook printed, `__proto__` included.
 */
export class FieldSet {
  readonly #fields = new Map<string, Field>();
  /** Objects that only one hook has set so far; they may be large, so they are taken apart when a second comes. */
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

  /** Sets an object's own fields over those it has already. A field is either always set or always spread. */
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

/** The texts that are there, one a line; undefined when there is none. */
export function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n');
}
