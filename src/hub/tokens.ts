import { randomBytes } from 'node:crypto';
import { digestOf } from '../durable/database/digest.ts';

/** What a token is for, with what it begins with: so that whoever finds one knows what it is. */
const prefixes = {
  invitation: 'hmi_',
  machine: 'hmm_',
  person: 'hmp_',
  session: 'hms_',
} as const;

export type Purpose = keyof typeof prefixes;

/** A token, which is shown once, and what is stored of it. */
export function newToken(purpose: Purpose): { readonly token: string; readonly digest: string } {
  const token = prefixes[purpose] + randomBytes(32).toString('base64url');
  return { token, digest: digestOf(token) };
}
