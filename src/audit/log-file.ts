import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** How much is kept where nothing else is said. */
const mostBytes = 10 * 1024 * 1024;
const mostKept = 5;

interface Limits {
  readonly maxBytes?: number;
  readonly keep?: number;
}

/**
 * Appends a line to a log, which several processes may write. One that would grow too large is put aside
 * under another name, `log.1763880000000-4711`, and of those the oldest go.
 *
 * @throws what keeps the line from being written
 */
export function appendLine(
  file: string,
  line: string,
  { maxBytes = mostBytes, keep = mostKept }: Limits = {},
): void {
  const bytes = Buffer.from(`${line}\n`);
  let fd = openLog(file);
  try {
    const { size, ino } = fstatSync(fd);
    if (size > 0 && size + bytes.length > maxBytes) {
      closeSync(fd);
      putAside(file, ino, keep);
      fd = openLog(file);
    }
    // Whoever wrote before may have been killed in the middle of a line, or had no room for it.
    const torn = isTorn(fd) ? '\n' : '';
    const whole = Buffer.concat([Buffer.from(torn), bytes]);
    const written = writeSync(fd, whole);
    if (written < whole.length) throw new Error('the disk is full');
  } finally {
    closeSync(fd);
  }
}

/** Neither follows a link nor waits for the other end of a pipe. */
function openLog(file: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  let fd: number;
  try {
    fd = openSync(file, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fd = openSync(file, flags, 0o600);
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error('it is not a file');
}

function isTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}

/** Another process may have done so already: then another file has the name. */
function putAside(file: string, ino: number, keep: number): void {
  if (statSync(file, { throwIfNoEntry: false })?.ino !== ino) return;
  renameSync(file, `${file}.${Date.now()}-${process.pid}`);
  const [folder, name] = [dirname(file), basename(file)];
  const old = readdirSync(folder)
    .filter((one) => one.startsWith(`${name}.`) && /^\d+-\d+$/.test(one.slice(name.length + 1)))
    .toSorted();
  for (const one of old.slice(0, Math.max(0, old.length - keep)))
    rmSync(join(folder, one), { force: true });
}
