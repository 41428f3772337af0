/**
 * A separate host that runs a hook to its end and then again, prints the second one's pid, and ends when
 * asked to, or is ended, while that one runs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hookActor, runToExit } from './run-hook.ts';

const [, , end, command = ''] = process.argv;
const options = { timeout: 60_000, cwd: process.cwd() };
await runToExit(command, options);
const actor = hookActor(`echo $$ > second; ${command}`, options);
actor.start();
while (!existsSync('second') || readFileSync('second', 'utf8') === '') await sleep(5);
process.stdout.write(readFileSync('second', 'utf8'));
if (end === 'process.exit') process.stdin.once('data', () => process.exit(3));
