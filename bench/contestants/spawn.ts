import { spawn } from 'node:child_process';
import { bare, type RunCommand } from './bare.ts';
import type { OpenContestant } from './contestant.ts';

/** Node's own `spawn`, with pipes. */
export const open: OpenContestant = async (scenario, cwd) => bare(run, scenario, cwd);

const run: RunCommand = (command, input, cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { cwd });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.end(input);
  });
