import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { headerIn, longestHeader } from './header.ts';
import { RecordingError } from './recording-error.ts';

/** A recording to append to. */
export interface OpenRecording {
  readonly fd: number;
  /** Whether the last line is incomplete because the process that wrote it was killed. */
  readonly isTorn: boolean;
}

/**
 * Opens a file for another session. A new file is readable by its owner only. An existing one is appended to,
 * but only if it is empty or a hookmachine recording, so that nothing in it is lost.
 *
 * @throws {RecordingError} if the file is something else
 * @throws {NodeJS.ErrnoException} if it cannot be written
 */
export function openRecording(file: string): OpenRecording {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory())
    throw new RecordingError(file, 'this is a folder; name a file to record to');
  // A pipe without a reader would block the agent.
  if (found && !found.isFile() && !found.isCharacterDevice())
    throw new RecordingError(file, 'this is neither a file nor a device; name a file to record to');
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
  const fd = openSync(file, O_RDWR | O_APPEND | O_CREAT, 0o600);
  try {
    return { fd, isTorn: found?.isFile() ? isTornRecording(file, fd) : false };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function isTornRecording(file: string, fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return false;
  const start = Buffer.alloc(longestHeader);
  const text = start.toString('utf8', 0, readSync(fd, start, 0, longestHeader, 0));
  // The first bytes of a longer line may look like a header although the line is not one.
  const isWhole = size <= longestHeader || text.includes('\n');
  const header = isWhole ? headerIn(text.split('\n', 1)[0]!) : undefined;
  if (header === 'newer')
    throw new RecordingError(
      file,
      'this recording was made by a newer hookmachine; record to another file',
    );
  if (header === undefined)
    throw new RecordingError(
      file,
      'this file is not a hookmachine recording, so it was left unchanged; record to another file',
    );
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last.toString() !== '\n';
}
