/**
 * `npm run durable:bench` measures what durable calls cost compared to the same calls without a database, and
 * what a second worker gains, and what many hosts ask of a database; with `--hosts`, only the last, and with `--hub`
 * the last through a hub. It needs PostgreSQL on this machine, and `pg` as installed by `npm run durable`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describeMachine } from '../../bench/machine.ts';
import { median } from '../../bench/statistics.ts';
import { isInstalled } from './installed.ts';
import { loadInstalled } from './load-installed.ts';
import { noServer, Postgres } from './postgres.ts';

if (noServer !== undefined || !isInstalled)
  throw new Error(noServer ?? 'pg is not installed: npm run durable does that');

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;
const { command, Client, durable, createConfig, executeToolWithHooks, builtInTools } =
  await loadInstalled();
const home = mkdtempSync(join(tmpdir(), 'hookmachine-durable-bench-'));
const project = join(home, 'project');
mkdirSync(join(project, '.hookmachine'), { recursive: true });
const guard = { type: 'command', name: 'guard', command: 'cat >/dev/null' };
writeFileSync(
  join(project, '.hookmachine/settings.json'),
  JSON.stringify({ hooks: { 'tool.before': [{ hooks: [guard] }] } }),
);
const input = { path: project };
const config = createConfig({ cwd: project, systemFolder: '/proc/nothing' });
const tools = builtInTools();
const server = await Postgres.start();
const ignore = (): void => undefined;
const line = (text: string): void => void process.stdout.write(`${text}\n`);
const { cpu, cores, node, load } = describeMachine();
line(`${cores} cores of ${cpu}, Node ${node.slice(1)}, load ${load} at the start\n`);
const missed: string[] = [];
const isThroughHub = process.argv.includes('--hub');
const isOnlyHosts = isThroughHub || process.argv.includes('--hosts');
try {
  const database = server.url('postgres');
  await durable.migrateDatabase(database);
  if (!isOnlyHosts) await measureCalls(database);
  const client = new Client({ connectionString: database });
  await client.connect();
  const hub = isThroughHub ? await serveHub(database) : undefined;
  const place = hub?.place ?? { database };
  await statements(client, place);
  await manyHosts(client, database, place, 500);
  hub?.end();
  await client.end();
} finally {
  await server.end();
  rmSync(home, { recursive: true, force: true });
}
line(`\nTargets missed: ${missed.join(', ') || 'none'}`);
process.exit(missed.length > 0 ? 1 : 0);

async function measureCalls(database: string): Promise<void> {
  const host = await durable.connectDurable({ database, config, tools, workspace: 'w' });
  const plain = async (): Promise<unknown> =>
    executeToolWithHooks(config, 'list_directory', input, () =>
      tools
        .get('list_directory')!
        .execute(input, { cwd: project, signal: new AbortController().signal, callId: 'c' }),
    );
  const kept = async (): Promise<unknown> => host.call({ name: 'list_directory', input });
  line('| one hook in sh | plain | durable | ratio | target |');
  line('| --- | ---: | ---: | ---: | ---: |');
  row('ms a call, one after another', await latency(plain, kept), 'at most', 5);
  row('calls a second, eight at once', await throughput(plain, kept), 'at least', 0.3);
  await host.close();

  const client = new Client({ connectionString: database });
  await client.connect();
  line('\n| workers | one | two | ratio |');
  line('| --- | ---: | ---: | ---: |');
  const one = await drained(client, database, 1);
  const two = await drained(client, database, 2);
  line(
    `| calls a second | ${one.toFixed(1)} | ${two.toFixed(1)} | ${(two / one).toFixed(2)} (1.7 wanted on four cores or more) |`,
  );
  if (cores >= 4 && two / one < 1.7) missed.push('two workers');

  const [before, after] = await heapWith(client, database, 10_000);
  line(
    `\nThe heap of a worker beside 10,000 calls that wait: ${mb(before)} before, ${mb(after)} with them`,
  );
  await client.end();
}

function row(
  title: string,
  [alone, kept]: readonly [number, number],
  word: string,
  target: number,
): void {
  const ratio = kept / alone;
  line(
    `| ${title} | ${alone.toFixed(1)} | ${kept.toFixed(1)} | ${ratio.toFixed(2)} | ${word} ${target} |`,
  );
  if (word === 'at most' ? ratio > target : ratio < target) missed.push(title);
}

type Call = () => Promise<unknown>;

/** Medians in ms, measured alternately. */
async function latency(...calls: readonly [Call, Call]): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -5; round < 60; round++)
    for (const at of [0, 1] as const) {
      const start = performance.now();
      await calls[at]();
      if (round >= 0) times[at].push(performance.now() - start);
    }
  return [median(times[0]), median(times[1])];
}

