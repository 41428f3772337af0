import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readBounded } from '../files/read-bounded.ts';
import { mostPacked, readArchive } from './archive.ts';
import { BundleError } from './bundle-error.ts';
import { fetchArchive, isAddress } from './fetch-archive.ts';
import { type BundleFiles, readFolder } from './files.ts';

/** Top-level folders of an author's folder that are not part of the bundle. */
export const notOfIt = ['.git'] as const;

/** Returns a path in the form in which it is recorded; an address stays as it is. */
export const wholePlace = (from: string): string => (isAddress(from) ? from : resolve(from));

/**
 * Reads a bundle into memory from a folder, an archive or an address.
 *
 * @throws {BundleError} if there is none
 */
export async function readSource(from: string): Promise<BundleFiles> {
  if (isAddress(from)) return readArchive(await fetchArchive(from));
  try {
    if (statSync(from).isDirectory()) return readFolder(from, { without: notOfIt });
    const read = readBounded(from, mostPacked);
    if ('refused' in read) throw new BundleError(`is ${read.refused}`, 'name a folder or a .tgz');
    return await readArchive(read.bytes);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw cause;
    throw new BundleError(`cannot be read (${code})`, 'check the path', { cause });
  }
}
