import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long it may take until a shell waits, in ms, and how long a pause between hooks is. */
const [patience, pause] = [20_000, 30];

/** All that this process ever made ready. */
const shells: ChildProcess[] = [];

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  // It is told of before it is started.
  queueMicrotask(() => {
    if (child.spawnargs?.some((text) => text.includes('hookmachine_way'))) shells.push(child);
  });
});

/** Whether a shell was told what to run, and not just dismissed, by which its orders end too. */
const isTaken = ({ stdio, killed }: ChildProcess): boolean =>
  (stdio[3] as Socket).writableEnded && !killed;

/** The shells that wait for a hook now. */
export const waitingShells = (): ChildProcess[] =>
  shells.filter(
    (shell) =>
      shell.pid !== undefined &&
      shell.exitCode === null &&
      shell.signalCode === null &&
      !isTaken(shell),
  );

/** Has hooks run until a shell waits for the next; returns what tells whether that shell became a hook. */
export async function makeReady(
  runHook: () => Promise<void>,
): Promise<() => 'is taken' | 'is left'> {
  const patientUntil = performance.now() + patience;
  while (waitingShells().length === 0) {
    if (performance.now() > patientUntil) throw new Error('No shell was made ready.');
    await runHook();
    await sleep(pause);
  }
  const before = waitingShells();
  return () => (before.some(isTaken) ? 'is taken' : 'is left');
}
