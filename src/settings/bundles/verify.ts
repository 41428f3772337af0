import { BundleError } from './bundle-error.ts';
import { sha256 } from './digest.ts';
import type { BundleFiles } from './files.ts';
import { most } from './limits.ts';
import {
  type Manifest,
  manifestName,
  readManifest,
  signatureName,
  versionFault,
} from './manifest.ts';
import { type Signer, signerOf, type Signers } from './signers.ts';
import { signingKey } from './ssh-signature.ts';

/** A bundle that is exactly as a trusted signer signed it. */
export interface VerifiedBundle {
  readonly manifest: Manifest;
  readonly signer: Signer;
}

/**
 * Verifies a bundle: first the signature, because nothing in the manifest counts before that, then every
 * file.
 *
 * @throws {BundleError} if it may not run
 */
export function verifyBundle(
  files: BundleFiles,
  signers: Signers,
  signersFile: string,
): VerifiedBundle {
  const verified = verifyManifest(files, signers, signersFile);
  verifyFiles(files, verified.manifest);
  return verified;
}

/**
 * Verifies what a bundle says about itself, but not yet that its files match.
 *
 * @throws {BundleError} if it may not run
 */
export function verifyManifest(
  files: BundleFiles,
  signers: Signers,
  signersFile: string,
): VerifiedBundle {
  const manifestBytes = files.get(manifestName)?.bytes;
  if (manifestBytes === undefined)
    throw new BundleError(
      `is not a bundle: it has no ${manifestName}`,
      "name a bundle's folder or archive",
    );
  const signature = files.get(signatureName)?.bytes;
  if (signature === undefined)
    throw new BundleError('is not signed', 'have its author sign it (hookmachine policy sign)');
  if (manifestBytes.length > most.manifestBytes || signature.length > most.signatureBytes)
    throw new BundleError('has a manifest or a signature that is too large', 'get it again');
  const key = signingKey(manifestBytes, signature.toString('latin1'));
  const signer = signerOf(key, signers, signersFile);
  const manifest = readManifest(manifestBytes);
  const tooOld = versionFault(manifest);
  if (tooOld) throw tooOld;
  return { manifest, signer };
}

/**
 * Checks that the files are those of a manifest: all of them, and no others.
 *
 * @throws {BundleError} if they are not
 */
export function verifyFiles(files: BundleFiles, { digest, files: listed }: Manifest): void {
  const manifest = files.get(manifestName);
  if (manifest === undefined || sha256(manifest.bytes) !== digest)
    throw changed(`${manifestName} is different`);
  for (const [path, { sha256: hash, mode }] of listed) {
    const file = files.get(path);
    if (file === undefined) throw changed(`${path} is gone`);
    if (sha256(file.bytes) !== hash) throw changed(`${path} is different`);
    if (file.mode !== mode)
      throw changed(`${path} is ${mode === '755' ? 'no longer a program' : 'now a program'}`);
  }
  const added = [...files.keys()].find(
    (path) => !listed.has(path) && path !== manifestName && path !== signatureName,
  );
  if (added !== undefined) throw changed(`${JSON.stringify(added)} was added`);
}

const changed = (what: string): BundleError =>
  new BundleError(
    `was changed after it was signed: ${what}`,
    'get it again, from its author or with hookmachine policy update',
  );
