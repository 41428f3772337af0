import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** What a file holds, in short. */
export interface FileDigest {
  readonly size: number;
  readonly sha256: string;
  /** The file's permissions. */
  readonly mode: number;
  /** Its bytes, when it has no more than were asked for. */
  readonly bytes?: Buffer;
}

/** A larger file is no script, and reading it would keep hooks waiting. */
export const largestFile = 64 * 1024 * 1024;

/**
 * Hashes what a file holds now; undefined for what is no file, such as a folder or a pipe. Nothing is
 * remembered: a file that is mapped into memory changes without its times telling.
 *
 * @throws a system error when the file cannot be read, or one that says that it is too large
 */
export async function digestFile(path: string, keep = 0): Promise<FileDigest | undefined> {
  // A pipe put in place of the file must not keep us waiting for its other end.
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
