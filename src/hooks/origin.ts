import type { InspectionEvent } from 'xstate';

/** What a machine runs for, so that the runs of a session can be tied together. */
export interface RunOrigin {
  readonly sessionId: string;
}

/** Looks at machines. The origin is the same for a machine and all its children. */
export type InspectObserver = (event: InspectionEvent, origin?: RunOrigin) => void;
