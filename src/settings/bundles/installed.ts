import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { isRecord } from '../../base/json.ts';
import { isBrokenLink } from '../files/levels.ts';
import { isVersion } from '../../base/version.ts';
import { parseJson } from '../files/parse-json.ts';
import { type BoundedFile, readBounded } from '../files/read-bounded.ts';
import { fileFault } from '../trust/safe-file.ts';
import { BundleError } from './bundle-error.ts';
import { readFolder } from './files.ts';
import { type BundleGuard, readGuards } from './guards.ts';
import { isBundleName, settingsName } from './manifest.ts';
import { type BundleSettings, readSettings } from './settings.ts';
import type { Signers } from './signers.ts';
import { type VerifiedBundle, verifyFiles, verifyManifest } from './verify.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';

/** The record of an installed bundle. */
export interface InstalledBundle {
  readonly name: string;
  readonly version: string;
  /** The hash of its manifest. */
  readonly digest: string;
  /** Where it was added from; it is updated from there too. */
  readonly from: string;
  /** The name of its signer. */
  readonly signer: string;
  /**
   * What it guarded when it was installed, which its own files cannot change any more; undefined if that is
   * not known.
   */
  readonly guards?: readonly BundleGuard[] | undefined;
}

/**
 * Returns the folder of an installed bundle. Each version has its own, so that a new one never touches the
 * old one.
 */
export const folderOf = (
  { folder }: Pick<BundlePlace, 'folder'>,
  { name, version, digest }: Pick<InstalledBundle, 'name' | 'version' | 'digest'>,
): string => join(folder, `${name}-${version}-${digest.slice(0, 12)}`);

/**
 * Reads what is installed at a level, by name.
 *
 * @throws {BundleError} if that cannot be known
 */
export function readIndex({ index, folder, isFleets }: BundlePlace): Map<string, InstalledBundle> {
  let read: BoundedFile;
  try {
    read = readBounded(index);
  } catch (cause) {
    if (isMissing(cause)) {
      if (isFleets) throw new BundleError('is gone', 'restart this host', { cause });
      if (isBrokenLink(folder))
        throw new BundleError(
          'is in a folder that is a broken link',
          'correct the link, or remove it',
          { cause },
        );
      return new Map();
    }
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new BundleError(`cannot be read (${code})`, 'give this user read permission', { cause });
  }
  if ('refused' in read) throw new BundleError(`is ${read.refused}`, again);
  const unsafe = fileFault(index);
  if (unsafe) throw new BundleError(unsafe.message, unsafe.fix);
  const parsed = parseJson(read.bytes.toString(), true);
  const bundles = 'value' in parsed && isRecord(parsed.value) ? parsed.value['bundles'] : undefined;
  if (!isRecord(bundles) || !Object.entries(bundles).every(isInstalled))
    throw new BundleError('is not a list of bundles', again);
  return new Map(
    Object.entries(bundles as Record<string, Omit<InstalledBundle, 'name'>>).map(
      ([name, bundle]) => [name, { ...bundle, name, guards: readGuards(bundle.guards) }],
    ),
  );
}

const again = 'remove it, and add its bundles again (hookmachine policy add)';

const isInstalled = ([name, bundle]: readonly [string, unknown]): boolean =>
  isBundleName(name) &&
  isRecord(bundle) &&
  isVersion(bundle['version']) &&
  /^[\da-f]{64}$/.test(String(bundle['digest'])) &&
  typeof bundle['from'] === 'string' &&
  typeof bundle['signer'] === 'string';

/** The lock under which the list and the folders of a level are changed. */
export const lockOf = ({ folder }: Pick<BundlePlace, 'folder'>): string => join(folder, '.lock');

/** Replaces the list in one step. */
export function writeIndex({ index }: BundlePlace, bundles: Iterable<InstalledBundle>): void {
  const all = [...bundles];
  // If there is no list, the start of a hook does not look any further.
  if (all.length === 0) return rmSync(index, { force: true });
  const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const entries = sorted.map(({ name, ...bundle }) => [name, bundle]);
  const text = JSON.stringify({ bundles: Object.fromEntries(entries) }, null, 2);
  writeAtomically(index, `${text}\n`, { mode: 0o644 });
}

/** Folders of bundles that the list does not name, with the names of those bundles. */
export function unlistedFolders(
  { folder }: Pick<BundlePlace, 'folder'>,
  listed: ReadonlyMap<string, InstalledBundle>,
): { readonly name: string; readonly folder: string }[] {
  return versionFolders(folder).flatMap((file) => {
    const name = file.replace(versionEnd, '');
    return listed.has(name) ? [] : [{ name, folder: join(folder, file) }];
  });
}

const versionEnd = /-\d+\.\d+\.\d+-[\da-f]{12}$/;

function versionFolders(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => versionEnd.test(file));
  } catch (cause) {
    if (isMissing(cause)) return [];
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new BundleError(
      `is in a folder that cannot be read (${code})`,
      'give this user read permission',
      { cause },
    );
  }
}

/** An installed bundle that is as it was signed. */
export interface InstalledState extends VerifiedBundle {
  readonly settings: BundleSettings;
}

/**
 * Verifies the current state of an installed bundle.
 *
 * @throws {BundleError} if its hooks may not run
 */
export function verifyInstalled(
  place: BundlePlace,
  installed: InstalledBundle,
  signers: Signers,
): InstalledState {
  const files = readFolder(folderOf(place, installed), { isInstalled: true });
  const verified = verifyManifest(files, signers, place.signers);
  const { name, version, digest } = verified.manifest;
  if (name !== installed.name || version !== installed.version || digest !== installed.digest)
    throw new BundleError(
      `is not what was installed, but ${name} ${version}`,
      'remove it and add it again',
    );
  verifyFiles(files, verified.manifest);
  return { ...verified, settings: readSettings(files.get(settingsName)!.bytes) };
}
