import { execa } from 'execa';
import type { Sandbox } from './sandbox.ts';
import { main } from './main.ts';

/** Runs the built command as a user would, in a sandbox's project, whose hooks are trusted unless `env` says otherwise. */
export const hookmachine = (
  { project, env }: Pick<Sandbox, 'project' | 'env'>,
  args: readonly string[],
  input = '',
) =>
  execa('node', [main, ...args], {
    cwd: project,
    env: { HOOKMACHINE_TRUST: '1', ...env },
    input,
    reject: false,
  });
