import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate';

/** Says on one line when a transition is taken: `done [blocks]`, `after grace (5 s)`, `[isLast]`. */
export function conditionOf(
  transition: AnyTransitionDefinition,
  machine: AnyStateMachine,
  spawned: readonly string[],
): string {
  const guard = guardName(transition.guard) ?? (isLastResort(transition) ? 'else' : undefined);
  const what =
    'delay' in transition
      ? `after ${delayText(transition.delay, machine)}`
      : eventText(transition.eventType, transition.source.invoke.length, spawned);
  return [what, guard && `[${guard}]`].filter(Boolean).join(' ');
}

/** Whether an event is the end of any actor: the only way to react to spawned actors without naming each. */
export const isWildcard = (eventType: string): boolean =>
  /^xstate\.(done|error)\.actor\..*\*$/.test(eventType);

/** The name of a guard; for `not`, `and` and `or`, with the names that they combine. */
export function guardName(guard: unknown): string | undefined {
  if (guard === undefined || typeof guard === 'string') return guard;
  const { name, guards, type } = guard as { name?: string; guards?: unknown[]; type?: string };
  return type ?? (guards ? `${name}(${guards.map(guardName).join(', ')})` : name);
}

function eventText(eventType: string, invoked: number, spawned: readonly string[]): string {
  const [, ending, kind, id] = /^xstate\.(done|error)\.(actor|state)\.(.+)$/.exec(eventType) ?? [];
  if (ending === undefined) return eventType;
  if (isWildcard(eventType))
    return `${spawned.join(' or ') || 'actor'} ${ending === 'done' ? 'ends' : 'breaks'}`;
  return kind === 'actor' && invoked > 1 ? `${id} ${ending}` : ending;
}

function delayText(delay: unknown, machine: AnyStateMachine): string {
  if (typeof delay === 'number') return duration(delay);
  const length = machine.implementations.delays[String(delay)];
  return typeof length === 'number' ? `${String(delay)} (${duration(length)})` : String(delay);
}

const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

function isLastResort({ guard, eventType, source }: AnyTransitionDefinition): boolean {
  const rivals = eventType === '' ? source.always : source.transitions.get(eventType);
  return guard === undefined && (rivals?.length ?? 0) > 1;
}
