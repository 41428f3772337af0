import { lstatSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { makeFolder } from '../../base/folders.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { withLock } from '../../base/file-lock.ts';
import { HookmachineError } from '../../base/errors.ts';
import { newToken } from '../../watch/inspector/serve-feed.ts';
import { isThere } from '../../settings/files/read-files.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { type gatewayState, keptPortOf, serveState } from '../../hosts/parts/relay-entry.ts';
import { stateFolder } from '../../settings/files/levels.ts';

/*
 * The addresses of `serve` and of the gateway, kept in the user's state folder so that what names them in the
 * files of hosts stays valid when they are restarted.
 */

/** Whose address it is. */
type Owner = typeof serveState | typeof gatewayState;

/** Below the ephemeral ports, so that no connection takes the port while `serve` is not running. */
const [firstPort, lastPort] = [20_000, 32_767];

/** The file that holds the token. */
export const tokenFile = (owner: Owner = serveState): string => join(folder(owner), 'token');

function folder(owner: Owner): string {
  const found = stateFolder(owner);
  if (found === undefined)
    throw new HookmachineError(
      'COMMAND_FAILED',
      'there is no home folder to keep the port and the token in: set HOME or XDG_STATE_HOME',
    );
  try {
    makeFolder(found, 0o700);
  } catch (error) {
    throw unusable(found, error);
  }
  return found;
}

/** The token that hosts must send, created when it is first needed; only the user may read it. */
export function keptToken(owner: Owner = serveState): string {
  const file = tokenFile(owner);
  keeping(file, () => {
    // Some clients take the whole file for the secret, with its line end.
    if (!isThere(file)) writeAtomically(file, newToken(), { mode: 0o600 });
  });
  const stats = lstatSync(file);
  const own = process.getuid?.();
  const isOpen = own !== undefined && ((stats.mode & 0o077) !== 0 || stats.uid !== own);
  const token = textIn(file)?.trim() ?? '';
  if (!stats.isFile() || isOpen || !/^[\w-]{32,}$/.test(token))
    throw new HookmachineError(
      'COMMAND_FAILED',
      `the token in ${file} may be known to others, or is not valid: remove the file, and a new token is made`,
    );
  return token;
}

/** The port that hosts' entries name: the one that is kept, or a free one, which is kept from now on. */
export async function keptPort(owner: Owner = serveState): Promise<number> {
  const kept = keptPortOf(owner);
  if (kept !== undefined) return kept;
  for (let tries = 0; tries < 20; tries++) {
    const port = randomInt(firstPort, lastPort);
    if (!(await isFree(port))) continue;
    return keeping(portFile(owner), () => {
      // Another process may have chosen one in the meantime.
      const others = keptPortOf(owner);
      if (others === undefined) writePort(port, owner);
      return others ?? port;
    });
  }
  throw new HookmachineError('COMMAND_FAILED', 'no free port was found: choose one with --port');
}

/** Keeps a port for hosts' entries, and for the next start. */
export function keepPort(port: number, owner: Owner = serveState): void {
  if (keptPortOf(owner) !== port) keeping(portFile(owner), () => writePort(port, owner));
}

const portFile = (owner: Owner): string => join(folder(owner), 'port');

const writePort = (port: number, owner: Owner): void =>
  writeAtomically(portFile(owner), `${port}\n`, { mode: 0o600 });

/** Changes a file that is kept while no other process does. */
function keeping<Result>(file: string, change: () => Result): Result {
  try {
    return withLock(`${file}.lock`, change);
  } catch (error) {
    throw unusable(file, error);
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });

const unusable = (file: string, cause: unknown): HookmachineError =>
  new HookmachineError('COMMAND_FAILED', `${file} cannot be written: ${(cause as Error).message}`, {
    cause,
  });
