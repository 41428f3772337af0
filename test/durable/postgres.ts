import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root: root runs it as the server's own user. */
export const asUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];

/** The folder in which a distribution keeps the server's programs; undefined if there is none. */
const programs = ((): string | undefined => {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0];
  const folder = newest === undefined ? undefined : join(root, newest, 'bin');
  return folder !== undefined && existsSync(join(folder, 'initdb')) ? folder : undefined;
})();

/** Why no server can run here; undefined if one can. */
export const noServer: string | undefined =
  programs === undefined
    ? 'PostgreSQL is not installed: apt-get install postgresql'
    : isRoot && execaSync('id', ['postgres'], { reject: false }).exitCode !== 0
      ? 'there is no user postgres to run PostgreSQL as'
      : undefined;

const run = (program: string, args: readonly string[]) => {
  const [command, ...rest] = [...asUser, join(programs!, program), ...args];
  return execa(command!, rest, { cwd: '/', stdio: 'ignore' });
};

/** A server in a folder of its own, which listens on this machine only. */
export class Postgres {
  readonly #folder: string;
  readonly port: number;

  readonly #settings: readonly string[];

  private constructor(folder: string, port: number, settings: readonly string[]) {
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  /** Starts a server, whose settings are given as `name=value`. */
  static async start(...settings: readonly string[]): Promise<Postgres> {
    const folder = emptyFolder();
    const server = new Postgres(folder, await freePort(), settings);
    await run('initdb', ['--no-sync', '-A', 'trust', '-U', 'postgres', '-D', join(folder, 'data')]);
    await server.begin();
    return server;
  }

  /** Starts the server, or restarts it. */
  async begin(): Promise<void> {
    const options = `-p ${this.port} -h 127.0.0.1 -k ${this.#folder} -c fsync=off${this.#settings.map((one) => ` -c ${one}`).join('')}`;
    const log = join(this.#folder, 'log');
    await run('pg_ctl', [
      '-w',
      '-D',
      join(this.#folder, 'data'),
      '-l',
      log,
      '-o',
      options,
      'start',
    ]);
  }

  /** Starts a standby that follows this server, asynchronously unless this server demands otherwise. */
  async standby(): Promise<Postgres> {
    const folder = emptyFolder();
    const standby = new Postgres(folder, await freePort(), this.#settings);
    const from = `host=127.0.0.1 port=${this.port} user=postgres`;
    await run('pg_basebackup', ['-R', '-c', 'fast', '-N', '-d', from, '-D', join(folder, 'data')]);
    await standby.begin();
    return standby;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await run('pg_ctl', ['-w', '-D', join(this.#folder, 'data'), 'promote']);
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    await run('pg_ctl', ['-w', '-D', join(this.#folder, 'data'), '-m', 'immediate', 'stop']);
  }

  /** Dumps one database into another, which must exist and be empty. */
  async copy(from: string, into: string): Promise<void> {
    const file = join(this.#folder, `${into}.dump`);
    await run('pg_dump', ['-Fc', '-f', file, this.url(from)]);
    await run('pg_restore', ['--exit-on-error', '-d', this.url(into), file]);
  }

  async end(): Promise<void> {
    await this.kill().catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }
}

/** A folder that the server's user may write to. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine-postgres-'));
  if (isRoot) execaSync('chown', ['postgres', folder]);
  chmodSync(folder, 0o700);
  return folder;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether something listens on a port of this machine. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
