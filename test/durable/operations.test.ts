import { describe, expect, test } from 'vitest';
import { blockWith } from '../support/blocks.ts';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { freePort, noServer } from './postgres.ts';
import { toolCommand } from './scene.ts';

/** Returns the SQL block of docs/operations.md that contains these words. */
const documented = (words: string): string => blockWith('docs/operations.md', 'sql', words);

const command = { command: toolCommand };

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'the database of durable calls',
  () => {
    const own = ownServer();

    test('any number of workers process the calls of a database, but no more calls at once than the limit they are given', async () => {
      const scene = await own.make();
      const host = await scene.connect();
      // Two at once would both try to create the folder.
      const input = { command: 'mkdir one || echo clash >> clash.log; sleep 0.2; rmdir one; echo started >> tool.log' }; // prettier-ignore
      const ids = ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6'];
      await Promise.all(ids.map((id) => host.call({ id, name: 'run_shell_command', input })));
      for (const { id } of await host.approvals.list())
        await host.approvals.answer(id, { decision: 'approve', by: 'ann' });
      const limit = { workspaceConcurrency: 1 };
      await Promise.all([scene.work(limit), scene.work(limit), scene.work(limit)]);
      const records = await scene.records();
      await Promise.all(ids.map((id) => records.outcome(id, { wait: true })));
      expect([scene.starts('tool'), scene.read('clash.log')]).toEqual([6, '']);
    });

    test('a database keeps five hundred calls while no host is running and while it is down itself; racing answers count once per call, and each tool runs once', async () => {
      const scene = await own.make();
      const host = await scene.connect();
      const ids = Array.from({ length: 500 }, (_, index) => `c-${index}`);
      const called = await Promise.all(
        ids.map((id) => host.call({ id, name: 'run_shell_command', input: command })),
      );
      expect(new Set(called.map(({ status }) => status))).toEqual(new Set(['suspended']));
      // Closing twice has no further effect.
      await Promise.all([host.close(), host.close()]);

      // Two answerers and two workers were connected before the database went away.
      const answerers = [await scene.records(), await scene.records()];
      const workers = [scene.worker('--json'), scene.worker('--json')];
      await Promise.all(workers.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve)))); // prettier-ignore
      const begin = await scene.killServer();
      await expect(answerers[0]!.approvals.list()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' }); // prettier-ignore
      await begin();
      const lists = await Promise.all(answerers.map(({ approvals }) => approvals.list()));
      expect(lists.map(({ length }) => length)).toEqual([500, 500]);
      const answers = await Promise.all(
        lists.flatMap((list, index) =>
          list.map(({ id, digest }) =>
            answerers[index]!.approvals.answer(id, { decision: 'approve', by: `${index}`, digest }),
          ),
        ),
      );
      expect(answers.filter(({ accepted }) => accepted)).toHaveLength(500);

      const hasEnded = async () =>
        (await scene.query(`select from hookmachine.calls where status <> 'ended'`)).length === 0;
      expect(await waitUntil(hasEnded)).toBe(true);
      const counted = await scene.query(
        `select name, count(*)::integer, count(distinct host)::integer as hosts
       from hookmachine.effects group by name order by name`,
      );
      expect(counted).toEqual([
        { name: 'AfterTool/0/audit', count: 500, hosts: 2 },
        { name: 'BeforeTool/0/guard', count: 500, hosts: 1 },
        { name: 'tool', count: 500, hosts: 2 },
      ]);
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([500, 500, 500]); // prettier-ignore
      for (const worker of workers) worker.kill('SIGTERM');
      expect((await Promise.all(workers)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    });

    test('hosts work in a role that can neither delete calls nor choose the policy in use', async () => {
      const scene = await own.make();
      await scene.query(documented('create role host'));
      await scene.query('revoke insert, update on hookmachine.effects from host');
      const database = scene.url.replace('postgres@', 'host@');
      await expect(scene.connect({}, { database })).rejects.toMatchObject({
        code: 'DATABASE_ROLE',
        message: 'The role "host" lacks what a host needs: INSERT on hookmachine.effects, UPDATE on hookmachine.effects; have the owner of the tables grant it', // prettier-ignore
      });
      await scene.query('grant insert, update on hookmachine.effects to host');
      const host = await scene.work({ database });
      const first = await host.call({ id: 'c-1', name: 'run_shell_command', input: command });
      expect(first.status).toBe('suspended');
      const { approvals } = await scene.records();
      await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      expect(await host.outcome('c-1', { wait: true })).toMatchObject({ status: 'done' });
      await host.call({ id: 'c-2', name: 'run_shell_command', input: command });
      await host.withdraw('c-2', 'not needed');
      expect(await host.outcome('c-2', { wait: true })).toMatchObject({ status: 'cancelled' });
      for (const text of [
        'delete from hookmachine.calls',
        'delete from hookmachine.effects',
        'update hookmachine.approvals set shown = shown',
        'insert into hookmachine.bundle_uses (name) values ($$guards$$)',
        'delete from hookmachine.bundle_files',
      ]) {
        await expect(scene.query(`begin; set local role host; ${text}`)).rejects.toThrow('permission denied'); // prettier-ignore
        await scene.query('rollback');
      }
    });

    test('a worker says whether it is alive and has its lease, and what a monitor watches', async () => {
      const scene = await own.make();
      const port = await freePort();
      const worker = scene.worker('--json', '--health', String(port), '--lost-after', '1s');
      await new Promise((resolve) => worker.stdout.once('data', resolve));
      const ask = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/${path}`);
        return [response.status, await response.text()] as const;
      };
      expect(await ask('livez')).toEqual([200, 'alive\n']);
      expect(await ask('readyz')).toEqual([200, 'ready\n']);
      expect(await ask('elsewhere')).toEqual([404, 'try /livez, /readyz or /metrics\n']);
      await scene.call('c-"1"');
      const killed = scene.call('c-2', '--lost-after', '1s');
      scene.hold('guard');
      await waitUntil(() => scene.starts('guard') === 2);
      killed.kill('SIGKILL');
      await killed;
      const { approvals } = await scene.records();
      await waitUntil(async () => (await approvals.count()) === 2);
      await approvals.answer('ap-1', { decision: 'deny', by: 'ann' });
      const [, text] = await ask('metrics');
      for (const line of [
        '# TYPE hookmachine_questions_waiting gauge',
        'hookmachine_questions_waiting{workspace="w"} 1',
        '# TYPE hookmachine_answers gauge',
        'hookmachine_answers{workspace="w",decision="denied"} 1',
        'hookmachine_hosts{workspace="w"} 1',
        'hookmachine_take_overs_total{workspace="w"} 1',
        'hookmachine_leases_lost_total{workspace="w"} 1',
        'hookmachine_cut_off_total{workspace="w"} 1',
      ])
        expect(text.split('\n')).toContain(line);
      expect((await scene.run('durable', 'metrics', '--json')).stdout).toContain('"hookmachine_question_oldest_seconds"'); // prettier-ignore
      const taken = await scene.worker('--health', String(port));
      expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
      const wrong = await scene.worker('--health', 'here');
      expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('write a port, such as 9090')]); // prettier-ignore

      const begin = await scene.killServer();
      await waitUntil(async () => (await ask('readyz'))[0] === 503);
      expect((await ask('livez'))[0]).toBe(200);
      expect((await ask('metrics'))[0]).toBe(503);
      await begin();
      await waitUntil(async () => (await ask('readyz'))[0] === 200);
      worker.kill('SIGTERM');
      expect((await worker).exitCode).toBe(0);
    });

    test('a database of durable calls can be backed up and restored like any other, and what was done for calls that ended long ago can be deleted, unless it is held', async () => {
      const scene = await own.make();
      const ended = await scene.work();
      for (const id of ['old', 'new', 'waits'])
        await ended.call({ id, name: 'run_shell_command', input: command });
      for (const number of [1, 2])
        await ended.approvals.answer(`ap-${number}`, { decision: 'approve', by: 'ann' });
      await Promise.all(['old', 'new'].map((id) => ended.outcome(id, { wait: true })));
      await scene.query(
        `update hookmachine.calls set ended_at = now() - interval '91 days' where id = 'old'`,
      );
      const restored = await scene.restored();
      for (const id of ['old', 'new', 'waits'])
        expect(await restored.audit(id)).toEqual(await (await scene.records()).audit(id));

      const prune = (...more: readonly string[]) => scene.run('durable', 'prune', '--older-than', '90d', ...more); // prettier-ignore
      const held = await scene.run('durable', 'hold', 'place', '--call', 'old', '--note', 'case 4711', '--as', 'ann'); // prettier-ignore
      expect(held.stdout).toMatch(/^hold-1 {2}call old: case 4711 {2}placed by ann \(role postgres\) at /); // prettier-ignore
      expect((await prune('--yes')).stdout).toBe('0 calls pruned');
      expect((await scene.run('durable', 'hold', 'lift', 'hold-1', '--as', 'bob')).exitCode).toBe(
        0,
      );
      const again = await scene.run('durable', 'hold', 'lift', 'hold-1');
      expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('hold-1 is not in force')]); // prettier-ignore
      expect((await scene.run('durable', 'hold', 'list')).stdout).toContain('lifted by bob');
      const { retention } = await scene.records();
      const due = () => retention.prune({ olderThan: 1, dryRun: true });
      for (const which of [{ workspace: 'w' }, { workspace: 'w', call: 'old' }]) {
        const { id } = await retention.hold({ ...which, note: 'case 4712', by: 'ann' });
        expect(await due()).toBe('call' in which ? 1 : 0);
        expect(await retention.lift(id, 'ann')).toBe(true);
      }
      await retention.hold({ session: 'another', note: 'case 4713', by: 'ann' });
      expect(await due()).toBe(2);
      await expect(retention.hold({ note: 'nothing', by: 'ann' })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' }); // prettier-ignore
      expect((await prune()).stdout).toBe('1 call would be pruned; add --yes to do so');
      expect(await ended.audit('old')).toMatchObject({ call: { id: 'old' } });
      expect(JSON.parse((await prune('--yes', '--json')).stdout)).toEqual({ calls: 1, pruned: true }); // prettier-ignore

      const left = async (table: string) =>
        (await scene.query(`select distinct call as id from hookmachine.${table} order by id`)).map(({ id }) => id); // prettier-ignore
      expect(await left('effects')).toEqual(['new', 'waits']);
      expect(await left('approvals')).toEqual(['new', 'waits']);
      const [row] = await scene.query(`select input, judged, outcome from hookmachine.calls where id = 'old'`); // prettier-ignore
      expect(row).toEqual({ input: '{}', judged: null, outcome: null });
      // Nothing that was done under its id is done again.
      const runs = scene.starts('tool');
      const pruned = { code: 'CALL_PRUNED' };
      await expect(ended.audit('old')).rejects.toMatchObject(pruned);
      await expect(ended.outcome('old')).rejects.toMatchObject(pruned);
      const old = { id: 'old', name: 'run_shell_command', input: command };
      await expect(ended.call(old)).rejects.toMatchObject(pruned);
      expect(scene.starts('tool')).toBe(runs);
      await ended.approvals.answer('ap-3', { decision: 'approve', by: 'ann' });
      expect(await ended.outcome('waits', { wait: true })).toMatchObject({ status: 'done' });
    });
  },
);
