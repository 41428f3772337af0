/* The entry point: all that other parts may import from the code that starts and supervises processes. */
import { startWaiting } from './ahead/waiting-hooks.ts';
import { HookStreams, startPlainly } from './plain-start.ts';
import { OutputWindow } from './collect-output.ts';
import { openInput } from './pipes.ts';
import { superviseHook, takeNoTurn, takeTurn } from './supervise-hook.ts';
import { onDemand } from '../../base/on-demand.ts';

const loadLiveProcess = onDemand(() => import('./live-process.ts'));

export { endWaiting } from './ahead/waiting-hooks.ts';
export { outputLimit as answerLimit } from './plain-start.ts';
export type { LiveProcess } from './live-process.ts';
export { orderFifos } from './pipes.ts';
export { isGroupAlive, isProcOurs, statOf, withoutStacks } from './processes.ts';
export { coarse, environmentOf, identitiesOf } from './programs.ts';
export { faultBehind, scriptFault } from './programs.ts';

/**
 * The process port of the `hookProcess` machine, as a callback actor's logic, so that a command can start
 * without what runs machines.
 */
export const runHookCommand = superviseHook(startPlainly, takeTurn, startWaiting(startPlainly));

/** Starts a command that outlives the event it is started for; loaded only when there is such a hook. */
export const loadLive = async () => (await loadLiveProcess()).startLive;

/**
 * Watches whether the caller of this process is alive; loaded only by commands that are called for each
 * event.
 */
export const loadCallerWatch = async () => (await import('./caller-watch.ts')).watchCaller;

/** How much is kept of each output of a command that is not a hook, in bytes. */
export const commandOutputLimit = 64 * 1024;

const keepWindow = () => new OutputWindow(commandOutputLimit);

/**
 * The process port for a command that is not a hook: it does not wait for a turn, and the beginning and end
 * of its output are kept.
 */
export const commandProcess = superviseHook(
  (command, stdin) => startPlainly(command, stdin, new HookStreams(openInput, keepWindow)),
  takeNoTurn,
);
