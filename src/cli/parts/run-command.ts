import { isHookmachineError } from '../../base/errors.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { guardStreams } from '../../hosts/relay/guard-streams.ts';

/**
 * Does the work of a command; a failure is reported on one line, with exit status 1. Most commands need the
 * folder that they were started in.
 */
export async function runCommand(work: () => Promise<void>, needsFolder = true): Promise<void> {
  try {
    if (needsFolder) demandFolder();
    await work();
  } catch (error) {
    if (!isHookmachineError(error, 'COMMAND_FAILED')) throw error;
    const { oneLine } = await import('../../base/log.ts');
    guardStreams();
    process.stderr.write(`hookmachine: ${oneLine(error.message)}\n`);
    process.exitCode ||= 1;
  }
}

/**
 * A shell may be in a folder that someone has removed.
 *
 * @throws {CommandFailure} if this process is in one
 */
export function demandFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new CommandFailure(
      'the current folder is gone, or cannot be read; change to another one (cd) and try again',
      { cause },
    );
  }
}
