import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { type Scene, toolCommand } from './scene.ts';

const call = { name: 'run_shell_command', input: { command: toolCommand } };

/** Lists as many questions, every tenth of them about another tool in another workspace. */
const manyQuestions = (count: number, expiry: string): string => `
  with calls as (
    insert into hookmachine.calls (id, format, workspace, tool, input, status, judged)
    select 'q-' || n, 1, case when n % 10 = 0 then 'other' else 'w' end,
      case when n % 10 = 0 then 'write_file' else 'run_shell_command' end, '{}', 'suspended', '{}'
    from generate_series(1, ${count}) n returning id
  ) insert into hookmachine.approvals (call, shown, digest, asked, expires_at)
  select id, s, encode(sha256(convert_to(s, 'UTF8')), 'hex'), '{"reason":"May it?","hooks":[]}', now() + interval '${expiry}'
  from calls, lateral (select json_build_object('command', id)::text as s) shown
  order by substr(id, 3)::integer`;

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)('many questions', () => {
  const own = ownServer();

  const make = async (count: number, expiry = '1 day'): Promise<Scene> => {
    const scene = await own.make();
    await scene.query(manyQuestions(count, expiry));
    return scene;
  };

  test('many questions are listed in pages, filtered, searched and counted', async () => {
    const scene = await make(2_500);
    const { approvals } = await scene.records();
    const pages = [];
    for (let after: string | undefined; ;) {
      const page = await approvals.list({ after });
      if (page.length === 0) break;
      pages.push(page);
      after = page.at(-1)!.id;
    }
    expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(2_500);
    expect(await approvals.count({ tool: 'write_file' })).toBe(250);
    expect(await approvals.count({ workspace: 'other', search: 'Q-2490' })).toBe(1);
    expect(await approvals.count({ search: '%' })).toBe(0);
    const [newest] = await approvals.list({ newestFirst: true, limit: 1 });
    expect(newest!.call).toBe('q-2500');
    await expect(approvals.list({ limit: 0 })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
    await expect(approvals.list({ after: 'q-1' })).rejects.toMatchObject({ code: 'APPROVAL_UNKNOWN' }); // prettier-ignore

    const listed = await scene.run('approvals', 'list');
    expect(listed.stdout.split('\n')).toHaveLength(100);
    expect(listed.stderr).toBe('hookmachine: there are more; the next page: --after ap-100');
    const next = await scene.run('approvals', 'list', '--json', '--tool', 'write_file', '--after', 'ap-100', '--limit', '3'); // prettier-ignore
    const ids = (JSON.parse(next.stdout) as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(['ap-110', 'ap-120', 'ap-130']);
    const wrong = await scene.run('approvals', 'list', '--limit', 'few');
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('--limit few: make it a whole number')]); // prettier-ignore
  });

  test('one answer is given to many questions, but only once it is confirmed, and not to those that it does not mean', async () => {
    const scene = await make(1_200);
    await scene.query(`update hookmachine.calls set format = 99 where id = 'q-7'`);
    const args = ['approvals', 'answer-all', 'deny', '--tool', 'run_shell_command', '--as', 'ann', '--note', 'not today']; // prettier-ignore
    const asked = await scene.run(...args);
    expect(asked.stdout).toBe('1080 questions would be answered; add --yes to do so');
    const { approvals } = await scene.records();
    expect(await approvals.count({ answered: true })).toBe(0);
    const given = await scene.run(...args, '--yes');
    expect(given.stdout).toBe('1079 questions answered');
    expect([given.exitCode, given.stderr]).toEqual([1, expect.stringContaining('ap-7 could not be answered: The call q-7 has format 99')]); // prettier-ignore
    expect(await approvals.count()).toBe(121);
    expect(await approvals.show('ap-1')).toMatchObject({ answer: { decision: 'denied', by: 'ann', note: 'not today' } }); // prettier-ignore
    const wrong = await scene.run('approvals', 'answer-all', 'maybe');
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('"maybe" is not an answer: use one of approve, deny, withdraw')]); // prettier-ignore
  });

  test('thousands of questions that expire at once do so in batches, between which others are answered', async () => {
    const scene = await make(5_000, '-1 second');
    await scene.query(manyQuestions(1, '1 day').replaceAll('q-', 'l-'));
    const [one, other] = [await scene.records(), await scene.records()];
    const [, , answer] = await Promise.all([
      one.approvals.expire(),
      other.approvals.expire(),
      other.approvals.answer('ap-5001', { decision: 'deny', by: 'ann' }),
    ]);
    expect(answer).toEqual({ accepted: true });
    expect(await one.approvals.count()).toBe(0);
    const rows = await scene.query(`select decision, count(*)::integer as count from hookmachine.approvals group by decision order by 2`); // prettier-ignore
    expect(rows).toEqual([
      { decision: 'denied', count: 1 },
      { decision: 'expired', count: 5_000 },
    ]);
    expect(await scene.query(`select from hookmachine.calls where status = 'suspended'`)).toEqual([]); // prettier-ignore
  });

  test('a call that was submitted runs nothing until a worker takes it, and waiting for it survives a restart of the database', async () => {
    const scene = await own.make();
    const submit = ['call', call.name, '--input', JSON.stringify(call.input), '--id', 'c-1', '--workspace', 'w', '--submit']; // prettier-ignore
    const settings = join(scene.project, '../.hookmachine/settings.json');
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ hooksConfig: { durable: { lostAfter: 'soon' } } }));
    const first = await scene.run(...submit);
    expect(first.stderr.match(/hooksConfig\.durable\.lostAfter/g)).toHaveLength(1);
    rmSync(settings);
    expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([0, { id: 'c-1', workspace: 'w', status: 'submitted' }]); // prettier-ignore
    expect((await scene.run(...submit)).stdout).toBe(first.stdout);
    const other = await scene.run('call', 'read_file', '--input', '{}', '--id', 'c-1', '--workspace', 'w', '--submit'); // prettier-ignore
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('Another call has the id c-1')]); // prettier-ignore
    expect(scene.starts('guard')).toBe(0);

    const waiting = scene.run('call', '--wait', 'c-1');
    await waitUntil(
      async () =>
        (
          await scene.query(
            `select from pg_stat_activity where application_name = 'hookmachine' and query like '%hookmachine.calls%'`,
          )
        ).length > 0,
    );
    const begin = await scene.killServer();
    await begin();
    await scene.work();
    const { approvals } = await scene.records();
    await waitUntil(async () => (await approvals.count()) === 1);
    await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
    const waited = await waiting;
    expect([waited.exitCode, JSON.parse(waited.stdout)]).toMatchObject([0, { id: 'c-1', status: 'done' }]); // prettier-ignore
    expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]);
  });

  test('Notification hooks are told of every question: by another host if the one that asked dies before it has, and only once if it does not', async () => {
    const scene = await own.make({
      'tool.before': { guard: { decision: 'ask', reason: 'May it?' } },
      notify: { bell: {} },
    });
    const told = () => scene.starts('bell');
    expect((await scene.call('c-1')).exitCode).toBe(3);
    expect(told()).toBe(1);
    expect(scene.read('bell.input')).toContain('"approval_id":"ap-1","call_id":"c-1"');
    scene.hold('bell');
    const host = scene.call('c-2');
    await waitUntil(() => told() === 2);
    host.kill('SIGKILL');
    await host;
    scene.release('bell');
    // A question of a host that died before it began to tell.
    await scene.query(manyQuestions(2, '1 day'));
    await scene.query(`update hookmachine.calls set format = 99 where id = 'q-2'`);
    await scene.work();
    await waitUntil(() => told() === 3);
    await scene.query(`update hookmachine.approvals set telling_at = now() - interval '3 minutes'`);
    await waitUntil(() => told() === 4);
    await waitUntil(
      async () =>
        (await scene.query('select from hookmachine.approvals where told_at is null')).length === 1,
    );
    expect(told()).toBe(4);
    expect(scene.read('bell.input')).toContain('"call_id":"q-1"');
    // It is told of by a host of the release that asked.
    expect(scene.read('bell.input')).not.toContain('"call_id":"q-2"');
  });
});
