/** A separate host: runs the hook it is given, and ends when asked to, or is ended, while the hook runs. */
import { hookActor } from './run-hook.ts';

const [, , end, command = '', state = 'running'] = process.argv;

const actor = hookActor(command, {
  timeout: 60_000,
  cwd: process.cwd(),
  drain: state === 'sweeping' ? 0 : 60_000,
  sweep: 60_000,
  grace: 60_000,
});
actor.subscribe((snapshot) => {
  if (snapshot.matches({ alive: state as 'running' })) process.stdout.write('ready\n');
});
process.stdin.once('data', () => {
  if (end === 'process.exit') process.exit(3);
  else if (end === 'exception') throw new Error('uncaught');
  else if (end === 'rejection') void Promise.reject(new Error('unhandled'));
  else if (end === 'abort') process.abort();
});
actor.start();
