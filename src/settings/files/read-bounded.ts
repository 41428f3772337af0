import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';

/** The largest settings file that is read, in bytes; nobody writes a larger one. */
export const longestFile = 4 * 1024 * 1024;

/** The content of a file, or why it must not be read. */
export type BoundedFile =
  | { readonly bytes: Buffer; readonly stats: Stats }
  | { readonly refused: Refusal };

type Refusal = 'not a file' | 'too long';

/** Each refusal in words that follow the name of a settings file, and what its user can do. */
export const refusals: Readonly<Record<Refusal, { message: string; fix: string }>> = {
  'not a file': { message: 'is not a file', fix: 'put a file there' },
  'too long': { message: 'is larger than 4 MiB', fix: 'leave only settings in it' },
};

/**
 * Reads a regular file of at most `longest` bytes. A pipe or a device is not even opened; one that replaces
 * the file in that very moment is opened without waiting for its other end; and a file without an end, such
 * as some files of `/proc` whose size is 0, is abandoned at the limit.
 *
 * @throws a system error if the file does not exist or cannot be read
 */
export function readBounded(file: string, longest = longestFile): BoundedFile {
  return withFile(file, (descriptor, stats) => {
    if (stats.size > longest) return { refused: 'too long' };
    // The size is only a first estimate: the file may grow, and files of /proc do not report theirs.
    let bytes = Buffer.allocUnsafe(wholePages(stats.size + 1));
    let length = 0;
    for (let read; (read = readSync(descriptor, bytes, length, bytes.length - length, null)) > 0;) {
      length += read;
      if (length > longest) return { refused: 'too long' };
      if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
    }
    return { bytes: bytes.subarray(0, length), stats };
  });
}

/** Returns the text of a regular file; undefined if there is none, or it cannot be read or is too long. */
export function textIn(file: string, longest = longestFile): string | undefined {
  try {
    const read = readBounded(file, longest);
    return 'bytes' in read ? read.bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** Some files of /proc can be read only in whole pages. */
const wholePages = (size: number): number => Math.ceil(size / 4_096) * 4_096;

/**
 * Opens a regular file for reading and passes it to `use`; anything else is refused.
 *
 * @throws a system error if the file does not exist or cannot be opened, or whatever `use` throws
 */
export function withFile<Result>(
  file: string,
  use: (descriptor: number, stats: Stats) => Result,
): Result | { readonly refused: 'not a file' } {
  // Checked first, because merely opening a device or a pipe may have an effect.
  if (!statSync(file).isFile()) return { refused: 'not a file' };
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? use(descriptor, stats) : { refused: 'not a file' };
  } finally {
    closeSync(descriptor);
  }
}
