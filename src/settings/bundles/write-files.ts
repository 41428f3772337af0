import { chmodSync, closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import type { BundleFiles } from './files.ts';

/**
 * Writes the files of a verified bundle into a new folder, with permissions that do not depend on the umask.
 */
export function writeFiles(into: string, files: BundleFiles): void {
  const folders = new Set([into]);
  for (const [path, { bytes, mode }] of files) {
    const file = join(into, path);
    makeFolder(dirname(file));
    for (let folder = dirname(file); folder !== into; folder = dirname(folder)) folders.add(folder);
    const descriptor = openSync(file, 'wx');
    try {
      writeFileSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    chmodSync(file, Number.parseInt(mode, 8));
  }
  for (const folder of folders) {
    chmodSync(folder, 0o755);
    syncFolder(folder);
  }
}

/** Flushes a folder to disk; otherwise a power failure could leave a name without its files. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
