import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { onTestFinished, vi } from 'vitest';
import type { createConfig } from '../../src/index.ts';
import '../build.ts';
import { waitUntil } from '../support/until.ts';
import { folderOf } from '../frameworks/installed.ts';
import { folder } from './installed.ts';
import type { Client, Installed } from './load-installed.ts';
import { isListening, type Postgres } from './postgres.ts';

/**
 * Gates: a host that reaches a gate waits within its statement for a lock that the test holds, so that it can
 * be killed at exactly that point. As long as no point is named, all gates are open.
 */
const gates = `
  create table gate (point text primary key);
  grant select on gate to public;
  create function pass_gate(at text) returns void language plpgsql as $$ begin
    if exists (select from gate where point = at) then
      perform pg_advisory_xact_lock(4242);
    end if;
  end $$;
  create function at_effect() returns trigger language plpgsql as $$ begin
    perform pass_gate(tg_argv[0] || ' ' || new.name);
    return new;
  end $$;
  create function at_row() returns trigger language plpgsql as $$ begin
    perform pass_gate(tg_argv[0]);
    return new;
  end $$;
  create trigger g1 before insert on hookmachine.effects for each row execute function at_effect('claim');
  create trigger g2 after insert on hookmachine.effects for each row execute function at_effect('claimed');
  create trigger g3 before update of outcome on hookmachine.effects for each row execute function at_effect('record');
  create trigger g4 before insert on hookmachine.approvals for each row execute function at_row('list');
  create trigger g5 after update on hookmachine.calls for each row when (new.status = 'ended') execute function at_row('ended');
`;

/** Makes the database of which every scene has a copy. */
export async function makeTemplate(
  server: Postgres,
  { Client, durable }: Installed,
): Promise<void> {
  await once(server, Client, 'postgres', 'create database migrated');
  await durable.migrateDatabase(server.url('migrated'));
  await once(server, Client, 'migrated', gates);
}

async function once(
  server: Postgres,
  Client: Installed['Client'],
  database: string,
  text: string,
): Promise<void> {
  const client = new Client({ connectionString: server.url(database) });
  await client.connect();
  await client.query(text);
  await client.end();
}

let made = 0;

/** Whether hosts reach the database through a hub: every row of the failure table must hold there, too. */
const isThroughHub = process.env['DURABLE_STORE'] === 'hub';

/**
 * A hook that records that it started, waits as long as `hold-NAME` exists, and prints the contents of
 * NAME.json.
 */
const script = (name: string): string => `#!/bin/sh
cat >> ${name}.input
echo started >> ${name}.log
while [ -e hold-${name} ]; do sleep 0.05; done
cat ${name}.json
`;

/** The hooks of a scene's project, by event, with their answers. */
export type Hooks = Readonly<Record<string, Readonly<Record<string, object>>>>;

const ask = { decision: 'ask', reason: 'May it?' };

export const asking: Hooks = { 'tool.before': { guard: ask }, 'tool.after': { audit: {} } };

/** How the command ended. */
interface Ended {
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in a process of its own. */
interface Host extends Promise<Ended> {
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: NodeJS.Signals): boolean;
}

/** A project with hooks, a database, and hosts that work on it. */
export class Scene {
  readonly project: string;
  readonly url: string;
  readonly #server: Postgres;
  readonly #installed: Installed;
  readonly #hosts: Host[] = [];
  #holder: Client | undefined;
  /** What hosts are given to reach the hub, if the scene has one. */
  #hub: { readonly url: string; readonly token: string } | undefined;

  private constructor(server: Postgres, installed: Installed, database: string, project: string) {
    this.#server = server;
    this.#installed = installed;
    this.url = server.url(database);
    this.project = project;
  }

