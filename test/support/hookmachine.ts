import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Sandbox } from './sandbox.ts';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Runs the built command as a user would, in a sandbox's project. */
export const hookmachine = (
  { project, env }: Pick<Sandbox, 'project' | 'env'>,
  args: readonly string[],
  input = '',
) => execa('node', [main, ...args], { cwd: project, env, input, reject: false });
