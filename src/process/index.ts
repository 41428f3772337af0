/*
 * The door: all that other parts may import of what starts and supervises processes.
 */
import { startReady } from './ahead/ready-shells.ts';
import { startWaiting } from './ahead/waiting-hooks.ts';
import { startPlainly } from './plain-start.ts';
import { superviseHook } from './supervise-hook.ts';

export { orderFifos } from './pipes.ts';
export { findProgram } from './programs.ts';
export { type CommandRun, outputLimit, runCommand } from './run-command.ts';

/** The process port of the `hookProcess` machine, as a callback actor's logic: a command may start without what runs machines. */
export const hookProcess = superviseHook((command, stdin) =>
  command.prestart
    ? startWaiting(command, stdin, () => startPlainly(command, stdin))
    : startReady(command, stdin, () => startPlainly(command, stdin)),
);
