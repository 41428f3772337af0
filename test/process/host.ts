/** A host of its own: runs the hook it is given, and ends, or is ended, while that runs. */
import { hookActor } from './run-hook.ts';

const [, , end, command = '', state = 'running'] = process.argv;

const actor = hookActor(command, { timeout: 60_000, cwd: process.cwd(), grace: 60_000 });
actor.subscribe((snapshot) => {
  if (!snapshot.matches({ alive: state as 'running' })) return;
  process.stdout.write('ready\n');
  // What is written to a pipe must be on its way before the process goes.
  setTimeout(() => {
    if (end === 'process.exit') process.exit(3);
    else if (end === 'exception') throw new Error('uncaught');
    else if (end === 'rejection') void Promise.reject(new Error('unhandled'));
    else if (end === 'abort') process.abort();
  }, 300);
});
actor.start();
