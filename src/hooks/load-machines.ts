import type * as actors from './hook-actors.ts';

/** The machines of hooks, and what runs them. */
type HookMachines = typeof actors;

let loaded: Promise<HookMachines> | undefined;

/** They cost a short-lived command its time, so one without hooks does not load them; asked for once, because every event waits for them. */
export const hookMachines = (): Promise<HookMachines> => (loaded ??= import('./hook-actors.ts'));

const all: (() => Promise<unknown>)[] = [hookMachines];

/** For what is in the program only where calls are made. */
export const loadWithHookMachines = (load: () => Promise<unknown>): void => void all.push(load);

/**
 * Loads all machines, for whoever gets hooks ready: at an event there may be no descriptor left to
 * open a file with, and what Node once failed to load it never loads again. Never rejects: who asks
 * for a machine that is not there is told.
 */
export const loadMachines = (): Promise<unknown> => Promise.allSettled(all.map((load) => load()));
