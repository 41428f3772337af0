import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import { wholePath } from '../../base/folders.ts';
import { guardedTool } from '../guards/guarded-tool.ts';
import type { Tool } from '../loop/tool.ts';
import { inProject } from './in-project.ts';
import { allowsFolderPath, givenPath, workingFolderNames } from './path-arguments.ts';
import { cancelled, notAFolder } from './refusals.ts';
import { commandOutputLimit } from '../../handlers/process/index.ts';
import { type CommandRun, runInShell } from './run-in-shell.ts';
import { onDemand } from '../../base/on-demand.ts';

const loadShellWrites = onDemand(() => import('../guards/shell-writes.ts'));

const parameters = z
  .object({
    command: z
      .string()
      .refine((command) => command.trim() !== '', 'run_shell_command needs a command')
      .refine(
        (command) => !command.includes('\0'),
        'run_shell_command needs a command without NUL characters',
      )
      .describe('The command, run as `bash -c <command>`.'),
    description: z.string().optional().describe('What the command is for, in a short sentence.'),
    ...workingFolderNames,
  })
  .refine(...allowsFolderPath('run_shell_command'));

/** Runs a shell command that starts in a folder of the project. */
export const runShellCommand: Tool<z.infer<typeof parameters>> = guardedTool({
  name: 'run_shell_command',
  description: `Runs a shell command (bash, or sh where there is none) in a folder of the project and reports its output and exit code. Only the folder it starts in is kept inside the project: the command itself may reach whatever the user may. It has no input and leads its own process group; what it starts with & keeps running. ${commandOutputLimit / 1024} KiB each of stdout and stderr are kept, from the start and the end.`,
  parameters,
  async writes(input, cwd) {
    const { shellWrites } = await loadShellWrites();
    return shellWrites(input.command, wholePath(givenPath(input) ?? '.', cwd));
  },
  execute: (input, { cwd, signal }) => {
    const folder = givenPath(input);
    return inProject(cwd, folder ?? '.', async (place) => {
      if (!(await stat(place.path)).isDirectory()) return notAFolder(place);
      if (signal.aborted) return cancelled('run_shell_command');
      const run = await runInShell(input.command, place.path, signal);
      return tell(run, input.command, place.name === '.' ? '(root)' : place.name);
    });
  },
});

function tell(run: CommandRun, command: string, folder: string): ToolResult {
  if (run.kind === 'notStarted') {
    return errorResult(`The command could not be started: ${run.reason}`, 'shell_execute_error');
  }
  const { exitCode, signal, stdout, stderr, group } = run;
  const report = [
    `Command: ${command}`,
    `Directory: ${folder}`,
    `Stdout: ${stdout || '(empty)'}`,
    `Stderr: ${stderr || '(empty)'}`,
    `Exit Code: ${exitCode ?? '(none)'}`,
    ...(signal === null ? [] : [`Signal: ${signal}`]),
    ...(group === undefined
      ? []
      : [
          `Process Group PGID: ${group} (${run.kind === 'cancelled' ? 'could not be ended and is still running' : 'is still running in the background'}; end it with kill -- -${group})`,
        ]),
  ].join('\n');
  const metadata = { exitCode, signal };
  if (run.kind === 'cancelled') {
    const { error } = cancelled('run_shell_command');
    return {
      llmContent: `${error!.message} What it did until then:\n${report}`,
      returnDisplay: 'Command cancelled.',
      metadata,
      error: error!,
    };
  }
  return {
    llmContent: report,
    returnDisplay: display(stdout + stderr, exitCode, signal),
    metadata,
  };
}

function display(output: string, exitCode: number | null, signal: string | null): string {
  if (output.trim() !== '') return output;
  if (signal !== null) return `Command terminated by signal: ${signal}`;
  return exitCode === 0 ? '' : `Command exited with code: ${exitCode}`;
}
