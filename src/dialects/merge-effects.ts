import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../machines/hook-event.ts';
import type { HookEventName, Slot } from '../hook-points.ts';
import { isRecord } from '../protocol/output.ts';
import type { Change, Verdict } from './verdict.ts';
import { decisions, type Answer } from './answer.ts';
import type { NamedAnswer } from './dialect.ts';
import { FieldSet, joinTexts } from './field-set.ts';

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
