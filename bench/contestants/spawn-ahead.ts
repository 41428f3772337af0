import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { bare, type RunCommand } from './bare.ts';
import type { OpenContestant } from './contestant.ts';

/**
 * Node's own `spawn`, ahead of the event: the minimum for a hook that waits for its input, since its exit
 * code is not known before it has ended. Nothing checks whether it is still the intended hook.
 */
export const open: OpenContestant = async (scenario, cwd) => bare(run, scenario, cwd);

const waiting = new Map<string, ChildProcessWithoutNullStreams>();

const start = (command: string, cwd: string) => {
  const child = spawn('bash', ['-c', command], { cwd });
  child.unref();
  return child;
};

const run: RunCommand = (command, input, cwd) =>
  new Promise((resolve, reject) => {
    const child = waiting.get(command) ?? start(command, cwd);
    waiting.delete(command);
    child.ref();
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({ exitCode, stdout, stderr });
      setImmediate(() => waiting.set(command, start(command, cwd)));
    });
    child.stdin.end(input);
  });
