import type { InspectionEvent } from 'xstate';

/** Called with the states that a call went through, once it has ended. */
type OnEnd = (machine: string, states: readonly string[]) => void;

/** Follows every model call and tool call through the one observer that all machines share. */
export function callStates(): {
  inspect: (event: InspectionEvent) => void;
  onEnd: (listener: OnEnd) => void;
} {
  const paths = new Map<string, string[]>();
  let listener: OnEnd | undefined;
  return {
    onEnd: (given) => {
      listener = given;
    },
    inspect({ type, actorRef, ...event }) {
      if (type !== '@xstate.snapshot') return;
      const { snapshot } = event as unknown as { readonly snapshot: Snapshot };
      const machine = snapshot.machine?.id ?? '';
      if (!calls.includes(machine)) return;
      const { sessionId } = actorRef;
      const path = paths.get(sessionId) ?? [];
      const state = typeof snapshot.value === 'string' ? snapshot.value : outermost(snapshot.value);
      if (path.at(-1) !== state) paths.set(sessionId, [...path, state]);
      if (snapshot.status === 'active') return;
      listener?.(machine, paths.get(sessionId) ?? []);
      paths.delete(sessionId);
    },
  };
}

const calls: readonly string[] = ['modelCall', 'toolCall'];

/** The part of a machine's snapshot that is used here; a promise has none of it. */
interface Snapshot {
  readonly status: string;
  readonly value: string | object;
  readonly machine?: { readonly id: string };
}

/** The outer state of a nested one: whether its hooks are running or being ended does not matter here. */
const outermost = (value: object): string => Object.keys(value)[0] ?? '';
