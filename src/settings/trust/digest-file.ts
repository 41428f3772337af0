import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The digest of a file's content. */
export interface FileDigest {
  readonly size: number;
  readonly sha256: string;
  /** The file's permissions. */
  readonly mode: number;
  /** Its bytes, if there are no more than the caller asked to keep. */
  readonly bytes?: Buffer;
}

/**
 * The largest file that is hashed, in bytes. A larger one is not a script, and reading it would keep hooks
 * waiting.
 */
export const largestFile = 64 * 1024 * 1024;

/**
 * Hashes the current content of a file; returns undefined for anything else, such as a folder or a pipe.
 * Nothing is cached: a memory-mapped file changes without any change of its times.
 *
 * @throws a system error if the file cannot be read, or an error that says that it is too large
 */
export async function digestFile(path: string, keep = 0): Promise<FileDigest | undefined> {
  // A pipe that has replaced the file must not keep us waiting for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const sum = createHash('sha256');
    const kept: Buffer[] = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) break;
      size += bytesRead;
      if (size > largestFile) throw new Error(`it is larger than ${largestFile} bytes`);
      const read = chunk.subarray(0, bytesRead);
      sum.update(read);
      if (size <= keep) kept.push(read);
    }
    return {
      size,
      sha256: sum.digest('hex'),
      mode: stats.mode & 0o7777,
      ...(size <= keep && { bytes: Buffer.concat(kept) }),
    };
  } finally {
    await file.close();
  }
}
