import { resolve } from 'node:path';
import type { HookCommand } from '../../../machines/hook-process.ts';
import { inTable } from '../../base/json.ts';

/**
 * The file that a module hook names: relative to the hook's folder, with the variables of its own source
 * filled in.
 */
export const modulePath = ({
  command,
  cwd,
  env,
}: Pick<HookCommand, 'command' | 'cwd' | 'env'>): string =>
  resolve(
    cwd,
    command.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (text, braced?: string, bare?: string) => {
      const name = braced ?? bare!;
      return inTable(env, name) ?? text;
    }),
  );
