let areGuarded = false;

/** What to do when nobody reads the output any more. */
let whenGone = ({ code }: NodeJS.ErrnoException): void => {
  process.exit(process.exitCode || (code === 'EPIPE' ? 0 : 1));
};

/** Replaces the default, for a command that must end something else first. */
export const onReaderGone = (end: (error: NodeJS.ErrnoException) => void): void => {
  whenGone = end;
};

/**
 * Handles the output's errors: a reader may have left or a disk be full, and the exit status must still tell
 * the decision. Called only before something is written through a stream, since streams slow a short command.
 */
export function guardStreams(): void {
  if (areGuarded) return;
  areGuarded = true;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => whenGone(error));
}
