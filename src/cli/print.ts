import { writeSync } from 'node:fs';
import { guardStreams } from './guard-streams.ts';

/** Writes all of a command's output, without a stream if the system accepts it at once. */
export function print(text: string): void {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') {
      guardStreams();
      process.stdout.write(rest);
    } else if (code !== 'EPIPE') process.exitCode ||= 1;
  }
}
