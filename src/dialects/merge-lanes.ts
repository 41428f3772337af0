import type { HookPayload } from '../../machines/hook-event.ts';
import type { Slot } from '../hook-points.ts';
import { isRecord, type HookOutput } from '../protocol/output.ts';
import { defined } from '../protocol/output.ts';
import { decisions } from './answer.ts';
import { FieldSet, joinTexts } from './field-set.ts';
import { changedKeys, emptyVerdict } from './merge-effects.ts';
import type { Change, HookConflict, Verdict } from './verdict.ts';

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

/** Whoever knows no deferred call is told of one to be asked about. */
const shown = (decision: Verdict['decision']): HookOutput['decision'] | undefined =>
  decision === 'defer' ? 'ask' : decision;
