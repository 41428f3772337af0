import type { AnsweredEntry, VerdictEntry } from './entry.ts';

/** A hook of an event, with its answer so far. */
interface AnsweredHook {
  readonly name: string;
  readonly answer?:
    | Pick<AnsweredEntry, 'status' | 'decision' | 'stop' | 'reason' | 'stopReason' | 'sets'>
    | undefined;
}

/** The hooks of an event, and what they have decided together. */
interface JudgedEvent<Hook> {
  readonly hooks: readonly Hook[];
  readonly verdict?:
    | Pick<VerdictEntry, 'blocked' | 'stop' | 'by' | 'stopBy' | 'reason' | 'stopReason'>
    | undefined;
}

/** A hook that decided, and its reason; without a name if the verdict names none. */
export interface Decider<Hook> {
  readonly name: string | undefined;
  readonly hook: Hook | undefined;
  readonly reason: string | undefined;
}

type AnswerOf<Hook extends AnsweredHook> = NonNullable<Hook['answer']>;

/**
 * Finds the hooks that ended a call with this status, which is `blocked`, `stopped` or `answered`. Empty if
 * no hook did.
 */
export function decidersOf<Hook extends AnsweredHook>(
  status: string,
  events: readonly JudgedEvent<Hook>[],
): Decider<Hook>[] {
  const last = (word: 'blocked' | 'stop'): JudgedEvent<Hook> | undefined =>
    events.findLast(({ verdict }) => verdict?.[word]);
  const blocked = status === 'stopped' ? undefined : last('blocked');
  if (blocked) return deniersOf(blocked);
  const stopped = status === 'blocked' ? undefined : last('stop');
  return stopped ? [stopperOf(stopped)] : [];
}

/**
 * Finds every hook that denied, each with its own reason: the verdict's reason may also contain what others
 * said.
 */
export function deniersOf<Hook extends AnsweredHook>({
  hooks,
  verdict,
}: JudgedEvent<Hook>): Decider<Hook>[] {
  const denying = hooks.filter(({ answer }) => answer?.decision === 'deny');
  // In some dialects, not every denial is effective.
  if (!denying.some(({ name }) => name === verdict?.by)) {
    const by = hookThat(hooks, verdict?.by, ({ decision }) => decision === 'deny');
    return [{ name: verdict?.by, hook: by, reason: verdict?.reason }];
  }
  return denying.map((hook) => ({
    name: hook.name,
    hook,
    reason: hook.answer?.reason ?? hook.answer?.stopReason,
  }));
}

/** Finds the hook whose stop applies. */
export const stopperOf = <Hook extends AnsweredHook>({
  hooks,
  verdict,
}: JudgedEvent<Hook>): Decider<Hook> => ({
  name: verdict?.stopBy,
  hook: hookThat(hooks, verdict?.stopBy, ({ stop }) => stop),
  reason: verdict?.stopReason,
});

/**
 * Finds a hook by its name. Hooks may share a name; the last of them that said so is meant, because the last
 * one's word applies.
 */
export function hookThat<Hook extends AnsweredHook>(
  hooks: readonly Hook[],
  name: string | undefined,
  saidSo: (answer: AnswerOf<Hook>) => boolean,
): Hook | undefined {
  const ofName = hooks.filter((hook) => hook.name === name);
  return ofName.findLast(({ answer }) => answer && saidSo(answer)) ?? ofName.at(-1);
}
