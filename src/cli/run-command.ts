import { CommandFailure } from './failure.ts';
import { guardStreams } from './guard-streams.ts';

/** Does the work of a command; why it could not be done is told on one line, and the status is 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { oneLine } = await import('../log.ts');
    guardStreams();
    process.stderr.write(`hookmachine: ${oneLine(error.message)}\n`);
    process.exitCode = 1;
  }
}