  static async make(server: Postgres, installed: Installed, hooks: Hooks = asking): Promise<Scene> {
    const database = `t${++made}`;
    const home = mkdtempSync(join(tmpdir(), 'hookmachine durable '));
    const project = join(home, 'project');
    await once(
      server,
      installed.Client,
      'postgres',
      `create database ${database} template migrated`,
    );
    const scene = new Scene(server, installed, database, project);
    mkdirSync(join(project, '.hookmachine'), { recursive: true });
    vi.stubEnv('HOME', home);
    scene.setHooks(hooks);
    if (isThroughHub) await scene.joinHub();
    onTestFinished(async () => {
      for (const host of scene.#hosts) host.kill('SIGKILL');
      await Promise.allSettled(scene.#hosts);
      await scene.#holder?.end().catch(() => undefined);
      vi.unstubAllEnvs();
      rmSync(home, { recursive: true, force: true });
    });
    return scene;
  }

  /** Has all hosts from now on reach the database through a hub only. */
  async joinHub(
    port = '0',
    database = this.url,
    ...options: readonly string[]
  ): Promise<{ readonly url: string; readonly token: string }> {
    const isServed = port !== '0' && (await isListening(Number(port)));
    const url = isServed
      ? `http://127.0.0.1:${port}`
      : await this.serveHub(port, database, ...options).url;
    const invited = await this.run('hub', 'machines', 'invite', 'm', '--workspace', '*', '--json');
    const { code } = JSON.parse(invited.stdout) as { code: string };
    const response = await fetch(`${url}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code }) }); // prettier-ignore
    const { value } = (await response.json()) as { value: { token: string } };
    return (this.#hub = { url, token: value.token });
  }

  /** Serves a hub in a process of its own, on this port or a free one. */
  serveHub(port = '0', database = this.url, ...options: readonly string[]) {
    const args = [this.#installed.command, 'hub', 'serve', '--port', port, '--json', ...options];
    const host = this.#start(args, { HOOKMACHINE_DATABASE_URL: database });
    let said = '';
    host.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const url = waitUntil(() => /"url":"([^"]+)"/.exec(said)?.[1]) as Promise<string>;
    return { host, url };
  }

  setHooks(hooks: Hooks): void {
    const events = Object.entries(hooks).map(([event, named]) => [
      event,
      [
        {
          hooks: Object.keys(named).map((name) => ({
            type: 'command',
            name,
            command: `./${name}.sh`,
          })),
        },
      ],
    ]);
    for (const [name, answer] of Object.values(hooks).flatMap((named) => Object.entries(named))) {
      writeFileSync(join(this.project, `${name}.sh`), script(name));
      chmodSync(join(this.project, `${name}.sh`), 0o755);
      writeFileSync(join(this.project, `${name}.json`), JSON.stringify(answer));
    }
    const settings = { hooks: Object.fromEntries(events) as object };
    writeFileSync(join(this.project, '.hookmachine/settings.json'), JSON.stringify(settings));
  }

  /** Makes a hook, or the tool, wait until `release`. */
  hold(name: string): void {
    writeFileSync(join(this.project, `hold-${name}`), '');
  }

  release(name: string): void {
    rmSync(join(this.project, `hold-${name}`));
  }

  read(file: string): string {
    const path = join(this.project, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** How often a hook or the tool was started, as seen from outside. */
  starts(name: string): number {
    return this.read(`${name}.log`).split('\n').length - 1;
  }

  /** Runs the command in a process of its own. */
  run(...args: readonly string[]): Host {
    return this.#start([this.#installed.command, ...args]);
  }

  /** Runs an agent's host in a process of its own: see chat-host.mjs. */
  chat(order: object): Host {
    return this.#start([join(folder, 'chat-host.mjs'), JSON.stringify(order)]);
  }

  /**
   * Runs the host of a framework's agent in a process of its own: see durable-host.mjs in the folder of the
   * framework.
   */
  agent(framework: string, order: object): Host {
    return this.#start([join(folderOf(framework), 'durable-host.mjs'), JSON.stringify(order)]);
  }

  /** A user of this scene with a home of their own, and no access to the database. */
  user(name: string) {
    const home = join(dirname(this.project), name);
    mkdirSync(home, { recursive: true });
    const run = (first: string | { readonly input: string }, ...rest: readonly string[]): Host => {
      const [words, input] =
        typeof first === 'string' ? [[first, ...rest], ''] : [rest, first.input];
      return this.#start([this.#installed.command, ...words], { HOME: home }, input);
    };
    return { home, run };
  }

  /** Has hosts join a hub anew, if they reach the database through one: earlier versions know of none. */
  async joinAgain(): Promise<void> {
    if (this.#hub) await this.joinHub();
  }

  /** Has hosts reach the database themselves again. */
  leaveHub(): void {
    this.#hub = undefined;
  }

  /** The token of the machine that has joined the hub. */
  get hubToken(): string {
    return this.#hub!.token;
  }

  #start(args: readonly string[], given?: Readonly<Record<string, string>>, input = ''): Host {
    const isHost = ['call', 'worker'].includes(args[1] ?? '');
    const place =
      this.#hub && isHost
        ? { HOOKMACHINE_HUB: this.#hub.url, HOOKMACHINE_HUB_TOKEN: this.#hub.token }
        : { HOOKMACHINE_DATABASE_URL: this.url };
    const host = execa('node', args, {
      cwd: this.project,
      env: { ...(given ?? place), HOOKMACHINE_TRUST: '1' },
      reject: false,
      input,
    });
    this.#hosts.push(host);
    return host;
  }

  /** Runs a command that serves a page until the test ends, and returns the page's address. */
  async page(...args: readonly string[]): Promise<string> {
    const serving = this.run(...args);
    let said = '';
    serving.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return (await waitUntil(() => /http:\S+/.exec(said)?.[0]))!;
  }

  /**
   * Runs a host that calls a tool. The tool records that it started, and waits as long as `hold-tool` exists.
   */
  call(id = 'c-1', ...options: readonly string[]) {
    const input = JSON.stringify({ command: toolCommand });
    const named = ['--id', id, '--workspace', 'w', ...options];
    return this.run('call', 'run_shell_command', '--input', input, ...named);
  }

  worker(...options: readonly string[]) {
    return this.run('worker', '--workspace', 'w', ...options);
  }

  /** Connects another host, in the process of the test, until the test ends. */
  async connect(
    config: Partial<Parameters<typeof createConfig>[0]> = {},
    options: {
      readonly lostAfter?: number;
      readonly database?: string;
      readonly workspaceConcurrency?: number;
      readonly requireStandby?: boolean;
    } = {},
  ) {
    const { createConfig: configOf, builtInTools: tools, durable } = this.#installed;
    const host = await durable.connectDurable({
      ...(this.#hub ? { hub: this.#hub } : { database: this.url }),
      config: configOf({
        cwd: this.project,
        systemFolder: '/proc/nothing',
        onWarning: () => undefined,
        ...config,
      }),
      tools: tools(),
      workspace: 'w',
      ...options,
    });
    onTestFinished(() => host.close());
    return host;
  }

  /** The same, but the host also works on calls until the test ends. */
  async work(options: Parameters<Scene['connect']>[1] = {}) {
    const host = await this.connect({}, options);
    const stop = new AbortController();
    const working = host.work(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await working;
    });
    return host;
  }

  /** Opens the records of the database. */
  async records() {
    const records = await this.#installed.durable.openRecords(this.url);
    onTestFinished(() => records.close());
    return records;
  }

  /** Opens the records of a dumped and restored copy of the database. */
  async restored() {
    const database = `restored${++made}`;
    await once(this.#server, this.#installed.Client, 'postgres', `create database ${database}`);
    await this.#server.copy(new URL(this.url).pathname.slice(1), database);
    const records = await this.#installed.durable.openRecords(this.#server.url(database));
    onTestFinished(() => records.close());
    return records;
  }

  async query(text: string, values: readonly unknown[] = []) {
    return (await (await this.#client()).query(text, values)).rows;
  }

  /** Removes from the tables what later versions added, and keeps the rows. */
  async takeBackTo(version: 1 | 2 | 3 | 4 | 5): Promise<void> {
    await this.query(`
      drop table hookmachine.session_entries, hookmachine.session_journals, hookmachine.sessions, hookmachine.votes, hookmachine.notices, hookmachine.chain, hookmachine.intake, hookmachine.tokens, hookmachine.grants, hookmachine.people, hookmachine.machines;
      alter table hookmachine.bundle_uses drop column share;
      alter table hookmachine.calls drop column machine, drop column sealed;
      alter table hookmachine.approvals drop column answered_through, drop column edited, drop column risk;
      delete from hookmachine.version where version > ${version}`);
    if (version === 5) return;
    await this.query(`
      alter table hookmachine.hosts add column backend integer not null default 0,
        drop column instance, drop column lease, drop column process;
      drop function hookmachine.tell;
      drop index hookmachine.approvals_id_idx;
      drop table hookmachine.holds, hookmachine.counters;
      alter table hookmachine.approvals drop column telling_at, drop column told_at;
      alter table hookmachine.calls drop column pruned_at`);
    if (version < 4)
      await this.query('alter table hookmachine.approvals drop constraint approvals_answered');
    if (version < 3)
      await this.query(`
        alter table hookmachine.calls drop column is_callers;
        alter table hookmachine.effects drop column begun`);
    if (version === 1)
      await this.query(
        'drop table hookmachine.bundle_uses, hookmachine.bundle_files, hookmachine.bundles',
      );
  }

  /** Makes hosts wait at this point. */
  async close(point: string): Promise<void> {
    await this.query('select pg_advisory_lock(4242)');
    await this.query('insert into gate values ($1)', [point]);
  }

  /** Waits for a host at the gate, and returns the process id of its connection. */
  async atGate(): Promise<unknown> {
    return waitUntil(async () => {
      const rows = await this.query(
        `select pid from pg_locks where locktype = 'advisory' and objid = 4242 and not granted`,
      );
      return rows[0]?.['pid'];
    });
  }

  /** Waits for a host at the gate, and kills it there. What it was about to write is lost or committed. */
  async killAtGate(host: Host, fate: 'lost' | 'committed'): Promise<void> {
    const waiting = await this.atGate();
    host.kill('SIGKILL');
    await host;
    if (fate === 'lost') await this.query('select pg_terminate_backend($1)', [waiting]);
    await this.query('delete from gate');
    await this.query('select pg_advisory_unlock(4242)');
  }

  async #client(): Promise<Client> {
    if (this.#holder) return this.#holder;
    const client = new this.#installed.Client({ connectionString: this.url });
    // The server may be killed.
    client.on('error', () => (this.#holder = undefined));
    await client.connect();
    return (this.#holder = client);
  }

  /** Kills the server as a crash would, and starts it again when the returned function is called. */
  async killServer(): Promise<() => Promise<void>> {
    await this.#server.kill();
    this.#holder = undefined;
    return () => this.#server.begin();
  }
}

export const toolCommand = 'echo started >> tool.log; while [ -e hold-tool ]; do sleep 0.05; done; echo ran'; // prettier-ignore
