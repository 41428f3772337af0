import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { type Installed, loadInstalled } from './load-installed.ts';
import { noPooler, Pooler } from './pooler.ts';
import { noServer, Postgres } from './postgres.ts';
import { type Hooks, makeTemplate, Scene, toolCommand } from './scene.ts';

if (noPooler !== undefined) process.stderr.write(`poolers are not tested: ${noPooler}\n`);

const allowing: Hooks = { 'tool.before': { guard: {} } };

const call = { name: 'run_shell_command', input: { command: toolCommand } };

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)('the lease of a host', () => {
  let server: Postgres;
  let installed: Installed;

  beforeAll(async () => {
    installed = await loadInstalled();
    server = await Postgres.start('max_connections=20');
    await makeTemplate(server, installed);
  });
  afterAll(() => server?.end());

  test.skipIf(noPooler !== undefined).each([
    ['transaction', [expect.stringMatching(/^the database's notifications do not arrive/)]],
    ['session', []],
  ] as const)(
    'the calls of a host that lives are not taken from it, also behind a pooler in %s mode, where their news arrives all the same',
    async (mode, warnings) => {
      const scene = await Scene.make(server, installed, allowing);
      const pooler = await Pooler.start(server, mode, 12);
      onTestFinished(() => pooler.end());
      const database = pooler.url(new URL(scene.url).pathname.slice(1));
      const said: string[] = [];
      const config = { onWarning: (line: string) => said.push(line) };
      const caller = await scene.connect(config, { database, lostAfter: 1_000 });
      const other = await scene.connect(config, { database, lostAfter: 1_000 });
      const stop = new AbortController();
      const working = other.work(stop.signal);
      scene.hold('guard');
      const ids = Array.from({ length: 5 }, (_, index) => `c-${index}`);
      const called = ids.map((id) => caller.call({ id, ...call }));
      await waitUntil(() => scene.starts('guard') === ids.length);
      const seen = async () =>
        (await scene.query('select min(seen_at)::text as seen from hookmachine.hosts'))[0]!['seen'];
      // Both leases are extended several times while the guards run.
      for (let times = 0, last = await seen(); times < 6; times += 1)
        last = await waitUntil(async () => {
          const now = await seen();
          return now === last ? undefined : now;
        });
      scene.release('guard');
      const outcomes = await Promise.all(called);
      expect(outcomes.map(({ status }) => status)).toEqual(ids.map(() => 'done'));
      const taken = await scene.query(`select id from hookmachine.calls where attempts > 1`);
      expect([taken, scene.starts('guard'), scene.starts('tool')]).toEqual([[], 5, 5]);
      const records = await scene.records();
      const submitted = await records.submit({ id: 'c-9', workspace: 'w', ...call });
      expect(await records.outcome(submitted, { wait: true })).toMatchObject({ status: 'done' });
      stop.abort();
      await working;
      expect(said.filter((line) => line.includes('notifications'))).toEqual(warnings);
    },
  );

  test('three times as many hosts as the server has connections make their calls and work on those of others', async () => {
    const scene = await Scene.make(server, installed, allowing);
    const hosts = await Promise.all(Array.from({ length: 60 }, () => scene.work()));
    const outcomes = await Promise.all(
      hosts.map((host, index) => host.call({ id: `own-${index}`, ...call })),
    );
    expect(outcomes.filter(({ status }) => status !== 'done')).toEqual([]);
    const records = await scene.records();
    const ids = Array.from({ length: 20 }, (_, index) => `any-${index}`);
    await Promise.all(ids.map((id) => records.submit({ id, workspace: 'w', ...call })));
    const done = await Promise.all(ids.map((id) => records.outcome(id, { wait: true })));
    expect(done.filter(({ status }) => status !== 'done')).toEqual([]);
    expect(scene.starts('tool')).toBe(80);
    const { rows } = { rows: await scene.query('select count(*)::integer as count from hookmachine.hosts where seen_at >= now() - lease') }; // prettier-ignore
    expect(rows).toEqual([{ count: 60 }]);
  });

  test('a name is given to one host at a time: a second one is refused, and one that follows a killed host is not', async () => {
    const scene = await Scene.make(server, installed, allowing);
    const worker = scene.worker('--name', 'one', '--json', '--lost-after', '2s');
    await new Promise((resolve) => worker.stdout.once('data', resolve));
    const second = await scene.worker('--name', 'one');
    expect([second.exitCode, second.stderr]).toEqual([1, expect.stringContaining('Another host with the name one is already running')]); // prettier-ignore
    worker.kill('SIGKILL');
    await worker;
    const third = scene.worker('--name', 'one', '--json');
    await new Promise((resolve) => third.stdout.once('data', resolve));
    // Where the process cannot be seen, the end of its lease is awaited.
    await scene.query(`update hookmachine.hosts set process = 'elsewhere 1 1'`);
    third.kill('SIGKILL');
    await third;
    const hosts = () => scene.query(`select name from hookmachine.hosts where seen_at >= now() - lease`); // prettier-ignore
    expect(await hosts()).toEqual([{ name: 'one' }]);
    await scene.query(`update hookmachine.hosts set lease = interval '1 second'`);
    const fourth = scene.worker('--name', 'one', '--json');
    await new Promise((resolve) => fourth.stdout.once('data', resolve));
  });

  test('a host that is closed while a guard runs ends it and waits for nothing, and another one continues the call', async () => {
    const scene = await Scene.make(server, installed, allowing);
    scene.hold('guard');
    const host = await scene.connect();
    const calling = host.call({ id: 'c-1', ...call }).catch((error: unknown) => error);
    await waitUntil(() => scene.starts('guard') === 1);
    await host.close();
    expect(await calling).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: 'This host was closed.',
    });
    const other = await scene.work();
    expect(await other.outcome('c-1')).toMatchObject({ status: 'suspended' });
    scene.release('guard');
    expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
  });

  test('the tables are not migrated while a host of an earlier release is running', async () => {
    const scene = await Scene.make(server, installed, allowing);
    await scene.takeBackTo(4);
    await scene.query(`insert into hookmachine.hosts (name, workspace, pid, backend) values ('old', 'w', 1, pg_backend_pid())`); // prettier-ignore
    await scene.query('select pg_advisory_lock(1)');
    const refused = await scene.run('durable', 'migrate');
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Hosts of an earlier release are running: old. Stop them before you migrate.')]); // prettier-ignore
    await scene.query('select pg_advisory_unlock_all()');
    const migrated = await scene.run('durable', 'migrate', '--json');
    expect(JSON.parse(migrated.stdout)).toEqual({ from: 4, to: 6 });
    const checked = await scene.run('durable', 'check', '--json');
    expect(JSON.parse(checked.stdout)).toEqual({ version: 6, needed: 6, hosts: [], waiting: [], questions: 0 }); // prettier-ignore
  });
});
