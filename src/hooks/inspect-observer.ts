import type { InspectionEvent } from 'xstate';

/** Looks at machines, and all that they start. */
export type InspectObserver = (event: InspectionEvent) => void;
