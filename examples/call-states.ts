import type { InspectionEvent } from 'xstate';

/** Told of the states a call went through, when it has ended. */
type OnEnd = (machine: string, states: readonly string[]) => void;

/** Follows every model call and tool call by the one observer that all machines share. */
export function callStates(): {
  inspect: (event: InspectionEvent) => void;
  onEnd: (listener: OnEnd) => void;
} {
  const paths = new Map<string, string[]>();
  let listener: OnEnd | undefined;
  return {
    onEnd: (told) => {
      listener = told;
    },
    inspect(event) {
      const { actorRef, rootId } = event;
      if (event.type !== '@xstate.snapshot' || actorRef.sessionId !== rootId) return;
      const { value, status, machine } = event.snapshot as unknown as {
        value: string;
        status: string;
        machine: { id: string };
      };
      if (machine.id === 'agentTurn') return;
      const path = paths.get(rootId) ?? [];
      if (path.at(-1) !== value) paths.set(rootId, [...path, value]);
      if (status === 'active') return;
      listener?.(machine.id, paths.get(rootId) ?? []);
      paths.delete(rootId);
    },
  };
}
