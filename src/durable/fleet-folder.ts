import { createHash } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/folders.ts';
import { attempt, isBundleError } from '../settings/bundles/bundle-error.ts';
import { type BundleFiles, readFolder } from '../settings/bundles/files.ts';
import { guardsIn } from '../settings/bundles/guards.ts';
import { settingsName } from '../settings/bundles/manifest.ts';
import {
  folderOf,
  type InstalledBundle,
  lockOf,
  readIndex,
  writeIndex,
} from '../settings/bundles/installed.ts';
import { readSigners } from '../settings/bundles/signers.ts';
import { verifyBundle } from '../settings/bundles/verify.ts';
import { syncFolder, writeFiles } from '../settings/bundles/write-files.ts';
import { homeFolder } from '../settings/files/levels.ts';
import { withLock } from '../base/file-lock.ts';
import type { UsedBundle } from './database/bundles.ts';
import type { CallStore } from './database/store.ts';
import type { BundlePlace } from '../core/definitions/settings.ts';
import { temporaryFolder } from '../base/surroundings.ts';

/**
 * Returns the user's folder for the bundles of a database or a hub. The password is not part of its identity.
 */
export function fleetFolder(address: string): string {
  const name = new URL(address);
  name.password = '';
  const key = createHash('sha256').update(name.href).digest('hex').slice(0, 16);
  return join(homeFolder() ?? temporaryFolder(), '.hookmachine', 'fleets', key);
}

/**
 * Installs the bundles that a fleet uses in the folder from which they run. Nothing is written unless it is
 * signed by someone whom this machine's administrator trusts: write access to the database must not decide
 * what runs here.
 *
 * @throws if one of them may not run
 */
export async function bringBundles(
  store: CallStore,
  place: BundlePlace,
  used: readonly UsedBundle[],
): Promise<void> {
  const signers = readSigners(place.trusts);
  const brought: (readonly [InstalledBundle, BundleFiles])[] = [];
  for (const { name, version, digest } of used) {
    const listed = await store.bundleFiles(digest);
    const files = new Map(listed.map(({ path, mode, bytes }) => [path, { mode, bytes }]));
    const verified = attempt(() => verifyBundle(files, signers, place.signers));
    if ('fault' in verified)
      throw new Error(`${name} ${version} ${verified.fault.message}; ${verified.fault.fix}`);
    const { signer, manifest } = verified.value;
    if (manifest.digest !== digest) throw new Error(`${name} ${version} is not the bundle that was pushed`); // prettier-ignore
    const guards = guardsIn(files.get(settingsName)!.bytes);
    const from = 'the database';
    brought.push([{ name, version, digest, signer: signer.name, from, guards }, files]);
  }
  makeFolder(place.folder, 0o755);
  withLock(lockOf(place), () => {
    for (const [bundle, files] of brought) putThere(place, bundle, files);
    const before = attempt(() => [...readIndex(place).values()]);
    const bundles = brought.map(([bundle]) => bundle);
    writeIndex(place, bundles);
    // Other hosts may still be running the hooks of the previous version.
    const kept = 'fault' in before ? bundles : [...before.value, ...bundles];
    removeAllBut(
      place,
      kept.map((bundle) => folderOf(place, bundle)),
    );
  });
}

function putThere(place: BundlePlace, bundle: InstalledBundle, files: BundleFiles): void {
  const folder = folderOf(place, bundle);
  if (isThere(folder, files)) return;
  const draft = join(place.folder, `.${process.pid}-${crypto.randomUUID()}`);
  try {
    writeFiles(draft, files);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
    syncFolder(place.folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a folder holds exactly these files. If anything in it was changed, the bundle is written again. */
function isThere(folder: string, files: BundleFiles): boolean {
  try {
    const there = readFolder(folder, { isInstalled: true });
    return (
      there.size === files.size &&
      [...files].every(([path, { bytes, mode }]) => {
        const file = there.get(path);
        return file !== undefined && file.mode === mode && file.bytes.equals(bytes);
      })
    );
  } catch (error) {
    if (isBundleError(error)) return false;
    throw error;
  }
}

function removeAllBut({ folder, index }: BundlePlace, kept: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith('.') && path !== index && !kept.includes(path))
      rmSync(path, { recursive: true, force: true });
  }
}
