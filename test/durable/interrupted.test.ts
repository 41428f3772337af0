import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { type Hooks, type Scene, toolCommand } from './scene.ts';

const allowing: Hooks = { 'tool.before': { guard: {} }, 'tool.after': { audit: {} } };
const call = {
  id: 'c-1',
  name: 'run_shell_command',
  input: { command: toolCommand },
};
const result = { llmContent: 'ran', returnDisplay: 'ran' };

const openGate = async (scene: Scene): Promise<void> => {
  await scene.query('delete from gate');
  await scene.query('select pg_advisory_unlock(4242)');
};

/** Ends the statement that waits at the gate, as a lost connection would. */
const loseAtGate = async (scene: Scene): Promise<void> => {
  await scene.query('select pg_terminate_backend($1)', [await scene.atGate()]);
  await openGate(scene);
};

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'a durable call that is interrupted',
  () => {
    const own = ownServer();

    const make = (hooks?: Hooks): Promise<Scene> => own.make(hooks);

    test('a call whose guard was cancelled does not run without it, even if the end of the call could not be recorded', async () => {
      const scene = await make(allowing);
      scene.hold('guard');
      const said: string[] = [];
      const onWarning = (line: string) => said.push(line);
      const host = await scene.connect({ onWarning }, { lostAfter: 1_000 });
      const given = new AbortController();
      const calling = host.call(call, { signal: given.signal }).catch(() => undefined);
      await waitUntil(() => scene.starts('guard') === 1);
      await scene.close('ended');
      given.abort(new Error('the user left'));
      await scene.atGate();
      // The host loses its lease at that very moment.
      await scene.query('delete from hookmachine.hosts');
      await waitUntil(() => said.some((line) => line.includes('another host took it over')));
      await loseAtGate(scene);
      await calling;
      scene.release('guard');
      await scene.work();
      expect(await host.outcome('c-1')).toMatchObject({
        status: 'suspended',
        approval: { reason: expect.stringMatching(/^Hook "guard" was cut off/) },
      });
      expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);
    });

    test('a call whose hooks changed after its tool was begun says that the tool may have run', async () => {
      const scene = await make(allowing);
      scene.hold('audit');
      const first = scene.call();
      await waitUntil(() => scene.starts('audit') === 1);
      first.kill('SIGKILL');
      await first;
      scene.setHooks({ 'tool.before': { other: { decision: 'deny' } } });
      const host = await scene.work();
      const outcome = await host.outcome('c-1');
      expect(outcome).toMatchObject({
        status: 'blocked',
        toolResult: {
          error: { type: 'policy_changed', message: expect.stringMatching(/may have run/) },
        },
      });
      expect(JSON.stringify(outcome)).not.toMatch(/was not run|Make the call again/);
      expect([scene.starts('other'), scene.starts('tool')]).toEqual([0, 1]);
    });

    test('a call can be cancelled by its own agent although someone has already approved it', async () => {
      const scene = await make();
      const host = await scene.connect();
      const [one, other] = ['a-1', 'a-2'].map((id) => host.open({ ...call, id }));
      for (const asked of [one!, other!]) expect((await asked.verdict).status).toBe('asked');
      await host.approvals.answer(one!.waitsFor!.id, { decision: 'approve', by: 'ann' });
      const ends = [one!.cancel('the user left'), one!.cancel('the session ended')];
      for (const ended of await Promise.all(ends))
        expect(ended.outcome).toMatchObject({ status: 'cancelled' });
      // The other one is approved while it is being withdrawn, and this host has a tool of that name.
      await scene.query('begin');
      await scene.query(
        `update hookmachine.approvals set decision = 'approved', answered_by = 'ann', answered_at = now() where call = 'a-2'`,
      );
      await scene.query(`update hookmachine.calls set status = 'ready' where id = 'a-2'`);
      const withdrawn = host.withdraw('a-2', 'the agent went on');
      await waitUntil(async () => (await scene.query('select from pg_locks where not granted'))[0]);
      await scene.query('commit');
      await withdrawn;
      expect((await host.audit('a-2')).effects.map(({ name }) => name)).toEqual([
        'BeforeTool/0/guard',
      ]);
      expect(scene.starts('tool')).toBe(0);
    });

    test('a call that its own agent has denied cannot be approved by others, even if the database was away', async () => {
      const scene = await make();
      const host = await scene.connect();
      const opened = host.open(call);
      expect((await opened.verdict).status).toBe('asked');
      const begin = await scene.killServer();
      const answered = opened.answer('not this one');
      await begin();
      expect(await answered).toMatchObject({
        status: 'ended',
        call: { toolResult: { error: { message: expect.stringMatching(/not this one/) } } },
      });
      const [approval] = await host.approvals.list({ all: true });
      expect(approval?.answer).toMatchObject({ decision: 'denied', note: 'not this one' });
    });

    test('a call does not run once its user has refused the question of its tool, or once it is cancelled after it was left', async () => {
      const scene = await make(allowing);
      const host = await scene.connect();
      const refused = host.open(call);
      expect(await refused.question()).toMatchObject({ status: 'asked' });
      expect(await refused.answer('not this one')).toMatchObject({ status: 'ended' });
      const left = host.open({ ...call, id: 'c-2' });
      expect((await left.verdict).status).toBe('allowed');
      left.leave();
      expect((await left.cancel('the user left')).outcome).toMatchObject({ status: 'cancelled' });
      for (const id of ['c-1', 'c-2'])
        expect(await host.outcome(id)).toMatchObject({ id, status: 'cancelled' });
    });

    test('a call is not given up because of hosts that leave it in good order, however often they do', async () => {
      const scene = await make(allowing);
      for (let run = 0; run < 12; run += 1) {
        const host = await scene.connect();
        const opened = host.open(call);
        expect((await opened.verdict).status).toBe('allowed');
        if (run % 2 === 0) opened.leave();
        await host.close();
      }
      expect(scene.starts('guard')).toBe(1);
    });

    test('a call that was cancelled does not begin its tool, although the tool was already claimed', async () => {
      const scene = await make(allowing);
      const host = await scene.connect();
      const given = new AbortController();
      const opened = host.open(call, { signal: given.signal });
      expect((await opened.verdict).status).toBe('allowed');
      await scene.close('claimed tool');
      const begun = opened.begin();
      await scene.atGate();
      given.abort(new Error('the user left'));
      await openGate(scene);
      expect((await begun).status).toBe('ended');
      await opened.succeed(result);
      expect((await opened.ended).outcome).toMatchObject({ status: 'cancelled' });
    });
  },
);
