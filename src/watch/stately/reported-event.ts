import type { InspectionEvent } from 'xstate';
import type { Redactor } from '../../settings/redaction/redactor.ts';

/** The part of an actor that is used here. */
interface ActorRef {
  readonly id: string;
  readonly sessionId: string;
  readonly logic: { readonly config?: object };
  readonly _parent?: ActorRef;
  getSnapshot(): Snapshot;
}

interface Snapshot {
  readonly status: string;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
}

/**
 * Copies an inspection event for Stately as it is now, because the package reads it only later. Undefined for
 * events that Stately does not draw. Contexts, results and the data of events may be secret: without a
 * redactor, none of them is sent.
 */
export function reportedEvent(
  event: InspectionEvent,
  redactor?: Redactor,
): InspectionEvent | undefined {
  const { type, rootId } = event;
  const ref = event.actorRef as unknown as ActorRef;
  const common = { rootId, actorRef: reportedActor(ref, redactor) };
  switch (event.type) {
    case '@xstate.actor':
      return { type, ...common } as unknown as InspectionEvent;
    case '@xstate.event':
      return {
        type,
        ...common,
        event: reportedPayload(event.event, redactor),
        sourceRef: event.sourceRef && { sessionId: event.sourceRef.sessionId },
      } as unknown as InspectionEvent;
    case '@xstate.snapshot':
      return {
        type,
        ...common,
        event: reportedPayload(event.event, redactor),
        snapshot: reportedSnapshot(event.snapshot, redactor),
      } as unknown as InspectionEvent;
    default:
      return undefined;
  }
}

function reportedActor(ref: ActorRef, redactor: Redactor | undefined): object {
  const { config } = ref.logic;
  // For a promise or a callback, `config` is the function itself.
  const logic = typeof config === 'object' ? { config } : {};
  const snapshot = reportedSnapshot(snapshotOf(ref), redactor);
  return {
    id: ref.id,
    sessionId: ref.sessionId,
    logic,
    ...(ref._parent && { _parent: { sessionId: ref._parent.sessionId } }),
    getSnapshot: () => snapshot,
  };
}

/** An actor that is still being created has no snapshot, and throws. */
function snapshotOf(ref: ActorRef): Snapshot | undefined {
  try {
    return ref.getSnapshot();
  } catch {
    return undefined;
  }
}

function reportedSnapshot(snapshot: Snapshot | undefined, redactor: Redactor | undefined): object {
  const { status = 'active', value, context, output } = snapshot ?? {};
  return {
    status,
    ...(value !== undefined && { value }),
    ...(redactor && { context: redactor.value(context), output: redactor.value(output) }),
  };
}

const reportedPayload = (
  event: { readonly type: string },
  redactor: Redactor | undefined,
): object => (redactor ? (redactor.value(event) as object) : { type: event.type });
