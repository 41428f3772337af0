import { join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { messageOf } from '../../base/message-of.ts';
import { onDemand } from '../../base/on-demand.ts';
import { findProgram, ownFolders } from '../../base/programs.ts';
import { BundleError } from './bundle-error.ts';
import { sha256 } from './digest.ts';
import { type BundleFiles, readFolder } from './files.ts';
import { type Manifest, manifestName, readAbout, readManifest, signatureName } from './manifest.ts';
import { notOfIt } from './source.ts';
import { namespace, signingKey } from './ssh-signature.ts';
import { environment } from '../../base/surroundings.ts';

const loadExeca = onDemand(() => import('execa'));

/** A folder with the manifest that it will have. */
export interface Unsigned {
  readonly files: BundleFiles;
  readonly manifest: Manifest;
  readonly manifestBytes: Buffer;
}

/**
 * Lists the files of an author's folder in its manifest, without writing it.
 *
 * @throws {BundleError} if it cannot become a bundle
 */
export function listFiles(folder: string): Unsigned {
  const all = readFolder(folder, { without: notOfIt });
  const written = all.get(manifestName)?.bytes;
  if (written === undefined)
    throw new BundleError(
      `has no ${manifestName}`,
      `write one: { "name": "my-guards", "version": "1.0.0" }`,
    );
  const { files: _, ...about } = readAbout(written);
  const files = new Map(
    [...all].filter(([path]) => path !== manifestName && path !== signatureName),
  );
  const listed = [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { bytes, mode }]) => [path, { sha256: sha256(bytes), mode }]);
  const text = JSON.stringify({ ...about, files: Object.fromEntries(listed) }, null, 2);
  const manifestBytes = Buffer.from(`${text}\n`);
  return { files, manifest: readManifest(manifestBytes), manifestBytes };
}

/**
 * Signs a folder with OpenSSH's own tool, which supports agents, passphrases and tokens. The signature is
 * checked before anything is written. Returns the key.
 *
 * @throws {BundleError} if it cannot be signed
 */
export async function signFolder(
  folder: string,
  { manifestBytes }: Unsigned,
  key: string,
): Promise<Buffer> {
  const args = ['-Y', 'sign', '-n', namespace, '-f', key];
  const program = findProgram('ssh-keygen', ownFolders());
  if (program === undefined)
    throw new BundleError('cannot be signed: there is no ssh-keygen', 'install OpenSSH');
  const { execa } = await loadExeca();
  const done = await execa(program, args, {
    input: manifestBytes,
    stripFinalNewline: false,
    env: environment(),
    extendEnv: false,
    reject: false,
  });
  if (done.exitCode === undefined && !done.isTerminated)
    throw new BundleError(
      `cannot be signed: ssh-keygen cannot be started (${messageOf(done.cause)})`,
      'install OpenSSH',
      { cause: done.cause },
    );
  if (done.exitCode !== 0)
    throw new BundleError(
      `cannot be signed: ${done.stderr.trim().split('\n').at(-1)}`,
      'pass the file of an Ed25519 key with --key',
    );
  const signer = signingKey(manifestBytes, done.stdout);
  writeAtomically(join(folder, manifestName), manifestBytes, { mode: 0o644 });
  writeAtomically(join(folder, signatureName), done.stdout, { mode: 0o644 });
  return signer;
}
