/**
 * A separate host: runs the hook it is given, in a strange world, and prints its outcome.
 *
 * As soon as the hook has written `begun`, its deadline, if any, begins to run, and the host takes all file
 * descriptors but the number it was given; `all` takes none. When asked to `exit`, it takes all of them and
 * exits.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { toPromise } from 'xstate';
import { hookActor } from './run-hook.ts';

const [, , command = '', left, deadline, end] = process.argv;

function run(text: string) {
  const actor = hookActor(text, {
    timeout: deadline ? Number(deadline) : 60_000,
    ...(deadline && text === command && { deadlineFrom: 'begun' }),
    grace: 1000,
    cwd: process.cwd(),
    // Daemons must be found too, however little the system tells about them.
    leftBehind: 'end',
  });
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

// What is created once, with the first hook, exists now.
await run(':');
const outcome = run(command);
while (!existsSync('begun')) await sleep(5);

const taken: number[] = [];
function takeAll(): void {
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left.
  }
}

if (left !== 'all') {
  takeAll();
  for (const fd of taken.splice(0, Number(left))) closeSync(fd);
}
const outcomeText = JSON.stringify(await outcome);
await sleep(50);
if (end === 'exit') {
  takeAll();
  process.exit();
}
for (const fd of taken) closeSync(fd);
process.stdout.write(outcomeText);
