import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { bare, type Ended, type RunCommand } from './bare.ts';
import type { OpenContestant } from './contestant.ts';

/*
 * What is left when everything but the hook's own work is taken away: no engine, no deadline, nobody who
 * sees to what a hook leaves behind. Shells wait for their command, as hookmachine's do, and new ones are
 * started when nothing runs.
 */
export const open: OpenContestant = async (scenario, cwd) => bare(run, scenario, cwd);

const script = `IFS= read -r -d '' -u 3 text; exec 3<&-; eval "$text"`;
const waiting: ChildProcess[] = [];
let used = 0;
let running = 0;
let filling: NodeJS.Timeout | undefined;
let fillingOn: NodeJS.Immediate | undefined;

const start = (cwd: string): ChildProcess =>
  spawn('bash', ['-c', script], { cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });

const run: RunCommand = (command, input, cwd) =>
  new Promise<Ended>((resolve, reject) => {
    const child = waiting.shift() ?? start(cwd);
    clearTimeout(filling);
    clearImmediate(fillingOn);
    used++;
    running++;
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({ exitCode, stdout, stderr });
      if (--running === 0) filling = setTimeout(fill, 2, cwd);
    });
    child.stdin!.end(input);
    (child.stdio[3] as Writable).end(`${command}\0`);
  });

function fill(cwd: string): void {
  if (waiting.length >= Math.min(used, 8)) {
    used = 0;
    return;
  }
  waiting.push(start(cwd));
  fillingOn = setImmediate(fill, cwd);
}
