import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask, enter } from '../watch/inspector/ask.ts';
import { openPage, picture, startBrowser, until } from '../watch/inspector/browser.ts';
import { chromiumPath } from '../watch/inspector/chromium.ts';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { asking, type Hooks, type Scene, toolCommand } from './scene.ts';

const missing =
  noServer ?? (isInstalled ? undefined : 'pg is not installed: npm ci --prefix test/durable');
if (missing !== undefined) process.stderr.write(`durable calls are not tested: ${missing}\n`);

/** As in docs/operations.md. */
const answererRole = /```sql\n([^`]*)```/.exec(
  readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8'),
)![1]!;

const allowing: Hooks = { 'tool.before': { guard: {} }, 'tool.after': { audit: {} } };

/** Waits until the call is asked about, and returns the question. */
const asked = async (scene: Scene) => {
  const { approvals } = await scene.records();
  const found = await waitUntil(async () => (await approvals.list())[0]);
  return { approval: found!, approvals };
};

/** Approves the question, and waits for the call to end. */
const approved = async (scene: Scene) => {
  const { approval, approvals } = await asked(scene);
  const answer = await approvals.answer(approval.id, { decision: 'approve', by: 'ann' });
  expect(answer).toEqual({ accepted: true });
  return ended(scene);
};

const ended = async (scene: Scene) => {
  const outcome = await (await scene.records()).outcome('c-1', { wait: true });
  if (outcome.status === 'suspended') throw new Error('it waits');
  return outcome;
};

describe.skipIf(missing !== undefined)('a durable call', () => {
  const own = ownServer();

  const make = (hooks?: Hooks): Promise<Scene> => own.make(hooks);

  test('a suspended call is answered while no host is running, and continues with the arguments that were shown, byte for byte (rows 6, 14, 16)', async () => {
    const scene = await make();
    const first = await scene.call();
    expect([first.exitCode, scene.starts('guard'), scene.starts('tool')]).toEqual([3, 1, 0]);
    const { approval, approvals } = await asked(scene);
    expect(approval).toMatchObject({
      shown: JSON.stringify({ command: toolCommand }),
      reason: 'May it?',
    });
    // Another guard, which would deny, and a changed script.
    scene.setHooks({ 'tool.before': { guard: { decision: 'deny' } }, 'tool.after': { audit: {} } });
    appendFileSync(join(scene.project, 'audit.sh'), '# changed\n');
    const answers = await Promise.all(
      ['ann', 'bob', 'eve'].map(async (by) => {
        const { approvals: elsewhere } = await scene.records();
        return elsewhere.answer(approval.id, { decision: 'approve', by, digest: approval.digest });
      }),
    );
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
    const winner = ['ann', 'bob', 'eve'][answers.findIndex(({ accepted }) => accepted)];
    expect(await approvals.answer(approval.id, { decision: 'deny', by: 'late' })).toMatchObject({
      accepted: false,
      was: { decision: 'approved', by: winner, role: 'postgres' },
    });
    await scene.work();
    const outcome = await ended(scene);
    expect(outcome).toMatchObject({ status: 'done', toolInput: { command: toolCommand } });
    expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]);
    const { policy, effects } = await (await scene.records()).audit('c-1');
    expect(policy.judged).not.toBe(policy.resumed);
    expect(effects.map(({ name }) => name)).toEqual([
      'BeforeTool/0/guard',
      'tool',
      'AfterTool/0/audit',
    ]);
  });

  test('a call whose hosts are killed, one while the guard runs and one while the tool runs, starts each of the two once, and says that the tool may have run (rows 3, 8, 12, 14)', async () => {
    const scene = await make(allowing);
    for (const held of ['guard', 'tool']) {
      scene.hold(held);
      const host = scene.call();
      await waitUntil(() => scene.starts(held) === 1);
      host.kill('SIGKILL');
      await host;
      scene.release(held);
      if (held === 'tool') break;
      const again = await scene.call();
      expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([
        3,
        { approval: { reason: expect.stringMatching(/^Hook "guard" was cut off/) } },
      ]);
      // From two processes at once.
      const answers = await Promise.all(
        ['ann', 'bob'].map((by) => scene.run('approvals', 'answer', 'ap-1', 'approve', '--as', by)),
      );
      const first = answers.findIndex(({ exitCode }) => exitCode === 0);
      expect(JSON.parse(answers[first]!.stdout)).toEqual({ accepted: true });
      const second = answers[1 - first]!;
      expect([second.exitCode, JSON.parse(second.stdout)]).toMatchObject([
        3,
        { accepted: false, was: { decision: 'approved', by: ['ann', 'bob'][first] } },
      ]);
    }
    await scene.work();
    expect((await ended(scene)).toolResult.error?.type).toBe('cut_off');
    expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]);
  });

  describe.skipIf(!isWhole)('whose host is killed', () => {
    test('a call whose host is killed before it recorded anything runs as if nothing had happened (row 1)', async () => {
      const scene = await make();
      await scene.close('claim BeforeTool/0/guard');
      await scene.killAtGate(scene.call(), 'lost');
      await scene.work();
      expect(await approved(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    });

    test('a call whose host is killed when a hook was claimed but not started is asked about (row 2)', async () => {
      const scene = await make(allowing);
      await scene.close('claimed BeforeTool/0/guard');
      await scene.killAtGate(scene.call(), 'committed');
      await scene.work();
      const { approval } = await asked(scene);
      expect(approval.reason).toMatch(/^Hook "guard" was cut off: its host \S+ ended/);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([0, 0]);
      expect(await approved(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([0, 1]);
    });

    test('a call whose host is killed while a hook runs is asked about, and the answers of the other hooks are kept (row 3)', async () => {
      const sibling = { decision: 'ask', reason: 'The sibling asks.' };
      const scene = await make({ 'tool.before': { guard: {}, sibling } });
      scene.hold('guard');
      const host = scene.call();
      await waitUntil(async () => {
        const rows = await scene.query(`select from hookmachine.effects where outcome is not null`);
        return rows.length === 1 && scene.starts('guard') === 1;
      });
      host.kill('SIGKILL');
      await host;
      scene.release('guard');
      await scene.work();
      const { approval } = await asked(scene);
      expect(approval.reason).toMatch(/^Hook "guard" was cut off: .*\nThe sibling asks\.$/);
      expect([scene.starts('guard'), scene.starts('sibling'), scene.starts('tool')]).toEqual([
        1, 1, 0,
      ]);
    });

    test('an idempotent hook whose host is killed runs once more, and nobody is asked', async () => {
      const scene = await make(allowing);
      const file = join(scene.project, '.hookmachine/settings.json');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace('"name":"guard"', '"name":"guard","idempotent":true'),
      );
      scene.hold('guard');
      const host = scene.call();
      await waitUntil(() => scene.starts('guard') === 1);
      host.kill('SIGKILL');
      await host;
      scene.release('guard');
      await scene.work();
      expect(await ended(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([2, 1]);
    });

    test('a call whose host is killed while an idempotent hook runs, and again when the hook runs once more, is asked about', async () => {
      const scene = await make(allowing);
      const file = join(scene.project, '.hookmachine/settings.json');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace('"name":"guard"', '"name":"guard","idempotent":true'),
      );
      scene.hold('guard');
      for (const starts of [1, 2]) {
        const host = scene.call();
        await waitUntil(() => scene.starts('guard') === starts);
        host.kill('SIGKILL');
        await host;
      }
      scene.release('guard');
      expect(JSON.parse((await scene.call()).stdout)).toMatchObject({
        status: 'suspended',
        approval: { reason: expect.stringContaining('Hook "guard" was cut off') },
      });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([2, 0]);
    });

    test('a call whose host is killed after a hook allowed it, before that is recorded, is asked about (row 4)', async () => {
      const scene = await make(allowing);
      await scene.close('record BeforeTool/0/guard');
      await scene.killAtGate(scene.call(), 'lost');
      await scene.work();
      const { approval } = await asked(scene);
      expect(approval.reason).toMatch(/cut off/);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
    });

    test('a call whose host is killed before the question is listed has its question listed once (row 5)', async () => {
      const scene = await make();
      await scene.close('list');
      await scene.killAtGate(scene.call(), 'lost');
      await scene.work();
      expect(await approved(scene)).toMatchObject({ status: 'done' });
      expect(await scene.query('select from hookmachine.approvals')).toHaveLength(1);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    });

    test('a call whose host is killed right after the answer continues on another host (rows 7, 11)', async () => {
      const scene = await make();
      await scene.call();
      await scene.close('claim tool');
      const { approval, approvals } = await asked(scene);
      await approvals.answer(approval.id, { decision: 'approve', by: 'ann' });
      const worker = scene.worker('--lost-after', '1s');
      await scene.killAtGate(worker, 'lost');
      const records = await scene.records();
      await until(() => records.waiting(), [{ workspace: 'w', calls: 1 }]);
      await scene.work();
      expect(await ended(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    });

    test.each([
      ['claimed', 'claimed tool', 'committed', 0],
      ['finished but not recorded', 'record tool', 'lost', 1],
    ] as const)(
      'a call whose host is killed when the tool was %s says that the tool may have run (row 8)',
      async (_, point, fate, starts) => {
        const scene = await make(allowing);
        await scene.close(point);
        await scene.killAtGate(scene.call(), fate);
        await scene.work();
        const { status, toolResult } = await ended(scene);
        expect([status, toolResult.error?.type]).toEqual(['done', 'cut_off']);
        expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, starts]);
        expect(scene.read('audit.input')).toMatch(/It is unknown whether the tool ran/);
      },
    );

    test('a call whose host is killed while the tool runs says that the tool may have run (row 8)', async () => {
      const scene = await make(allowing);
      scene.hold('tool');
      const host = scene.call();
      await waitUntil(() => scene.starts('tool') === 1);
      host.kill('SIGKILL');
      await host;
      scene.release('tool');
      await scene.work();
      expect((await ended(scene)).toolResult.error?.type).toBe('cut_off');
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([
        1, 1, 1,
      ]);
    });

    test('a call whose host is killed while a hook examines the result keeps the result (row 9)', async () => {
      const scene = await make(allowing);
      scene.hold('audit');
      const host = scene.call();
      await waitUntil(() => scene.starts('audit') === 1);
      host.kill('SIGKILL');
      await host;
      scene.release('audit');
      await scene.work();
      const { status, toolResult } = await ended(scene);
      expect([status, toolResult.error]).toEqual(['done', undefined]);
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([
        1, 1, 1,
      ]);
    });

    test('a call whose host is killed before its caller knows the outcome returns the same outcome when it is made again (rows 10, 18)', async () => {
      const scene = await make(allowing);
      await scene.close('ended');
      await scene.killAtGate(scene.call(), 'committed');
      const again = await scene.call();
      expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, await ended(scene)]);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
      const other = await scene.run('call', 'read_file', '--input', '{}', '--id', 'c-1', '--workspace', 'w'); // prettier-ignore
      expect([other.exitCode, other.stderr]).toEqual([1, expect.stringMatching(/Another call has the id c-1/)]); // prettier-ignore
    });

    test('a call whose host is killed keeps a denial that was recorded beside a question (row 20)', async () => {
      const no = { decision: 'deny', reason: 'Never.' };
      const scene = await make({ 'tool.before': { guard: no, asker: { decision: 'ask' } } });
      scene.hold('asker');
      const host = scene.call();
      await waitUntil(async () => {
        const rows = await scene.query(`select from hookmachine.effects where outcome is not null`);
        return rows.length === 1 && scene.starts('asker') === 1;
      });
      host.kill('SIGKILL');
      await host;
      scene.release('asker');
      await scene.work();
      const { status, toolResult } = await ended(scene);
      expect([status, toolResult.llmContent]).toEqual(['blocked', 'Never.']);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
    });

    test('a call whose hosts are killed twice, at random times, reaches an outcome, and each hook and the tool starts at most once (row 12)', async () => {
      const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
      process.stderr.write(`SEED=${seed} repeats the moments of the kills\n`);
      let state = seed;
      const random = (): number => (state = (state * 48_271 + 11) % 2_147_483_647) / 2_147_483_647;
      const scene = await make();
      for (let round = 0; round < 4; round++) {
        const id = `r-${round}`;
        for (let kill = 0; kill < 2; kill++) {
          const host = kill === 0 ? scene.call(id) : scene.worker();
          await new Promise((resolve) => setTimeout(resolve, 600 + random() * 1_200));
          host.kill('SIGKILL');
          await host;
          const { approvals } = await scene.records();
          for (const { id: asks } of await approvals.list())
            await approvals.answer(asks, { decision: 'approve', by: 'ann' });
        }
      }
      const host = await scene.work();
      const { approvals } = await scene.records();
      for (let round = 0; round < 4; round++) {
        // A call that was killed before it had been submitted has left nothing behind.
        const input = { command: toolCommand };
        let outcome = await host.call({ id: `r-${round}`, name: 'run_shell_command', input });
        if (outcome.status === 'suspended') {
          await approvals.answer(outcome.approval.id, { decision: 'approve', by: 'ann' });
          outcome = await host.outcome(`r-${round}`, { wait: true });
        }
        expect(outcome.status).toBe('done');
      }
      const begun = await scene.query(
        `select name, count(*)::integer as count from hookmachine.effects group by name`,
      );
      const claims = Object.fromEntries(begun.map(({ name, count }) => [name, count]));
      expect(scene.starts('guard')).toBeLessThanOrEqual(claims['BeforeTool/0/guard'] as number);
      expect(scene.starts('tool')).toBeLessThanOrEqual(claims['tool'] as number);
    });
  });

  describe.skipIf(!isWhole)('while it is in progress', () => {
    test('a call on a frozen host continues on another one, and the frozen host changes nothing when it thaws', async () => {
      const scene = await make(allowing);
      scene.hold('guard');
      const frozen = scene.call('c-1', '--lost-after', '2s');
      await waitUntil(() => scene.starts('guard') === 1);
      frozen.kill('SIGSTOP');
      await scene.work();
      const { approval, approvals } = await asked(scene);
      expect(approval.reason).toMatch(/cut off/);
      scene.release('guard');
      frozen.kill('SIGCONT');
      const thawed = await frozen;
      expect([thawed.exitCode, JSON.parse(thawed.stdout)]).toMatchObject([3, { status: 'suspended' }]); // prettier-ignore
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
      await approvals.answer(approval.id, { decision: 'approve', by: 'ann' });
      expect(await ended(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
    });

    test('a call whose database is away for a moment continues as if nothing had happened (row 13)', async () => {
      const scene = await make(allowing);
      scene.hold('guard');
      const host = scene.call();
      await waitUntil(() => scene.starts('guard') === 1);
      const begin = await scene.killServer();
      scene.release('guard');
      await waitUntil(() => scene.read('guard.input') !== '');
      await begin();
      const { exitCode, stdout } = await host;
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { status: 'done' }]);
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]); // prettier-ignore
      const { call } = await (await scene.records()).audit('c-1');
      expect(call.attempts).toBe(1);
    });

    test('a call whose database is away for longer than the lease of its host is asked about when the database is back (row 13)', async () => {
      const scene = await make(allowing);
      scene.hold('guard');
      const host = scene.call('c-1', '--lost-after', '1s');
      let said = '';
      host.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await waitUntil(() => scene.starts('guard') === 1);
      const begin = await scene.killServer();
      await waitUntil(() => said.includes('its hooks and tools are ended'));
      await begin();
      const { exitCode, stderr } = await host;
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/cannot reach the database .*lease of 1 s.* was lost .*has joined again.*hook "guard" \(tool\.before\) failed, and asks/s)]); // prettier-ignore
      const { approval } = await asked(scene);
      expect(approval.reason).toMatch(/cut off/);
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
    });

    test('a tool that was about to be claimed when the database was killed does not run meanwhile, and afterwards not without the guard (row 13)', async () => {
      const scene = await make(allowing);
      await scene.close('claim tool');
      const host = scene.call();
      await scene.atGate();
      const said = new Promise((resolve) => host.stderr.once('data', resolve));
      const begin = await scene.killServer();
      // The host reports it once it knows; nothing it had begun continues without its claim.
      await said;
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
      await begin();
      const { exitCode, stdout } = await host;
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { status: 'done' }]);
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]); // prettier-ignore
    });

    test('a call that is made while the database is unreachable is blocked (row 19)', async () => {
      const scene = await make(allowing);
      const host = await scene.work();
      const begin = await scene.killServer();
      try {
        const input = { command: toolCommand };
        const here = await host.call({ id: 'c-2', name: 'run_shell_command', input });
        expect(here).toMatchObject({
          status: 'blocked',
          toolResult: { error: { type: 'database_unavailable' } },
        });
        const elsewhere = await scene.call();
        expect([elsewhere.exitCode, JSON.parse(elsewhere.stdout)]).toMatchObject([
          2,
          { status: 'blocked', toolResult: { error: { type: 'database_unavailable' } } },
        ]);
      } finally {
        await begin();
      }
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([0, 0]);
    });
  });

  describe.skipIf(!isWhole)('while it waits for an answer', () => {
    test.each([
      ['denied', 'deny', 'refused', /^Denied by ann at \d{4}-\S+Z: not today$/],
      ['withdrawn', 'withdraw', 'cancelled', /Withdrawn by ann at \d{4}-\S+Z: not today$/],
    ] as const)(
      'a call whose question is %s does not run, and the model reads who answered, when and why (row 15)',
      async (_, decision, status, text) => {
        const scene = await make();
        await scene.call();
        const { exitCode } = await scene.run('approvals', 'answer', 'ap-1', decision, '--as', 'ann', '--note', 'not today'); // prettier-ignore
        expect(exitCode).toBe(0);
        await scene.work();
        const outcome = await ended(scene);
        expect([outcome.status, outcome.toolResult.llmContent]).toEqual([status, expect.stringMatching(text)]); // prettier-ignore
        expect(scene.starts('tool')).toBe(0);
        const late = await scene.run('approvals', 'answer', 'ap-1', 'approve', '--as', 'bob');
        expect([late.exitCode, JSON.parse(late.stdout)]).toMatchObject([3, { accepted: false }]);
      },
    );

    test('a call whose question expires does not run, and a later answer does not count (row 15)', async () => {
      const scene = await make();
      await scene.call('c-1', '--expires-after', '1ms');
      const { approvals } = await scene.records();
      expect(await approvals.answer('ap-1', { decision: 'approve', by: 'ann' })).toMatchObject({
        accepted: false,
        was: { decision: 'expired' },
      });
      await scene.work();
      const outcome = await ended(scene);
      expect(outcome).toMatchObject({ status: 'refused', by: 'expiry' });
      expect(outcome.toolResult.llmContent).toMatch(/^Nobody answered ap-1 in time; it expired at/);
      expect(scene.starts('tool')).toBe(0);
    });
  });

  describe.skipIf(!isWhole)('from another release', () => {
    test('a call that was asked about by the first release is answered and continues (row 17)', async () => {
      const scene = await make();
      const input = { command: toolCommand };
      const judged = JSON.parse(
        readFileSync(new URL('judged-by-0.1.json', import.meta.url), 'utf8'),
      ) as object;
      await scene.query(
        `insert into hookmachine.calls (id, format, workspace, tool, input, status, judged)
         values ('c-1', 1, 'w', 'run_shell_command', $1, 'suspended', $2)`,
        [JSON.stringify(input), JSON.stringify({ ...judged, toolInput: input })],
      );
      await scene.query(
        `insert into hookmachine.approvals (call, shown, digest, asked, asked_at, expires_at)
         values ('c-1', $1, encode(sha256(convert_to($1, 'UTF8')), 'hex'), '{"reason":"May it?","hooks":[]}', now() - interval '31 days', now() + interval '1 day')`,
        [JSON.stringify(input)],
      );
      await scene.work();
      expect(await approved(scene)).toMatchObject({ status: 'done', toolInput: input });
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([
        0, 1, 1,
      ]);
    });

    test.each([1, 2, 3, 4, 5] as const)(
      'a call in tables of version %i continues where it was once the tables are migrated (rows 8, 17)',
      async (version) => {
        const scene = await make(allowing);
        expect((await scene.call('c-ended')).exitCode).toBe(0);
        scene.hold('tool');
        const host = scene.call('c-killed');
        await waitUntil(() => scene.starts('tool') === 2);
        host.kill('SIGKILL');
        await host;
        scene.release('tool');
        scene.setHooks(asking);
        expect((await scene.call()).exitCode).toBe(3);
        await scene.takeBackTo(version);
        await expect(scene.records()).rejects.toThrow(
          `is at version ${version}, but this release needs 6`,
        );
        expect((await scene.run('durable', 'migrate')).stdout).toBe(
          `the tables went from version ${version} to 6`,
        );
        await scene.joinAgain();
        await scene.work();
        const records = await scene.records();
        expect(await approved(scene)).toMatchObject({ status: 'done' });
        const others = await Promise.all(
          ['c-ended', 'c-killed'].map((id) => records.outcome(id, { wait: true })),
        );
        expect(others).toMatchObject([
          { status: 'done', toolResult: { llmContent: expect.stringContaining('ran') } },
          { status: 'done', toolResult: { error: { type: 'cut_off' } } },
        ]);
        const names = (await records.audit('c-ended')).effects.map(({ name }) => name);
        expect(names).toEqual(['BeforeTool/0/guard', 'tool', 'AfterTool/0/audit']);
        expect(scene.starts('tool')).toBe(3);
      },
    );

    test('a call of a newer release is refused and left unchanged (row 17)', async () => {
      const scene = await make();
      await scene.call();
      await scene.query('update hookmachine.calls set format = 99');
      await scene.work();
      const { approval, approvals } = await asked(scene);
      expect(approval.reason).toBe('It was asked by a newer release (format 99): answer it there.');
      const answer = approvals.answer(approval.id, { decision: 'approve', by: 'ann' });
      await expect(answer).rejects.toThrow('has format 99, but this release reads only up to 1');
      await scene.query(`update hookmachine.calls set status = 'ready'`);
      const again = await scene.call();
      expect([again.exitCode, again.stderr]).toEqual([
        1,
        expect.stringMatching(/upgrade hookmachine/),
      ]);
      expect(scene.starts('tool')).toBe(0);
      await scene.query('insert into hookmachine.version values (99)');
      const refused = await scene.run('approvals', 'list');
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/at version 99, which is newer/)]); // prettier-ignore
    });
  });

  describe.skipIf(chromiumPath === undefined)('with a question on a page', () => {
    beforeAll(startBrowser);

    test('a question is answered once on the page, which records who answered, shows the legs and hosts of the call, and shows markup as plain text', async () => {
      const scene = await make();
      const markup = `<img src=x onerror="document.title='hit'">`;
      scene.setHooks({ 'tool.before': { guard: { decision: 'ask', reason: markup } }, 'tool.after': { audit: {} } }); // prettier-ignore
      const command = `${toolCommand} # ${markup}\u202e`;
      const call = () => scene.run('call', 'run_shell_command', '--input', JSON.stringify({ command }), '--id', 'c-1', '--workspace', 'w'); // prettier-ignore
      await Promise.all([call(), scene.call('c-2')]);
      const url = await scene.page('approvals', 'inspect');

      // A request that does not come from the page cannot answer anything.
      const { page: address, cookie } = await enter(url);
      const { origin } = new URL(url);
      const listed = await (await scene.records()).approvals.list();
      const { id, digest } = listed.find((approval) => approval.call === 'c-1')!;
      const post = (headers: Record<string, string>, more = {}) =>
        ask(`${address}approvals/answer`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ id, digest, decision: 'approve', by: 'eve', ...more }),
        });
      const refused = [
        await post({ origin }),
        await post({ cookie }),
        await post({ cookie, origin: 'http://127.0.0.1:1' }),
        await post({ cookie, origin, 'content-type': 'text/plain' }),
        await post({ cookie, origin }, { by: ' ' }),
        await post({ cookie, origin }, { note: 'x'.repeat(70_000) }),
        await post({ cookie, origin }, { digest: 'f'.repeat(64) }),
        await post({ cookie, origin }, { id: 'ap-99' }),
        await ask(`${address}approvals/answer`, { headers: { cookie } }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 400, 400, 409, 404, 405]); // prettier-ignore

      const [page, other] = [await openPage(url), await openPage(url)];
      const card = (where: typeof page, name: string) => where.locator(`[data-approval="${name}"]`);
      const outcome = (where: typeof page, name: string) => () =>
        card(where, name).locator('.outcome').textContent();
      const mine = card(page, id);
      await until(() => page.locator('article').count(), 2);
      expect(await mine.locator('.shown').textContent()).toBe(
        JSON.stringify({ command }).replace('\u202e', String.raw`\u{202e}`),
      );
      expect(await mine.textContent()).toContain(`asked by guard (project): ${markup}`);
      expect(await page.locator('article img').count()).toBe(0);
      await until(() => card(other, id).count(), 1);

      // Another reader, whose page does not know about the answer yet.
      await other.route(/approvals$/, () => new Promise(() => undefined));
      await page.locator('#approvals-name').fill('');
      await mine.getByRole('button', { name: 'Approve' }).click();
      await until(outcome(page, id), 'Enter your name above.');
      await page.locator('#approvals-name').fill('ann');
      await mine.getByRole('button', { name: 'Approve' }).click();
      await until(outcome(page, id), 'Your answer counts: approved by ann.');
      await other.locator('#approvals-name').fill('bob');
      await card(other, id).getByRole('button', { name: 'Deny' }).click();
      await until(
        outcome(other, id),
        expect.stringMatching(
          /^Your answer does not count: it was approved by ann \(role postgres\)/,
        ),
      );
      expect((await call()).exitCode).toBe(0);

      // The name is remembered, and an answered question can be viewed with everything that was done for its
      // call.
      await page.reload();
      await until(() => page.locator('article').count(), 1);
      expect(await page.locator('#approvals-name').inputValue()).toBe('ann');
      await page.locator('#approvals-all').check();
      await until(outcome(page, id), expect.stringMatching(/^approved by ann \(role postgres\) at /)); // prettier-ignore
      await card(page, id).locator('summary').click();
      const effects = card(page, id).locator('details tbody tr');
      await until(() => effects.count(), 3);
      const rows = await effects.evaluateAll((found) =>
        found.map((row) => Array.from(row.children, ({ textContent }) => textContent)),
      );
      expect(rows.map(([leg, , what, , , end]) => [leg, what, end])).toEqual([
        ['before', 'BeforeTool/0/guard', 'exit 0'],
        ['after the answer', 'tool', 'ran'],
        ['after the answer', 'AfterTool/0/audit', 'exit 0'],
      ]);
      expect(new Set(rows.map((row) => row[3])).size).toBe(2);
      expect(await page.title()).toBe('Approvals · hookmachine inspector');
      await picture(page, 'approvals');
    });
  });

  describe.skipIf(!isWhole)('with a hook that nobody waits for', () => {
    test('a hook that nobody waits for starts at most once even if its host is killed', async () => {
      const scene = await make({ 'tool.before': { guard: {} }, 'tool.after': { audit: {} } });
      const settings = JSON.parse(scene.read('.hookmachine/settings.json')) as {
        hooks: Record<string, { hooks: Record<string, unknown>[] }[]>;
      };
      settings.hooks['tool.after']![0]!.hooks[0]!['async'] = true;
      writeFileSync(join(scene.project, '.hookmachine/settings.json'), JSON.stringify(settings));
      await scene.close('ended');
      await scene.killAtGate(scene.call(), 'lost');
      await scene.work();
      expect(await ended(scene)).toMatchObject({ status: 'done' });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 1]);
      const { effects } = await (await scene.records()).audit('c-1');
      expect(effects.map(({ name, outcome }) => [name, (outcome as { status?: string }).status])).toContainEqual(['AfterTool/0/audit', 'started']); // prettier-ignore
      expect(scene.starts('audit')).toBeLessThanOrEqual(1);
    });
  });

  describe.skipIf(!isWhole)('with a role that may only answer', () => {
    test('a role that may only answer can answer a question, and its name is recorded', async () => {
      const scene = await make();
      await scene.call();
      await scene.query(answererRole);
      const url = scene.url.replace('postgres@', 'answerer@');
      const records = await own.installed.durable.openRecords(url);
      try {
        expect(await records.approvals.answer('ap-1', { decision: 'deny', by: 'ann' })).toEqual({ accepted: true }); // prettier-ignore
        expect((await records.approvals.show('ap-1')).answer).toMatchObject({ by: 'ann', role: 'answerer' }); // prettier-ignore
        await expect(records.audit('c-1')).rejects.toThrow('permission denied');
      } finally {
        await records.close();
      }
    });
  });
});