async function throughput(...calls: readonly [Call, Call]): Promise<readonly [number, number]> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < 6; round++)
    for (const at of [0, 1] as const) {
      const start = performance.now();
      let left = 80;
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          while (left-- > 0) await calls[at]();
        }),
      );
      rates[at].push(80_000 / (performance.now() - start));
    }
  return [median(rates[0]), median(rates[1])];
}

/** Returns how many calls per second this many workers, each a process of its own, process. */
async function drained(
  client: InstanceType<typeof Client>,
  database: string,
  workers: number,
): Promise<number> {
  const calls = 300;
  const started = await Promise.all(Array.from({ length: workers }, () => worker(database)));
  await client.query(
    `insert into hookmachine.calls (id, format, workspace, tool, input, status)
     select 'w${workers}-' || n, 1, 'w', 'list_directory', $1, 'ready' from generate_series(1, ${calls}) n`,
    [JSON.stringify(input)],
  );
  await client.query(`select hookmachine.tell('w', '')`);
  const start = performance.now();
  for (;;) {
    const { rows } = await client.query(
      `select count(*)::integer as left from hookmachine.calls where status <> 'ended'`,
    );
    if (rows[0]!['left'] === 0) break;
    await sleep(50);
  }
  const took = performance.now() - start;
  await Promise.all(started.map(ended));
  return (calls * 1_000) / took;
}

