import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../errors.ts';
import { writeAtomically } from '../atomic-file.ts';
import { isRecord } from '../protocol/output.ts';
import type { BundlePlace } from '../settings/levels.ts';
import { isVersion } from '../settings/managed.ts';
import { parseJson } from '../settings/parse-json.ts';
import { type BoundedFile, readBounded } from '../settings/read-bounded.ts';
import { fileFault } from '../trust/safe-file.ts';
import { attempt, BundleError } from './bundle-error.ts';
import { sha256 } from './digest.ts';
import { readFolder } from './files.ts';
import { isBundleName, settingsName } from './manifest.ts';
import { type BundleSettings, readSettings } from './settings.ts';
import type { Signers } from './signers.ts';
import { type VerifiedBundle, verifyFiles, verifyManifest } from './verify.ts';

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
export function readIndex({ index, isFleets }: BundlePlace): Map<string, InstalledBundle> {
  let read: BoundedFile;
  try {
    read = readBounded(index);
  } catch (cause) {
    if (isMissing(cause)) {
      if (isFleets) throw new BundleError('is gone', 'restart this host', { cause });
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
      ([name, bundle]) => [name, { ...bundle, name }],
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

/** An installed bundle whose settings are as they were signed. */
export interface InstalledState extends VerifiedBundle {
  readonly settings: BundleSettings;
  /** Why its hooks may not run nevertheless. */
  readonly fault?: BundleError;
}

/**
 * Verifies the current state of an installed bundle.
 *
 * @throws {BundleError} if its hooks cannot be known
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
  const changed = attempt(() => verifyFiles(files, verified.manifest));
  const bytes = files.get(settingsName)?.bytes;
  const isKnown =
    bytes !== undefined && sha256(bytes) === verified.manifest.files.get(settingsName)!.sha256;
  if ('fault' in changed && !isKnown) throw changed.fault;
  return { ...verified, settings: readSettings(bytes!), ...('fault' in changed && changed) };
}
