import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { waitUntil } from '../support/until.ts';
import { asUser, freePort, isListening, type Postgres } from './postgres.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** Why no pooler can run here; undefined if one can. */
export const noPooler: string | undefined =
  program === undefined ? 'PgBouncer is not installed: apt-get install pgbouncer' : undefined;

interface Running {
  kill(signal: NodeJS.Signals): boolean;
}

/** PgBouncer in front of a server. */
export class Pooler {
  readonly #folder: string;
  readonly #port: number;
  readonly #process: Running;

  private constructor(folder: string, port: number, process: Running) {
    this.#folder = folder;
    this.#port = port;
    this.#process = process;
  }

  static async start(server: Postgres, mode: 'transaction' | 'session', size: number) {
    const folder = mkdtempSync(join(tmpdir(), 'hookmachine-pooler-'));
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 2000
`,
    );
    if (asUser.length > 0) execaSync('chown', ['-R', 'postgres', folder]);
    chmodSync(folder, 0o700);
    const [command, ...args] = [...asUser, program!, '-q', file];
    const running = execa(command, args, { cwd: '/', stdio: 'ignore', reject: false });
    await waitUntil(() => isListening(port));
    return new Pooler(folder, port, running);
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  end(): void {
    this.#process.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
