import type { HookPayload } from '../../../machines/hook-event.ts';
import type { Slot } from '../points/hook-points.ts';
import { defined, isRecord } from '../../base/json.ts';
import { decisions, type NamedAnswer } from './answer.ts';
import { differing, FieldSet, joinTexts } from './merge-effects.ts';
import type { Change, HookConflict, Verdict } from './verdict.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An answer with its place in the plan. */
interface PlacedAnswer extends NamedAnswer {
  readonly position: number;
}

/** What the hooks of one dialect decided, and the answer of each, in plan order. */
export interface LaneVerdict {
  readonly verdict: Verdict;
  readonly answers: readonly PlacedAnswer[];
}

/**
 * Merges the verdicts of all lanes. The strictest decision wins, which is the engine's own rule: no
 * dialect undoes a denial of another. Texts are joined in plan order. Changes to different keys are
 * united; for the same key the hook later in the plan wins, and the conflict is reported.
 */
export function mergeLanes(lanes: readonly LaneVerdict[], payload: HookPayload): Verdict {
  const verdicts = lanes.map(({ verdict }) => verdict);
  const decision = decisions.find((word) => verdicts.some((one) => one.decision === word));
  const deciding = lanes.filter(({ verdict }) => verdict.decision === decision);
  const { changes, conflicts, setBy } = uniteChanges(lanes, payload);
  const isAsked = decision === 'ask' && deciding.every(({ verdict }) => verdict.passesUnasked);
  const isApproved = decision === 'allow' && deciding.some(({ verdict }) => verdict.approved);
  return defined<Verdict>({
    decision,
    passesUnasked: isAsked ? true : undefined,
    approved: isApproved ? true : undefined,
    reason: inPlanOrder(
      deciding,
      ({ reason }) => reason,
      ({ answer }) => [answer.decision === decision ? answer.reason : undefined],
    ),
    stop: verdicts.some(({ stop }) => stop),
    stopReason: inPlanOrder(
      lanes.filter(({ verdict }) => verdict.stop),
      ({ stopReason }) => stopReason,
      ({ answer }) => [answer.stop ? answer.stopReason : undefined],
    ),
    context: inPlanOrder(lanes, ({ context }) => context, textsOf('context')),
    message: inPlanOrder(lanes, ({ message }) => message, textsOf('message')),
    notice: inPlanOrder(lanes, ({ notice }) => notice, textsOf('notice')),
    hide: verdicts.some(({ hide }) => hide),
    changes,
    followUps: verdicts.flatMap(({ followUps }) => followUps),
    own: united(verdicts.map(({ own }) => own)),
    conflicts: [...verdicts.flatMap((one) => one.conflicts), ...conflicts],
    setBy: { ...settersOf(lanes), ...setBy },
  });
}

const textsOf =
  (kind: 'context' | 'message' | 'notice') =>
  ({ answer }: NamedAnswer): readonly (string | undefined)[] =>
    answer.effects.map((effect) => (effect.kind === kind ? effect.text : undefined));

/**
 * Joins a text of all lanes. If a lane's text consists of those of its hooks, each goes to its hook's
 * place in the plan; a text that its dialect made in another way goes to the place of the last such hook.
 */
function inPlanOrder(
  lanes: readonly LaneVerdict[],
  textOf: (verdict: Verdict) => string | undefined,
  saidBy: (answer: NamedAnswer) => readonly (string | undefined)[],
): string | undefined {
  const pieces = lanes.flatMap(({ verdict, answers }) => {
    const text = textOf(verdict);
    const said = answers.flatMap((answer) => {
      const piece = joinTexts(saidBy(answer));
      return piece === undefined ? [] : [{ text: piece, position: answer.position }];
    });
    if (text === joinTexts(said.map((piece) => piece.text))) return said;
    return [{ text, position: (said.at(-1) ?? answers.at(-1))?.position ?? 0 }];
  });
  return joinTexts(
    pieces.toSorted((one, two) => one.position - two.position).map(({ text }) => text),
  );
}

/** Built from entries, because a hook may name a field `__proto__`. */
const united = <Value>(objects: readonly Readonly<Record<string, Value>>[]) =>
  Object.fromEntries(objects.flatMap((object) => Object.entries(object)));

/** Returns, by field, the hook latest in the plan among those that the lanes name. */
function settersOf(lanes: readonly LaneVerdict[]): Record<string, string> {
  const setters = lanes.flatMap((lane) =>
    Object.entries(lane.verdict.setBy).map(([field, hook]) => ({
      field,
      hook,
      position: positionIn(lane, hook),
    })),
  );
  return Object.fromEntries(
    setters
      .toSorted((one, two) => one.position - two.position)
      .map(({ field, hook }) => [field, hook]),
  );
}

/** Returns the position in the plan of the hook with this name. */
const positionIn = ({ answers }: LaneVerdict, name: string): number =>
  answers.findLast(({ hook }) => hook === name)?.position ?? -1;

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
    const fields = changing.flatMap(({ change, lane }) =>
      Object.entries('whole' in change ? differing(before, change.whole) : change.patch).map(
        ([key, value]) => {
          const hook = setterOf(lane.verdict, slot, key);
          return { key, value, hook, position: positionIn(lane, hook) };
        },
      ),
    );
    const keys = new FieldSet();
    for (const { key, value, hook } of fields.toSorted((one, two) => one.position - two.position))
      keys.spread(slot, Object.fromEntries([[key, value]]), hook);
    const set = (keys.toObject()[slot] ?? {}) as Fields;
    conflicts.push(...keys.conflicts());
    Object.assign(setBy, keys.setBy());
    const whole = { ...(isRecord(before) ? before : {}), ...set };
    changes[slot] = changing.some(({ change }) => 'whole' in change)
      ? { whole: withoutGone(whole) }
      : { patch: set };
  }
  return { changes, conflicts, setBy };
}

const withoutGone = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Returns the hook whose value for a key won in its lane. */
const setterOf = ({ setBy }: Verdict, slot: Slot, key: string): string =>
  setBy[`${slot}.${key}`] ?? setBy[slot] ?? '';
