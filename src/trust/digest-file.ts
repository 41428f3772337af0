import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';

/** What a file holds, in short. */
export interface FileDigest {
  readonly size: number;
  readonly sha256: string;
}

/** A file whose times are older cannot have changed since without them telling. */
const settledAfterMs = 2_000n;

const remembered = new Map<string, FileDigest & { readonly stamp: string }>();

/**
 * Hashes what a file holds; undefined for what is no file, such as a folder or a pipe. A large file
 * is not read again while its inode, size and times stay, unless it was touched just now.
 *
 * @throws a system error when the file cannot be read
 */
export function digestFile(path: string): FileDigest | undefined {
  // A pipe put in place of the file must not keep us waiting for its other end.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) return undefined;
    const stamp = stampOf(stats);
    const known = remembered.get(path);
    if (known?.stamp === stamp) return known;
    const digest = { ...hash(descriptor), stamp };
    const isSettled = BigInt(Date.now()) - stats.ctimeMs > settledAfterMs;
    if (isSettled && stampOf(fstatSync(descriptor, { bigint: true })) === stamp)
      remembered.set(path, digest);
    return digest;
  } finally {
    closeSync(descriptor);
  }
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

function hash(descriptor: number): FileDigest {
  const sum = createHash('sha256');
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  for (let read: number; (read = readSync(descriptor, chunk)) > 0; size += read)
    sum.update(chunk.subarray(0, read));
  return { size, sha256: sum.digest('hex') };
}
