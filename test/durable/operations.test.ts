import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockWith } from '../support/blocks.ts';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { type Installed, loadInstalled } from './load-installed.ts';
import { noServer, Postgres } from './postgres.ts';
import { makeTemplate, Scene, toolCommand } from './scene.ts';

/** Returns the SQL block of docs/durable.md that contains these words. */
const documented = (words: string): string => blockWith('docs/durable.md', 'sql', words);

const command = { command: toolCommand };

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'the database of durable calls',
  () => {
    let server: Postgres;
    let installed: Installed;

    beforeAll(async () => {
      installed = await loadInstalled();
      server = await Postgres.start();
      await makeTemplate(server, installed);
    });
    afterAll(() => server?.end());

    test('any number of workers process the calls of a database, but no more calls at once than the limit they are given', async () => {
      const scene = await Scene.make(server, installed);
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
      const scene = await Scene.make(server, installed);
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
      const scene = await Scene.make(server, installed);
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

    test('a database of durable calls can be backed up and restored like any other, and calls that ended long ago can be deleted from it', async () => {
      const scene = await Scene.make(server, installed);
      const ended = await scene.work();
      for (const id of ['old', 'new', 'waits'])
        await ended.call({ id, name: 'run_shell_command', input: command });
      for (const number of [1, 2])
        await ended.approvals.answer(`ap-${number}`, { decision: 'approve', by: 'ann' });
      await Promise.all(['old', 'new'].map((id) => ended.outcome(id, { wait: true })));
      await scene.query(
        `update hookmachine.calls set ended_at = now() - interval '91 days' where id = 'old'`,
      );
      await scene.query(`insert into hookmachine.policies values ('of-none', '[]', now() - interval '91 days')`); // prettier-ignore

      const restored = await scene.restored();
      for (const id of ['old', 'new', 'waits'])
        expect(await restored.audit(id)).toEqual(await (await scene.records()).audit(id));

      await scene.query(documented('delete from hookmachine.calls'));
      const left = async (table: string, column = 'call') =>
      (await scene.query(`select distinct ${column} as id from hookmachine.${table} order by id`)).map(({ id }) => id); // prettier-ignore
      expect(await left('calls', 'id')).toEqual(['new', 'waits']);
      expect(await left('effects')).toEqual(['new', 'waits']);
      expect(await left('approvals')).toEqual(['new', 'waits']);
      expect(await left('policies', 'digest')).toHaveLength(1);
      await expect(ended.audit('old')).rejects.toThrow('There is no call with the id old');
      await ended.approvals.answer('ap-3', { decision: 'approve', by: 'ann' });
      expect(await ended.outcome('waits', { wait: true })).toMatchObject({ status: 'done' });
    });
  },
);
