import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BundlePlace } from '../settings/levels.ts';
import { isAtLeast } from '../settings/managed.ts';
import { withLock } from '../trust/lock.ts';
import { BundleError, isBundleError } from './bundle-error.ts';
import { type BundleFiles, readFolder } from './files.ts';
import { folderOf, type InstalledBundle, readIndex, writeIndex } from './installed.ts';
import type { Manifest } from './manifest.ts';
import { type VerifiedBundle, verifyFiles } from './verify.ts';
import { syncFolder, writeFiles } from './write-files.ts';

/** A bundle that was verified, and where it is from. */
export interface Candidate extends VerifiedBundle {
  readonly files: BundleFiles;
  readonly from: string;
}

/** How a bundle may take the place of another one. */
export interface Replacing {
  /** A lower version may take the place of a higher one. */
  readonly toLower?: true | undefined;
  /** Tries it in the folder in which it stands by then; what it throws is why it is not installed. */
  readonly tryOut: (folder: string) => Promise<void>;
}

/** What became of a bundle that was to be installed. */
export interface Installation {
  /** The version that it took the place of. */
  readonly before?: InstalledBundle;
  /** It had been there already. */
  readonly isSame: boolean;
}

/**
 * Installs a bundle: beside the one that is there, which stays as it is until the new one has been tried and the list
 * names it, in one step. Whatever ends this before, the old one goes on.
 *
 * @throws {BundleError} when it may not be, or whatever `tryOut` throws
 */
export async function install(
  place: BundlePlace,
  { files, manifest, signer, from }: Candidate,
  { toLower, tryOut }: Replacing,
): Promise<Installation> {
  const { name, version, digest } = manifest;
  const next: InstalledBundle = { name, version, digest, from, signer: signer.name };
  const before = readIndex(place).get(name);
  if (mayReplace(before, next, toLower) === 'is there' && isWhole(place, next, manifest)) {
    // What was added from elsewhere is updated from there from now on.
    if (before!.from !== from)
      changeIndex(place, (bundles) => {
        if (bundles.get(name)?.digest === digest) bundles.set(name, next);
      });
    return { before: before!, isSame: true };
  }
  prepare(place);
  const draft = join(place.folder, `.${name}-${process.pid}-${crypto.randomUUID()}${draftEnd}`);
  try {
    writeFiles(draft, files);
    await tryOut(draft);
    // A test that writes there would have it changed.
    verifyFiles(readFolder(draft, { isInstalled: true }), manifest);
    let isSame = false;
    changeIndex(place, (bundles) => {
      const now = bundles.get(name);
      // Somebody else may have been faster.
      isSame = mayReplace(now, next, toLower) === 'is there' && isWhole(place, next, manifest);
      if (isSame) return;
      const folder = folderOf(place, next);
      rmSync(folder, { recursive: true, force: true });
      renameSync(draft, folder);
      syncFolder(place.folder);
      bundles.set(name, next);
    });
    return { ...(before && { before }), isSame };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Removes a bundle.
 *
 * @throws {BundleError} when it is not installed
 */
export function remove(place: BundlePlace, name: string): void {
  if (!readIndex(place).has(name))
    throw new BundleError('is not installed', 'look at those that are: hookmachine policy list');
  changeIndex(place, (bundles) => void bundles.delete(name));
}

/** Whether what is installed is as it was; if not it is installed anew. */
function isWhole(place: BundlePlace, installed: InstalledBundle, manifest: Manifest): boolean {
  try {
    verifyFiles(readFolder(folderOf(place, installed), { isInstalled: true }), manifest);
    return true;
  } catch (error) {
    if (isBundleError(error)) return false;
    throw error;
  }
}

/** @throws {BundleError} when it may not take the place of the one that is installed */
function mayReplace(
  before: InstalledBundle | undefined,
  next: InstalledBundle,
  toLower: true | undefined,
): 'is there' | 'is new' {
  if (before === undefined) return 'is new';
  if (before.digest === next.digest) return 'is there';
  if (before.signer !== next.signer)
    throw new BundleError(
      `is signed by ${next.signer}, and the one that is installed by ${before.signer}`,
      'if that is right, remove that one first (hookmachine policy remove)',
    );
  if (before.version === next.version)
    throw new BundleError(
      `is another ${next.version} than the one that is installed`,
      'have its author give each version a number of its own',
    );
  if (!toLower && !isAtLeast(before.version, next.version))
    throw new BundleError(
      `is version ${next.version}, which is lower than ${before.version}, which is installed`,
      'give --to-lower if you want that',
    );
  return 'is new';
}

const draftEnd = '.new';

/** Nobody takes that long for a draft. */
const abandonedAfter = 60 * 60 * 1_000;

/** Makes the folder of bundles, and takes away what was never finished there. */
function prepare({ folder }: BundlePlace): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOld = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (name.endsWith(draftEnd) && isOld > abandonedAfter)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Changes the list of a level while nobody else does, and takes away the folders that it named no more before. */
function changeIndex(
  place: BundlePlace,
  change: (bundles: Map<string, InstalledBundle>) => void,
): void {
  withLock(join(place.folder, '.lock'), () => {
    const before = readIndex(place);
    const bundles = new Map(before);
    change(bundles);
    writeIndex(place, bundles.values());
    // Whoever runs a hook of the version before may still do so.
    const kept = new Set(
      [...before.values(), ...bundles.values()]
        .filter(({ name }) => bundles.has(name))
        .map((bundle) => folderOf(place, bundle)),
    );
    for (const name of readdirSync(place.folder)) {
      const path = join(place.folder, name);
      if (!name.startsWith('.') && path !== place.index && !kept.has(path))
        rmSync(path, { recursive: true, force: true });
    }
  });
}
