import { createHash } from 'node:crypto';

/** The hash of bytes, as manifests and the index write it. */
export const sha256 = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex');
