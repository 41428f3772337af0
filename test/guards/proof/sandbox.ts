import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const project = join(here, '../../..');

/** Programs that recorders stand in for. */
const recorded =
  'curl wget http nc ncat scp sftp mail dig nslookup socat telnet ssh ping aws gcloud gsutil rclone gh az kubectl helm terraform tofu pulumi docker docker-compose psql mysql sqlite3 mongosh redis-cli npm pnpm yarn npx cargo twine pip pip3 go crontab systemctl shutdown reboot halt poweroff at sudo su trash jq'.split(
    ' ',
  );

/** What is left of the world after a command. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly called: string;
  readonly sent: string;
  readonly remote: string;
  readonly queries: string;
  readonly left: ReadonlySet<string>;
  readonly refs: ReadonlySet<string>;
}

/** What the guards say of a command. */
export interface Judged {
  readonly command: string;
  readonly answer: 'deny' | 'ask' | 'allow';
  readonly rules: readonly string[];
  readonly ms: number;
}

/** Whether this machine lets us make sandboxes; why not, otherwise. */
export function whyNoSandbox(): string | undefined {
  const tried = spawnSync('unshare', ['-rmnpf', 'bash', '-c', 'mount -t tmpfs none /mnt'], {
    encoding: 'utf8',
  });
  if (tried.error) return tried.error.message;
  return tried.status === 0 ? undefined : tried.stderr.trim();
}

/** Throwaway sandboxes with the same planted world. */
export class Sandboxes {
  readonly #folder = mkdtempSync(join(tmpdir(), 'guards-'));
  #count = 0;

  constructor() {
    const recorders = join(this.#folder, 'recorders');
    mkdirSync(recorders);
    for (const name of recorded) cpSync(join(here, 'recorder.sh'), join(recorders, name));
    const made = spawnSync(
      'unshare',
      ['-rmn', 'bash', join(here, 'world.sh'), join(this.#folder, 'world')],
      { encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`The world could not be planted: ${made.stderr}`);
  }

  /** Runs a command in a sandbox of its own. */
  async run(command: string): Promise<Outcome> {
    const result = join(this.#folder, String(this.#count++));
    mkdirSync(result);
    await this.#start(result, [], command);
    const read = (name: string): string => {
      const file = join(result, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    const lines = (name: string): ReadonlySet<string> =>
      new Set(read(name).split('\n').filter(Boolean));
    const outcome = {
      status: Number(read('status')),
      stdout: read('stdout'),
      stderr: read('stderr'),
      called: read('called'),
      sent: read('sent'),
      remote: read('remote'),
      queries: read('queries'),
      left: lines('left'),
      refs: lines('refs'),
    };
    rmSync(result, { recursive: true, force: true });
    return outcome;
  }

  /** Lets the guards judge commands in the world as it was planted. */
  async judge(commands: readonly string[]): Promise<readonly Judged[]> {
    const result = join(this.#folder, 'judging');
    mkdirSync(result, { recursive: true });
    writeFileSync(join(result, 'commands'), JSON.stringify(commands));
    const stderr = await this.#start(result, [project, dirname(process.execPath)], '');
    const file = join(result, 'judged');
    if (!existsSync(file)) throw new Error(`The guards could not be started: ${stderr}`);
    return JSON.parse(readFileSync(file, 'utf8')) as readonly Judged[];
  }

  #start(result: string, more: readonly string[], command: string): Promise<string> {
    const args = [
      '-rmnpf',
      join(here, 'run.sh'),
      join(this.#folder, 'world'),
      join(this.#folder, 'recorders'),
      result,
      ...more,
    ];
    return new Promise((resolve) => {
      const child = execFile(
        'unshare',
        args,
        { maxBuffer: 64 * 1024 * 1024 },
        (_error, _stdout, stderr) => resolve(stderr),
      );
      child.stdin?.end(command);
    });
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
