import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { HookRegistry } from '../../hosts/system/hook-registry.ts';
import { fileScript, lineScript, type Script } from '../matrix/script.ts';
import { findProgram, isExecutable } from '../../base/programs.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { trustOfEach } from '../../hosts/relay/trust-option.ts';

interface Options {
  readonly timeout: number;
  readonly dialects?: readonly Dialect[];
  readonly trust?: true;
}

/**
 * Returns the script that a user names: an executable file, a configured hook, or a command line.
 *
 * @throws {CommandFailure} if it is none of these, or may not run
 */
export async function scriptNamed(named: string, cwd: string, options: Options): Promise<Script> {
  const file = resolve(named);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
    if (!isExecutable(file))
      throw new CommandFailure(
        `${named} cannot be run: chmod +x it, or give the whole command line, such as "sh ${named}"`,
      );
    return fileScript(file, named, options.timeout);
  }
  const hook = await hookNamed(named, cwd, options);
  if (hook) return hook;
  if (!/\s/.test(named.trim()) && findProgram(named) === undefined)
    throw new CommandFailure(
      `there is no file, no configured hook and no program "${named}" (hookmachine list shows the hooks)`,
    );
  return lineScript(named, options.timeout);
}

async function hookNamed(
  named: string,
  cwd: string,
  { dialects = presentDialects, trust }: Options,
): Promise<Script | undefined> {
  const trusting = trustOfEach(cwd, trust);
  const config = createConfig({ cwd, dialects, onWarning: () => undefined, ...trusting });
  const registry = await HookRegistry.load(config);
  const hook = registry.getAllHooks().find(({ name }) => name === named);
  if (hook === undefined) return undefined;
  if (hook.type !== 'command')
    throw new CommandFailure(
      `"${named}" is of type ${hook.type}: only commands can be hooks of every dialect`,
    );
  if (hook.async)
    throw new CommandFailure(
      `"${named}" is not waited for (async), so it decides nothing anywhere`,
    );
  if (hook.source === 'project') {
    const found = await trusting.verifyTrust?.(hook);
    if (found?.trusted === false)
      throw new CommandFailure(`"${named}" may not run: ${found.why}; ${found.fix}`);
  }
  return scriptOf(hook, registry.dialects.get(hook.dialect)?.runArgs);
}

/** What a hook runs, without the arguments that its own dialect adds. */
function scriptOf(hook: RegisteredHook, runArgs: readonly string[] | undefined): Script {
  const { command, name, timeout, args, cwd, env, shell } = hook;
  return {
    command,
    name,
    timeout,
    env,
    ...(args && { args: runArgs === undefined ? args : [] }),
    ...(cwd !== undefined && { cwd }),
    ...(shell && { shell }),
  };
}
