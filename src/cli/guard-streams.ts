let areGuarded = false;

/** What is done where nobody reads what is written. */
let whenGone = ({ code }: NodeJS.ErrnoException): void => {
  process.exit(process.exitCode || (code === 'EPIPE' ? 0 : 1));
};

/** For a command that has something else to end before it. */
export const onReaderGone = (end: () => void): void => {
  whenGone = end;
};

/**
 * A reader may have left, or a disk be full: what was decided still stands in the exit status. Asked
 * for before anything is written through a stream, for the streams cost a short command its time.
 */
export function guardStreams(): void {
  if (areGuarded) return;
  areGuarded = true;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => whenGone(error));
}
