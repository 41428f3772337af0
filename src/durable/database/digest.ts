import { createHash } from 'node:crypto';

/** The digest of a text, for example of what someone is asked about. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
