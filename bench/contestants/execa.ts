import { execa } from 'execa';
import { bare, type RunCommand } from './bare.ts';
import type { OpenContestant } from './contestant.ts';

/** execa, with its defaults. */
export const open: OpenContestant = async (scenario, cwd) => bare(run, scenario, cwd);

const run: RunCommand = (command, input, cwd) =>
  execa('bash', ['-c', command], { cwd, input, reject: false });
