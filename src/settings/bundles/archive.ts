import { gunzipSync } from 'node:zlib';
import { create, Parser, type ReadEntry } from 'tar';
import { BundleError } from './bundle-error.ts';
import type { BundleFile, BundleFiles } from './files.ts';
import { most } from './limits.ts';
import { manifestName, signatureName } from './manifest.ts';

/**
 * The largest unpacked size of an archive, in bytes: that of the largest bundle, plus what tar adds to each
 * file.
 */
const mostUnpacked = most.bytes + (most.files + 100) * 4 * 512;

/** The largest packed size, in bytes. */
export const mostPacked = mostUnpacked;

/**
 * Reads a .tgz without writing anything to disk. Its paths serve only as keys, and count only if the manifest
 * lists them too. All files may be inside one top-level folder.
 *
 * @throws {BundleError} if it is not a .tgz, is too large, or holds anything but files and folders
 */
export async function readArchive(packed: Buffer): Promise<BundleFiles> {
  let bytes: Buffer;
  try {
    bytes = gunzipSync(packed, { maxOutputLength: mostUnpacked });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new BundleError(
      isTooLarge ? 'is too large once unpacked' : 'is not a .tgz',
      'pack it with hookmachine policy pack',
      { cause },
    );
  }
  const entries = await entriesOf(bytes);
  const manifest = entries.find(({ path }) => /^(?:[^/]+\/)?bundle\.json$/.test(path));
  const prefix = manifest?.path.slice(0, -manifestName.length) ?? '';
  const files = new Map<string, BundleFile>();
  for (const { path, ...file } of entries) {
    const inner = path.startsWith(prefix) ? path.slice(prefix.length) : path;
    if (files.has(inner)) throw odd(`holds ${JSON.stringify(inner)} twice`);
    files.set(inner, file);
  }
  return files;
}

interface Entry extends BundleFile {
  readonly path: string;
}

async function entriesOf(bytes: Buffer): Promise<Entry[]> {
  const found: Promise<Entry>[] = [];
  let fault: BundleError | undefined;
  const take = (entry: ReadEntry): void => {
    const path = entry.path.replace(/^(?:\.\/)+/, '');
    const isFile = entry.type === 'File' || entry.type === 'OldFile';
    if (!isFile && entry.type !== 'Directory')
      fault ??= odd(`holds ${JSON.stringify(path)}, which is not a file (${entry.type})`);
    if (/^\/|(?:^|\/)\.\.(?:\/|$)|\\/.test(path))
      fault ??= odd(`holds ${JSON.stringify(path)}, which leads outside it`);
    if (found.length > most.files + 2) fault ??= odd(`has more than ${most.files} files`);
    if (!isFile || fault) {
      entry.resume();
      return;
    }
    const mode = ((entry.mode ?? 0) & 0o100) === 0 ? '644' : '755';
    found.push(entry.concat().then((content) => ({ path, mode, bytes: content })));
  };
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({ strict: true, onReadEntry: take });
    parser.on('end', resolve).on('error', reject);
    parser.end(bytes);
  }).catch((cause: unknown) => {
    throw new BundleError('is not a .tgz', 'pack it with hookmachine policy pack', { cause });
  });
  if (fault) throw fault;
  return Promise.all(found);
}

const odd = (message: string): BundleError =>
  new BundleError(message, 'pack it with hookmachine policy pack');

/** Packs a signed bundle as a .tgz. The same bundle always gives the same bytes. */
export async function archiveOf(
  folder: string,
  paths: readonly string[],
  prefix: string,
): Promise<Buffer> {
  const options = { gzip: { portable: true }, portable: true, mtime: new Date(0), cwd: folder };
  const pack = create({ ...options, prefix, noDirRecurse: true }, [
    manifestName,
    signatureName,
    ...paths.toSorted(),
  ]);
  return pack.concat();
}
