import type { HookDefinition } from '../settings/hook-definition.ts';
import { shellWord } from '../shell-word.ts';

/** What is run as a hook of each dialect: a hook's definition without what its dialect makes of it. */
export type Script = Pick<HookDefinition, 'command' | 'name' | 'timeout'> &
  Partial<Pick<HookDefinition, 'args' | 'cwd' | 'env' | 'shell'>> & {
    /** Its command is a file alone, and no line for a shell. */
    readonly isFile?: true;
  };

/** A file that can be run, as hosts run it, by the name that the user gave it. */
export const fileScript = (file: string, name: string, timeout: number): Script => ({
  command: shellWord(file),
  name,
  timeout,
  isFile: true,
});

/** A line for a shell. */
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
  // A line has them as a script has that consists of it.
  return { ...script, command: isFile ? `${command} ${given}` : `set -- ${given}\n${command}` };
}
