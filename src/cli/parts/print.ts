import { writeSync } from 'node:fs';
import { guardStreams, onReaderGone } from '../../hosts/relay/guard-streams.ts';

/**
 * Writes all of a command's output, without a stream if the system accepts it at once. If it cannot be
 * written, `onLost` sets the exit status; by default, only a reader that has left is no failure.
 */
export function print(text: string, onLost: (error: Error) => void = failUnlessLeft): void {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return onLost(error as Error);
    guardStreams();
    if (onLost !== failUnlessLeft)
      onReaderGone((gone) => {
        onLost(gone);
        process.exit();
      });
    process.stdout.write(rest);
  }
}

function failUnlessLeft({ code }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') process.exitCode ||= 1;
}

/** Writes a warning where streams may be gone or no longer run. */
export function warnAtOnce(line: string): void {
  try {
    writeSync(2, `hookmachine: ${line}\n`);
  } catch {
    // Nobody reads it.
  }
}
