import type { InspectionEvent } from 'xstate';

/** What a machine runs for, so that the runs of a session can be tied together. */
export interface RunOrigin {
  readonly sessionId: string;
  /** The turn that the machine is, or belongs to. */
  readonly turn?: string;
  /** The model call that the machine is, or that asked for it. */
  readonly modelCall?: string;
}

/** Looks at machines. The origin is the same for a machine and all its children. */
export type InspectObserver = (event: InspectionEvent, origin?: RunOrigin) => void;
