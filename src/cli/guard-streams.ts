let areGuarded = false;

/**
 * A reader may have left, or a disk be full: what was decided still stands in the exit status. Asked
 * for before anything is written through a stream, for the streams cost a short command its time.
 */
export function guardStreams(): void {
  if (areGuarded) return;
  areGuarded = true;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(process.exitCode || (code === 'EPIPE' ? 0 : 1));
  });
}
