import { createHash } from 'node:crypto';

/** Returns the hash of bytes in the form used in manifests and the index. */
export const sha256 = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex');
