import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';

/** How long a file of settings may be, in bytes; nobody writes one of this size. */
export const longestFile = 4 * 1024 * 1024;

/** What a file holds, or why it is not to be read. */
export type BoundedFile =
  | { readonly bytes: Buffer; readonly stats: Stats }
  | { readonly refused: Refusal };

type Refusal = 'not a file' | 'too long';

/** Each refusal as it continues the name of a settings file, and what its user can do. */
export const refusals: Readonly<Record<Refusal, { message: string; fix: string }>> = {
  'not a file': { message: 'is not a file', fix: 'put a file there' },
  'too long': { message: 'is larger than 4 MiB', fix: 'leave only settings in it' },
};

/**
 * Reads a regular file of at most `longest` bytes. A pipe or a device is not even opened, one put in
 * its place in that moment is opened without waiting for its other end, and what has no end, such as
 * some of `/proc` whose size is 0, is given up at the limit.
 *
 * @throws a system error when the file is not there or cannot be read
 */
export function readBounded(file: string, longest = longestFile): BoundedFile {
  return withFile(file, (descriptor, stats) => {
    if (stats.size > longest) return { refused: 'too long' };
    // The size is only where to begin: the file may grow, and those of /proc do not tell theirs.
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

/** Some files of /proc are read in pages, or not at all. */
const wholePages = (size: number): number => Math.ceil(size / 4_096) * 4_096;

/**
 * Opens a regular file for reading and hands it on; what is none is refused.
 *
 * @throws a system error when the file is not there or cannot be opened, or what `use` throws
 */
export function withFile<Result>(
  file: string,
  use: (descriptor: number, stats: Stats) => Result,
): Result | { readonly refused: 'not a file' } {
  // Asked first, because to open a device or a pipe may already do something.
  if (!statSync(file).isFile()) return { refused: 'not a file' };
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? use(descriptor, stats) : { refused: 'not a file' };
  } finally {
    closeSync(descriptor);
  }
}
