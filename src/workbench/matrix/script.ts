import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { shellWord } from '../../base/shell-word.ts';

/** A script that runs as a hook of each dialect: a hook's definition without its dialect's additions. */
export type Script = Pick<HookDefinition, 'command' | 'name' | 'timeout'> &
  Partial<Pick<HookDefinition, 'args' | 'cwd' | 'env' | 'shell'>> & {
    /** Its command is only a file, not a shell command line. */
    readonly isFile?: true;
  };

/** An executable file, as hosts run it, under the name that the user gave it. */
export const fileScript = (file: string, name: string, timeout: number): Script => ({
  command: shellWord(file),
  name,
  timeout,
  isFile: true,
});

/** A shell command line. */
export const lineScript = (line: string, timeout: number): Script => ({
  command: line,
  name: line,
  timeout,
});

/** The script with the arguments that a dialect starts its executables with. */
export function withRunArgs(
  { isFile, ...script }: Script,
  runArgs: readonly string[] = [],
): Omit<Script, 'isFile'> {
  if (runArgs.length === 0) return script;
  const { args, command } = script;
  if (args !== undefined) return { ...script, args: [...args, ...runArgs] };
  const given = runArgs.map(shellWord).join(' ');
  // A command line gets them as a script consisting of that line would.
  return { ...script, command: isFile ? `${command} ${given}` : `set -- ${given}\n${command}` };
}
