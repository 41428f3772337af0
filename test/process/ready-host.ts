/** A host of its own that has a shell ready, tells its pid, and ends or stays. */
import { execFileSync } from 'node:child_process';
import { prepare } from '../../src/process/ahead/ready-shells.ts';
import { inputFor } from './run-hook.ts';

prepare(inputFor('true').command);
const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
  encoding: 'utf8',
});
const shell = children.split('\n').find((line) => line.includes('hookmachine_way'));
console.log(Number.parseInt(shell ?? '', 10));
if (process.argv[2] === 'stay') setInterval(() => undefined, 1000);
