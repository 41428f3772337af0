import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isRecord } from '../../base/json.ts';

/*
 * The wire of the OWASP Agent Control Standard 0.1 (GenAI-Security-Project/agent-control-standard), as far as whoever
 * asks and whoever answers share it: JSON-RPC 2.0, and signatures over whole envelopes (§10 of its specification).
 */

/** The version that is spoken. */
export const acsVersion = '0.1.0';

/** A JSON-RPC message: a request, a result or an error. */
export type Envelope = Readonly<Record<string, unknown>>;

interface Signature {
  readonly algorithm: 'HMAC-SHA256';
  readonly value: string;
  readonly key_id: string;
}

/** The part of a message that carries the signature. */
const signedPart = (envelope: Envelope): 'params' | 'error' | 'result' =>
  'method' in envelope ? 'params' : 'error' in envelope ? 'error' : 'result';

/** The session's key is derived from the shared secret (HKDF, the session as its context). */
const macOf = (envelope: Envelope, secret: string, session: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', session, 32)))
    .update(canonicalJson(envelope))
    .digest();

function withoutSignature(envelope: Envelope): {
  readonly bare: Envelope;
  readonly given: unknown;
} {
  const part = signedPart(envelope);
  const inner = envelope[part];
  if (!isRecord(inner)) return { bare: envelope, given: undefined };
  const { signature: given, ...rest } = inner;
  return { bare: { ...envelope, [part]: rest }, given };
}

/** The name of the key, for those who have one only. */
const onlyKey = 'default';

/** Returns the name of the key that a message was signed with. */
export function keyOf(envelope: Envelope): string {
  const { given } = withoutSignature(envelope);
  const name = isRecord(given) ? given['key_id'] : undefined;
  return typeof name === 'string' && name.length <= longestKey ? name : onlyKey;
}

const longestKey = 200;

/** Returns a message with a signature over all of it. */
export function signed(
  envelope: Envelope,
  secret: string,
  session: string,
  key: string = onlyKey,
): Envelope {
  const { bare } = withoutSignature(envelope);
  const part = signedPart(bare);
  const signature: Signature = {
    algorithm: 'HMAC-SHA256',
    value: macOf(bare, secret, session).toString('base64'),
    key_id: key,
  };
  return { ...bare, [part]: { ...(bare[part] as object), signature } };
}

/** Whether a message was signed with this secret for this session. */
export function isSigned(envelope: Envelope, secret: string, session: string): boolean {
  const { bare, given } = withoutSignature(envelope);
  if (!isRecord(given) || given['algorithm'] !== 'HMAC-SHA256') return false;
  const value = typeof given['value'] === 'string' ? Buffer.from(given['value'], 'base64') : Buffer.alloc(0); // prettier-ignore
  let expected: Buffer;
  try {
    expected = macOf(bare, secret, session);
  } catch {
    // What has no canonical form cannot have been signed.
    return false;
  }
  return value.length === expected.length && timingSafeEqual(value, expected);
}
