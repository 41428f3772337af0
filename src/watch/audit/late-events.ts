import type { InspectionEvent } from 'xstate';
import { isRecord } from '../../base/json.ts';

/** An event of a machine and its time in ms since 1970. */
export interface DatedEvent {
  readonly event: InspectionEvent;
  readonly at: number;
}

/** The most events that may wait. */
const mostWaiting = 1_000;

/**
 * Passes on what machines do as soon as the process has nothing else to do, mostly while a hook runs, so that
 * no call waits for it. An end with a denial or a stop is passed on before anybody learns of it, and
 * everything that is left when the process ends. `taken` is called after several events.
 */
export function lateEvents(
  take: (dated: DatedEvent) => void,
  taken: () => void = () => undefined,
): {
  readonly add: (event: InspectionEvent) => void;
  close(): void;
} {
  let waiting: DatedEvent[] = [];
  let due: NodeJS.Immediate | undefined;
  const takeAll = (): void => {
    clearImmediate(due);
    due = undefined;
    const all = waiting;
    waiting = [];
    for (const dated of all) take(dated);
    taken();
  };
  process.on('exit', takeAll);
  return {
    add(event) {
      waiting.push({ event, at: performance.timeOrigin + performance.now() });
      if (waiting.length >= mostWaiting || isDenied(event)) takeAll();
      else due ??= setImmediate(takeAll);
    },
    close() {
      process.off('exit', takeAll);
      takeAll();
    },
  };
}

/** Whether a machine ended with a denial or a stop, either its own or that of one of its phases. */
function isDenied(event: InspectionEvent): boolean {
  if (event.type !== '@xstate.microstep' || event.snapshot.status === 'active') return false;
  const { output } = event.snapshot as { readonly output?: unknown };
  return isRecord(output) && (denies(output) || Object.values(output).some(denies));
}

function denies(outcome: unknown): boolean {
  const verdict = isRecord(outcome) ? outcome['verdict'] : undefined;
  return isRecord(verdict) && (verdict['blocked'] === true || verdict['stop'] === true);
}
