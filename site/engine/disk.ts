import { posix } from 'path-browserify';

/*
 * `node:fs` in a browser: a few files in memory that can be read. Whatever would change one fails as on a disk that is
 * read-only.
 */

let files: ReadonlyMap<string, Uint8Array> = new Map();
const opened = new Map<number, { readonly path: string; at: number }>();
let lastOpened = 2;

/** Puts these files, by their absolute paths, in the place of all others. */
export function useFiles(texts: Readonly<Record<string, string>>): void {
  const encoder = new TextEncoder();
  files = new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]));
}

export const constants = { O_RDONLY: 0, O_NONBLOCK: 2048, R_OK: 4, X_OK: 1, F_OK: 0 };

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: '${path}'`), { code, path });

const pathOf = (path: string | URL): string =>
  posix.resolve('/', typeof path === 'string' ? path : path.pathname);

const isFolder = (path: string): boolean =>
  path === '/' || [...files.keys()].some((file) => file.startsWith(`${path}/`));

interface Options {
  readonly throwIfNoEntry?: boolean;
  readonly withFileTypes?: boolean;
}

export function statSync(given: string | URL, { throwIfNoEntry = true }: Options = {}) {
  const path = pathOf(given);
  const bytes = files.get(path);
  if (bytes === undefined && !isFolder(path)) {
    if (!throwIfNoEntry) return undefined;
    throw failure('ENOENT', path);
  }
  return {
    dev: 1,
    ino: [...files.keys()].indexOf(path) + 1,
    // Nobody but its owner, root, may write to it.
    mode: bytes ? 0o100755 : 0o40755,
    uid: 0,
    gid: 0,
    size: bytes?.length ?? 0,
    mtimeMs: 0,
    ctimeMs: 0,
    isFile: () => bytes !== undefined,
    isDirectory: () => bytes === undefined,
    isSymbolicLink: () => false,
  };
}

export const lstatSync = statSync;
export const existsSync = (path: string | URL): boolean =>
  statSync(path, { throwIfNoEntry: false }) !== undefined;

export function realpathSync(path: string): string {
  statSync(path);
  return pathOf(path);
}
realpathSync.native = realpathSync;

export function readdirSync(given: string, { withFileTypes = false }: Options = {}) {
  const path = pathOf(given);
  if (!statSync(path)!.isDirectory()) throw failure('ENOTDIR', path);
  const start = path === '/' ? '/' : `${path}/`;
  const names = new Set(
    [...files.keys()]
      .filter((file) => file.startsWith(start))
      .map((file) => file.slice(start.length).split('/')[0]!),
  );
  if (!withFileTypes) return [...names];
  return [...names].map((name) => ({ name, parentPath: path, ...statSync(start + name)! }));
}

export function readFileSync(given: string | URL, options?: string | { encoding?: string }) {
  const path = pathOf(given);
  const bytes = files.get(path);
  if (bytes === undefined) throw failure(isFolder(path) ? 'EISDIR' : 'ENOENT', path);
  return options === undefined ? Buffer.from(bytes) : new TextDecoder().decode(bytes);
}

export function openSync(given: string, flags: number | string = 'r'): number {
  const path = pathOf(given);
  if (path === '/dev/null') return ++lastOpened;
  if (flags !== 'r' && (Number(flags) & 3) !== 0) throw failure('EROFS', path);
  statSync(path);
  opened.set(++lastOpened, { path, at: 0 });
  return lastOpened;
}

export function readSync(
  descriptor: number,
  into: Uint8Array,
  offset = 0,
  length = into.length - offset,
  position: number | null = null,
): number {
  const file = opened.get(descriptor)!;
  const from = position ?? file.at;
  const piece = files.get(file.path)!.subarray(from, from + length);
  into.set(piece, offset);
  if (position === null) file.at += piece.length;
  return piece.length;
}

export const fstatSync = (descriptor: number) => statSync(opened.get(descriptor)!.path);
export const closeSync = (descriptor: number): void => void opened.delete(descriptor);

export function readlinkSync(path: string): never {
  statSync(path);
  throw failure('EINVAL', path);
}

const readOnly = (path: unknown): never => {
  throw failure('EROFS', String(path));
};

export {
  readOnly as appendFileSync,
  readOnly as fchmodSync,
  readOnly as fchownSync,
  readOnly as fsyncSync,
  readOnly as mkdirSync,
  readOnly as mkdtempSync,
  readOnly as renameSync,
  readOnly as rmSync,
  readOnly as watch,
  readOnly as writeFileSync,
  readOnly as writeSync,
  readOnly as open,
};
