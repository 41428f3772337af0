import type * as machines from '../hooks/actors.ts';
import { loadWithHookMachines } from '../hooks/load-machines.ts';

/** The machines of calls and turns, and what runs them. */
export type CallMachines = typeof machines;

let loaded: Promise<CallMachines> | undefined;

/** Loaded for calls with hooks only, and asked for once, because every such call waits for them. */
export const callMachines = (): Promise<CallMachines> => (loaded ??= import('../hooks/actors.ts'));

loadWithHookMachines(callMachines);
