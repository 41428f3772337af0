import { createHash, createPublicKey, verify } from 'node:crypto';
import { BundleError } from './bundle-error.ts';

/**
 * The purpose that bundle signatures state, so that a signature made for something else is not valid here.
 */
export const namespace = 'hookmachine-bundle';

const keyType = 'ssh-ed25519';
const begin = '-----BEGIN SSH SIGNATURE-----';
const end = '-----END SSH SIGNATURE-----';

/**
 * Returns the key that signed a text, in OpenSSH's key format. It reads what `ssh-keygen -Y sign` produces
 * with an Ed25519 key. The signature is verified; whose key it is, and whether anybody trusts it, is another
 * question.
 *
 * @throws {BundleError} if it is not such a signature, or not one of this text
 */
export function signingKey(text: Buffer, armored: string): Buffer {
  const trimmed = armored.trim();
  if (!trimmed.startsWith(begin) || !trimmed.endsWith(end))
    throw broken('it was not made by ssh-keygen -Y sign');
  const blob = reader(Buffer.from(trimmed.slice(begin.length, -end.length), 'base64'));
  if (blob.take(6).toString() !== 'SSHSIG' || blob.number() !== 1)
    throw broken('it was not made by ssh-keygen -Y sign');
  const key = blob.string();
  const wanted = blob.string().toString();
  const reserved = blob.string();
  const hash = blob.string().toString();
  const signature = reader(blob.string());
  blob.demandEnd();
  const ofKey = reader(key);
  const [ofKeyType, ofSignature] = [ofKey.string().toString(), signature.string().toString()];
  if (ofKeyType !== keyType || ofSignature !== keyType)
    throw new BundleError(
      `has a signature by a key of type ${JSON.stringify(ofKeyType)}`,
      'have it signed with an Ed25519 key (ssh-keygen -t ed25519)',
    );
  const [raw, bytes] = [ofKey.string(), signature.string()];
  ofKey.demandEnd();
  signature.demandEnd();
  if (wanted !== namespace)
    throw new BundleError(
      `has a signature for ${JSON.stringify(wanted)}, not for "${namespace}"`,
      `have it signed again, with -n ${namespace}`,
    );
  if (reserved.length > 0 || (hash !== 'sha512' && hash !== 'sha256') || raw.length !== 32)
    throw broken('its format is that of another OpenSSH version');
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    ...[wanted, reserved, hash, createHash(hash).update(text).digest()].flatMap(asString),
  ]);
  if (!verify(null, signed, publicKey(raw), bytes))
    throw new BundleError(
      'was changed after it was signed: its signature does not match its manifest',
      'get it again, from its author or with hookmachine policy update',
    );
  return key;
}

/** Formats a key as `ssh-keygen -l` shows it. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** Formats a key as in a file of signers. */
export const keyText = (key: Buffer): string => `${keyType} ${key.toString('base64')}`;

/** Reads a key from a file of signers; returns undefined for anything but an Ed25519 key. */
export function readKey(type: string, base64: string): Buffer | undefined {
  const key = Buffer.from(base64, 'base64');
  if (type !== keyType || key.toString('base64') !== base64) return undefined;
  try {
    const blob = reader(key);
    if (blob.string().toString() !== keyType || blob.string().length !== 32) return undefined;
    blob.demandEnd();
    return key;
  } catch {
    return undefined;
  }
}

const publicKey = (raw: Buffer) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });

function asString(value: string | Buffer): [Buffer, Buffer] {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

/** Returns a reader of SSH's numbers and strings, one after another. */
function reader(bytes: Buffer) {
  let at = 0;
  const take = (count: number): Buffer => {
    if (count > bytes.length - at) throw broken('it ends too early');
    return bytes.subarray(at, (at += count));
  };
  const number = (): number => take(4).readUInt32BE();
  return {
    take,
    number,
    string: (): Buffer => take(number()),
    demandEnd(): void {
      if (at !== bytes.length) throw broken('something follows it');
    },
  };
}

const broken = (why: string): BundleError =>
  new BundleError(`has a signature that cannot be read: ${why}`, 'get it again from its author');