async function worker(database: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [command, 'worker', '--workspace', 'w', '--json'], {
    cwd: project,
    env: { ...process.env, HOME: home, HOOKMACHINE_TRUST: '1', HOOKMACHINE_DATABASE_URL: database },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/**
 * Returns the bytes in use in a process that works, without and with this many calls waiting for an answer.
 */
async function heapWith(
  client: InstanceType<typeof Client>,
  database: string,
  calls: number,
): Promise<readonly [number, number]> {
  const host = await durable.connectDurable({ database, config, tools, workspace: 'w' });
  const stop = new AbortController();
  const working = host.work(stop.signal);
  const before = await inUse();
  await client.query(
    `insert into hookmachine.calls (id, format, workspace, tool, input, status, judged)
     select 's-' || n, 1, 'w', 'list_directory', '{}', 'suspended', '{}' from generate_series(1, ${calls}) n`,
  );
  await client.query(
    `insert into hookmachine.approvals (call, shown, digest, asked, expires_at)
     select id, '{}', 'x', '{}', now() + interval '7 days' from hookmachine.calls where status = 'suspended'`,
  );
  const after = await inUse();
  stop.abort();
  await working;
  await host.close();
  return [before, after];
}

/** Returns the bytes in use in this process, after it has been idle for a while. */
async function inUse(): Promise<number> {
  await sleep(3_000);
  collect();
  return process.memoryUsage().heapUsed;
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

/** Returns how many transactions the database has committed; a statement on its own is one. */
async function committed(client: InstanceType<typeof Client>): Promise<number> {
  // Backends report what they did with a delay.
  await sleep(2_000);
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    'select xact_commit::integer as count from pg_stat_database where datname = current_database()',
  );
  return rows[0]!['count'] as number;
}

/** Where hosts keep their calls. */
type Place = Pick<Parameters<typeof durable.connectDurable>[0], 'database' | 'hub'>;

/** Serves a hub in a process of its own, for one machine. */
async function serveHub(database: string): Promise<{ place: Place; end: () => void }> {
  const env = { ...process.env, HOOKMACHINE_DATABASE_URL: database };
  const hub = spawn('node', [command, 'hub', 'serve', '--port', '0', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  const [said] = (await once(hub.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(said.toString()) as { url: string };
  const invite = spawn('node', [command, 'hub', 'machines', 'invite', 'm', '--workspace', '*', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  const [invited] = (await once(invite.stdout, 'data')) as [Buffer];
  const { code } = JSON.parse(invited.toString()) as { code: string };
  const response = await fetch(`${url}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code }) }); // prettier-ignore
  const { value } = (await response.json()) as { value: { token: string } };
  return { place: { hub: { url, token: value.token } }, end: () => void hub.kill() };
}

async function statements(client: InstanceType<typeof Client>, place: Place): Promise<void> {
  const host = await durable.connectDurable({ ...place, config, tools, workspace: 'alone' });
  const before = await committed(client);
  for (let call = 0; call < 50; call++) await host.call({ name: 'list_directory', input });
  const after = await committed(client);
  const stop = new AbortController();
  const working = host.work(stop.signal);
  await sleep(20_000);
  const begin = [await committed(client), performance.now()] as const;
  await sleep(60_000);
  const idle = [await committed(client), performance.now()] as const;
  stop.abort();
  await working;
  await host.close();
  const perSecond = ((idle[0] - begin[0]) * 1_000) / (idle[1] - begin[1]);
  line(
    `\nTransactions: ${((after - before) / 50).toFixed(1)} a call with one hook, ${perSecond.toFixed(2)} a second of a worker that waits`,
  );
}

/** Joins as many workers, and says what they ask of the database while they wait and when there is work. */
async function manyHosts(
  client: InstanceType<typeof Client>,
  database: string,
  place: Place,
  count: number,
): Promise<void> {
  const quiet = createConfig({ cwd: project, systemFolder: '/proc/nothing', onWarning: ignore });
  const stop = new AbortController();
  const hosts = [];
  const working = [];
  const begun = performance.now();
  for (let joined = 0; joined < count; joined++) {
    const host = await durable.connectDurable({ ...place, config: quiet, tools, workspace: `m${joined % 50}` }); // prettier-ignore
    hosts.push(host);
    working.push(host.work(stop.signal));
  }
  line(`\n${count} workers in 50 workspaces joined within ${((performance.now() - begun) / 1_000).toFixed(0)} s`); // prettier-ignore
  await sleep(30_000);
  const used: number[] = [];
  const before = await committed(client);
  const from = performance.now();
  const sample = async () => {
    const { rows } = await client.query(
      `select count(*)::integer as count from pg_stat_activity where backend_type = 'client backend'`,
    );
    used.push(rows[0]!['count'] as number);
  };
  while (performance.now() - from < 30_000) {
    await sample();
    await sleep(100);
  }
  const perSecond = (((await committed(client)) - before) * 1_000) / (performance.now() - from);
  const { rows } = await client.query(
    'select count(*)::integer as count from hookmachine.hosts where seen_at >= now() - lease',
  );
  line(
    `while they wait: ${median(used)} connections (at most ${Math.max(...used)} of 100), ${perSecond.toFixed(0)} transactions a second; ${String(rows[0]!['count'])} of them have their lease`,
  );
  const records = await durable.openRecords(database);
  const start = performance.now();
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      records.submit({ workspace: `m${index % 50}`, name: 'list_directory', input }),
    ),
  );
  const ends = await Promise.all(ids.map((id) => records.outcome(id, { wait: true })));
  const done = ends.filter(({ status }) => status === 'done').length;
  line(
    `200 calls for them: ${done} done within ${((performance.now() - start) / 1_000).toFixed(0)} s`,
  );
  await records.close();
  stop.abort();
  await Promise.all(working);
  await Promise.all(hosts.map((host) => host.close()));
}
