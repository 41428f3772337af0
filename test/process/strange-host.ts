/**
 * A host of its own: runs the hook it is given, in a strange world, and prints its outcome.
 *
 * Its descriptors run out as soon as the hook has written `begun`, unless told to `keep` them.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { toPromise } from 'xstate';
import { hookActor } from './run-hook.ts';

const [, , command = '', descriptors] = process.argv;

const actor = hookActor(command, { timeout: 1500, grace: 1000, cwd: process.cwd() });
const outcome = toPromise(actor);
actor.start();
while (!existsSync('begun')) await new Promise((resolve) => void setTimeout(resolve, 5));

const taken: number[] = [];
try {
  if (descriptors !== 'keep') for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // None is left.
}
const told = JSON.stringify(await outcome);
for (const fd of taken) closeSync(fd);
process.stdout.write(told);
