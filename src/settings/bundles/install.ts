import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../base/file-lock.ts';
import { makeFolder } from '../../base/folders.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';
import { isAtLeast } from '../../base/version.ts';
import { BundleError, isBundleError } from './bundle-error.ts';
import { type BundleFiles, readFolder } from './files.ts';
import { guardsIn } from './guards.ts';
import {
  folderOf,
  type InstalledBundle,
  lockOf,
  readIndex,
  unlistedFolders,
  writeIndex,
} from './installed.ts';
import { type Manifest, settingsName } from './manifest.ts';
import { type VerifiedBundle, verifyFiles } from './verify.ts';
import { syncFolder, writeFiles } from './write-files.ts';

/** A verified bundle, and where it comes from. */
export interface Candidate extends VerifiedBundle {
  readonly files: BundleFiles;
  readonly from: string;
}

/** How a bundle may replace another one. */
export interface Replacing {
  /** A lower version may replace a higher one. */
  readonly toLower?: true | undefined;
  /** Tries the bundle in the folder that holds it by then. If it throws, the bundle is not installed. */
  readonly tryOut: (folder: string) => Promise<void>;
}

/** The result of installing a bundle. */
export interface Installation {
  /** The version that it replaced. */
  readonly before?: InstalledBundle;
  /** It was already installed. */
  readonly isSame: boolean;
}

/**
 * Installs a bundle next to the present one, which stays as it is until the new one has been tried and the
 * list names it, in one step. If the process ends before that, the old one stays in effect.
 *
 * @throws {BundleError} if it may not be installed, or whatever `tryOut` throws
 */
export async function install(
  place: BundlePlace,
  { files, manifest, signer, from }: Candidate,
  { toLower, tryOut }: Replacing,
): Promise<Installation> {
  const { name, version, digest } = manifest;
  const guards = guardsIn(files.get(settingsName)!.bytes);
  const next: InstalledBundle = { name, version, digest, from, signer: signer.name, guards };
  const before = readIndex(place).get(name);
  if (mayReplace(before, next, toLower) === 'is there' && isWhole(place, next, manifest)) {
    // Added from another place this time: from now on it is updated from there.
    if (before!.from !== from || before!.guards === undefined)
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
    // A test that writes there would have changed it.
    verifyFiles(readFolder(draft, { isInstalled: true }), manifest);
    let isSame = false;
    changeIndex(place, (bundles) => {
      const now = bundles.get(name);
      // Another process may have been faster.
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
 * @throws {BundleError} if it is not installed
 */
export function remove(place: BundlePlace, name: string): void {
  if (!readIndex(place).has(name))
    throw new BundleError('is not installed', 'look at those that are: hookmachine policy list');
  changeIndex(place, (bundles) => void bundles.delete(name));
}

/** Whether the installed bundle is unchanged; if not, it is installed again. */
function isWhole(place: BundlePlace, installed: InstalledBundle, manifest: Manifest): boolean {
  try {
    verifyFiles(readFolder(folderOf(place, installed), { isInstalled: true }), manifest);
    return true;
  } catch (error) {
    if (isBundleError(error)) return false;
    throw error;
  }
}

/** @throws {BundleError} if it may not replace the installed one */
function mayReplace(
  before: InstalledBundle | undefined,
  next: InstalledBundle,
  toLower: true | undefined,
): 'is there' | 'is new' {
  if (before === undefined) return 'is new';
  if (before.digest === next.digest) return 'is there';
  if (before.signer !== next.signer)
    throw new BundleError(
      `is signed by ${next.signer}, but the installed one by ${before.signer}`,
      'if that is intended, remove the installed one first (hookmachine policy remove)',
    );
  if (before.version === next.version)
    throw new BundleError(
      `differs from the installed ${next.version}`,
      'have its author give each version its own number',
    );
  if (!toLower && !isAtLeast(before.version, next.version))
    throw new BundleError(
      `is version ${next.version}, which is lower than the installed ${before.version}`,
      'pass --to-lower if you want that',
    );
  return 'is new';
}

const draftEnd = '.new';

/** The age in ms from which a draft counts as abandoned; no installation takes that long. */
const abandonedAfter = 60 * 60 * 1_000;

/** Creates the folder of bundles, and removes abandoned drafts from it. */
function prepare({ folder }: BundlePlace): void {
  makeFolder(folder, 0o755);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOld = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (name.endsWith(draftEnd) && isOld > abandonedAfter)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Changes the list of a level under its lock, and removes the folders that it already did not name before.
 */
function changeIndex(
  place: BundlePlace,
  change: (bundles: Map<string, InstalledBundle>) => void,
): void {
  withLock(lockOf(place), () => {
    const before = readIndex(place);
    const bundles = new Map(before);
    change(bundles);
    writeIndex(place, bundles.values());
    // A process that runs a hook of the previous version may still do so.
    const kept = new Set(
      [...before.values(), ...bundles.values()]
        .filter(({ name }) => bundles.has(name))
        .map((bundle) => folderOf(place, bundle)),
    );
    // A bundle that the list lost without our doing still denies.
    for (const { folder } of unlistedFolders(place, new Map([...before, ...bundles])))
      kept.add(folder);
    for (const name of readdirSync(place.folder)) {
      const path = join(place.folder, name);
      if (!name.startsWith('.') && path !== place.index && !kept.has(path))
        rmSync(path, { recursive: true, force: true });
    }
  });
}
