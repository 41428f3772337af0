import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';

/** The path of a user's file, in which `%u` stands for the user's name. */
export const ofUser = (path: string, user: string): string =>
  path.replaceAll('%u', () => user.replaceAll(/[^\w.-]/g, '_'));

/** The default limits: the size of a file in bytes, and the number of old files. */
const mostBytes = 10 * 1024 * 1024;
const mostKept = 5;

interface Limits {
  readonly maxBytes?: number;
  readonly keep?: number;
}

/** How long a file is assumed to still have its name, in ms: a check takes as long as a write. */
const certainFor = 20;

interface Opened {
  readonly fd: number;
  readonly ino: number;
  /** Its size after our last line: a different size means that another process wrote to it. */
  size: number;
  /** The time until which it is not checked whether the file still has its name. */
  certainUntil: number;
}

/**
 * A log that several processes may write. Each line is in the file before `append` returns, so a process may
 * be killed at any time. A file that would grow too large is put aside under another name,
 * `log.1763880000000-4711`, and the oldest of those are removed.
 */
export class LogFile {
  readonly #file: string;
  readonly #limits: Required<Limits>;
  #open: Opened | undefined;

  constructor(file: string, { maxBytes = mostBytes, keep = mostKept }: Limits = {}) {
    this.#file = file;
    this.#limits = { maxBytes, keep };
  }

  /**
   * Appends a line, or several; `first` is the line that a new file begins with.
   *
   * @throws the error that prevented it from being written
   */
  append(line: string, first?: string): void {
    const { maxBytes, keep } = this.#limits;
    let open = this.#current();
    let bytes = Buffer.from(`${line}\n`);
    if (open.size > 0 && open.size + bytes.length > maxBytes) {
      putAside(this.#file, open.ino, keep);
      open.certainUntil = 0;
      open = this.#current();
    }
    const { size } = open;
    if (size === 0 && first !== undefined) bytes = Buffer.from(`${first}\n${line}\n`);
    // Until the line is written, the end of the file is unknown.
    open.size = -1;
    const written = writeSync(open.fd, bytes);
    if (written < bytes.length) throw new Error('the disk is full');
    open.size = size + written;
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  /** Returns the file that has the name now; another process may have put ours aside or removed it. */
  #current(): Opened {
    const open = this.#open;
    const time = performance.now();
    if (open !== undefined && open.size !== -1 && time < open.certainUntil) return open;
    const now = lstatSync(this.#file, { throwIfNoEntry: false });
    if (open !== undefined && now?.ino === open.ino) {
      if (now.size !== open.size) endTorn(open, now.size);
      open.certainUntil = time + certainFor;
      return open;
    }
    this.close();
    const { fd, ino, size } = openLog(this.#file);
    const opened: Opened = { fd, ino, size: -1, certainUntil: time + certainFor };
    this.#open = opened;
    endTorn(opened, size);
    return opened;
  }
}

/** Opens the log. It neither follows a link nor waits for the other end of a pipe. */
function openLog(file: string): Pick<Stats, 'ino' | 'size'> & { readonly fd: number } {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  let fd: number;
  try {
    fd = openSync(file, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(file), 0o700);
    fd = openSync(file, flags, 0o600);
  }
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, ino: stats.ino, size: stats.size };
  closeSync(fd);
  throw new Error('it is not a file');
}

/** Ends a torn line: the previous writer may have been killed in the middle of it, or had no room for it. */
function endTorn(open: Opened, size: number): void {
  const last = Buffer.alloc(1);
  const isTorn =
    size > 0 && readSync(open.fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
  open.size = isTorn ? size + writeSync(open.fd, '\n') : size;
}

/** Puts a full file aside, unless another process has already done so: then another file has the name. */
function putAside(file: string, ino: number, keep: number): void {
  if (statSync(file, { throwIfNoEntry: false })?.ino !== ino) return;
  let at = Date.now();
  const aside = (): string => `${file}.${at}-${process.pid}`;
  while (existsSync(aside())) at++;
  try {
    renameSync(file, aside());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  const [folder, name] = [dirname(file), basename(file)];
  const old = readdirSync(folder)
    .filter((one) => one.startsWith(`${name}.`) && /^\d+-\d+$/.test(one.slice(name.length + 1)))
    .toSorted();
  for (const one of old.slice(0, Math.max(0, old.length - keep)))
    rmSync(join(folder, one), { force: true });
}
