import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPage, startBrowser, until } from '../watch/inspector/browser.ts';
import { chromiumPath } from '../watch/inspector/chromium.ts';
import { visible } from '../../src/base/visible.ts';
import { waitUntil } from '../support/until.ts';
import { type Cut, cuttingProxy } from './cutting-proxy.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { toolCommand } from './scene.ts';

const input = { command: toolCommand };
const call = { id: 'c-1', name: 'run_shell_command', input };
const other = JSON.stringify({ command: 'echo other' });
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.skipIf(noServer !== undefined || !isInstalled || !isWhole)(
  'an answer to a question',
  () => {
    const own = ownServer();
    afterEach(() => void vi.useRealTimers());

    /** A scene with a call that waits for its answer, a host, and the records. */
    const asked = async () => {
      const scene = await own.make();
      const host = await scene.connect();
      expect(await host.call(call)).toMatchObject({ status: 'suspended' });
      const { approvals } = await scene.records();
      return { scene, host, approvals };
    };

    test('an answer that is none is refused, and its question stays', async () => {
      const { scene, host } = await asked();
      const wrong = { decision: 'approved', by: 'ann' } as never;
      await expect(host.approvals.answer('ap-1', wrong)).rejects.toMatchObject({
        code: 'ARGUMENT_INVALID',
      });
      expect(await host.outcome('c-1')).toMatchObject({ status: 'suspended' });
      const set = (text: string) => scene.query(`update hookmachine.approvals set ${text}`);
      for (const text of [
        `answered_at = now(), answered_by = 'ann'`,
        `answered_by = 'ann'`,
        `decision = 'approved', answered_at = now()`,
        `decision = 'approved', answered_by = 'ann'`,
        `decision = 'expired'`,
        `decision = 'yes', answered_at = now(), answered_by = 'ann'`,
      ])
        await expect(set(text), text).rejects.toThrow(/violates check constraint/);
    });

    test('arguments that were changed in the database cannot be approved, but denied', async () => {
      const { scene, host } = await asked();
      await scene.query('update hookmachine.approvals set shown = $1', [other]);
      const approve = host.approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      await expect(approve).rejects.toMatchObject({ code: 'APPROVAL_MISMATCH' });
      expect(await host.approvals.answer('ap-1', { decision: 'deny', by: 'ann' })).toEqual({
        accepted: true,
      });
      expect(await host.outcome('c-1')).toMatchObject({ status: 'refused' });
      expect(scene.starts('tool')).toBe(0);
    });

    test.each([
      ['after the answer', 'shown = $1', [other]],
      ['with their digest', 'shown = $1, digest = $2', [other, digestOf(other)]],
      ['in their form only', 'shown = $1', [JSON.stringify(input, null, 1)]],
    ])(
      'arguments that were changed in the database %s do not run, and the model reads that',
      async (_, set, values) => {
        const { scene, host } = await asked();
        if (set.includes('digest')) await scene.query(`update hookmachine.approvals set ${set}`, values); // prettier-ignore
        await host.approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
        if (!set.includes('digest')) await scene.query(`update hookmachine.approvals set ${set}`, values); // prettier-ignore
        expect(await host.outcome('c-1')).toMatchObject({
          status: 'blocked',
          toolInput: input,
          toolResult: {
            llmContent: expect.stringContaining('were changed in the database'),
            error: { type: 'approval_altered' },
          },
        });
        expect(scene.starts('tool')).toBe(0);
      },
    );

    describe('with other arguments', () => {
      const edited = { command: `${toolCommand} # edited` };
      const approve = { decision: 'approve', by: 'ann', input: edited } as const;

      test('has the hooks judge them, and the tool gets them', async () => {
        const { scene, host, approvals } = await asked();
        await expect(approvals.answer('ap-1', { ...approve, decision: 'deny' })).rejects.toThrow('only an approval can change arguments'); // prettier-ignore
        await expect(approvals.answer('ap-1', { ...approve, input: '{}' as never })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' }); // prettier-ignore
        expect(await approvals.answer('ap-1', approve)).toEqual({ accepted: true });
        expect(await host.outcome('c-1', { wait: true })).toMatchObject({
          status: 'done',
          toolInput: edited,
        });
        expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([2, 1, 1]); // prettier-ignore
        expect(scene.read('guard.input')).toContain('# edited');
        const { effects, approval } = await (await scene.records()).audit('c-1');
        expect(effects.map(({ name }) => name)).toEqual(['BeforeTool/0/guard', 'edited/BeforeTool/0/guard', 'tool', 'edited/AfterTool/0/audit']); // prettier-ignore
        expect(JSON.parse(approval!.edited!)).toEqual(edited);
      });

      test('is no approval of what a hook denies or changes', async () => {
        const { scene, host, approvals } = await asked();
        const again = await host.call({ ...call, id: 'c-2' });
        expect(again).toMatchObject({ status: 'suspended' });
        scene.setHooks({ 'tool.before': { guard: { decision: 'deny', reason: 'Not this.' } }, 'tool.after': { audit: {} } }); // prettier-ignore
        await approvals.answer('ap-1', approve);
        expect(await host.outcome('c-1', { wait: true })).toMatchObject({ status: 'blocked' });
        scene.setHooks({ 'tool.before': { guard: { hookSpecificOutput: { tool_input: input } } }, 'tool.after': { audit: {} } }); // prettier-ignore
        await approvals.answer('ap-2', approve);
        expect(await host.outcome('c-2', { wait: true })).toMatchObject({
          toolResult: { error: { type: 'approval_altered' } },
        });
        expect(scene.starts('tool')).toBe(0);
      });

      test('does not run if a host dies while a hook judges them', async () => {
        const { scene, host, approvals } = await asked();
        await host.close();
        scene.hold('guard');
        await approvals.answer('ap-1', approve);
        const worker = scene.worker();
        await waitUntil(() => scene.starts('guard') === 2);
        worker.kill('SIGKILL');
        await worker;
        scene.release('guard');
        await scene.work();
        const records = await scene.records();
        const outcome = await records.outcome('c-1', { wait: true });
        expect(outcome).toMatchObject({ status: 'blocked', toolResult: { llmContent: expect.stringContaining('was cut off') } }); // prettier-ignore
        expect([scene.starts('guard'), scene.starts('tool')]).toEqual([2, 0]);
      });
    });

    test('a question that an earlier release lost is asked again once the tables are migrated', async () => {
      const { scene, host } = await asked();
      await host.call({ ...call, id: 'c-2' });
      await scene.takeBackTo(3);
      await scene.query(
        `update hookmachine.approvals set answered_by = 'ann', answered_as = 'postgres', answered_at = now()`,
      );
      await scene.query(`update hookmachine.calls set status = 'ready' where id = 'c-1'`);
      await scene.query(
        `update hookmachine.calls set status = 'ended', outcome = $1, ended_at = now() where id = 'c-2'`,
        [JSON.stringify({ id: 'c-2', status: 'failed', toolInput: input, toolResult: {} })],
      );
      expect((await scene.run('durable', 'migrate')).stdout).toBe(
        'the tables went from version 3 to 6',
      );
      expect((await host.approvals.list()).map(({ id }) => id)).toEqual(['ap-1']);
      expect(await host.approvals.show('ap-2')).toMatchObject({
        answer: { decision: 'withdrawn' },
      });
      await host.approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      expect(await host.outcome('c-1')).toMatchObject({ status: 'done' });
      expect(scene.starts('tool')).toBe(1);
    });

    test.each([-10, 10])(
      'a question is neither expired nor lost on a host whose clock is wrong by %i years',
      async (years) => {
        const { scene, host, approvals } = await asked();
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + years * 365 * 86_400_000 });
        const wrong = await scene.connect({}, { lostAfter: 60_000 });
        const stop = new AbortController();
        const working = wrong.work(stop.signal);
        await wrong.approvals.expire();
        expect(await wrong.outcome('c-1')).toMatchObject({ status: 'suspended' });
        scene.hold('tool');
        await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
        const outcome = host.outcome('c-1', { wait: true });
        await waitUntil(() => scene.starts('tool') === 1);
        expect(await wrong.call({ ...call, id: 'c-2' })).toMatchObject({ status: 'suspended' });
        scene.release('tool');
        expect(await outcome).toMatchObject({ status: 'done' });
        stop.abort();
        await working;
        const { answer } = await approvals.show('ap-1');
        vi.useRealTimers();
        expect(Math.abs(answer!.at.getTime() - Date.now())).toBeLessThan(600_000);
        expect([scene.starts('guard'), scene.starts('tool')]).toEqual([2, 1]);
      },
    );

    describe.skipIf(chromiumPath === undefined)('on the page', () => {
      beforeAll(startBrowser);

      test('hostile texts in every field of a question run nothing, hide no button, and are shown as what is answered', async () => {
        const { scene, approvals } = await asked();
        const hostile = [
          `<script>window.hit = 1</script><img src=x onerror="window.hit = 2">`,
          `" autofocus onfocus="window.hit = 3" x="`,
          `' onmouseover='window.hit = 4`,
          `javascript:window.hit=5`,
          `{{constructor.constructor('window.hit = 6')()}} \${window.hit = 7} <%= window.hit = 8 %>`,
          `</pre></article></dialog><style>*{display:none!important}</style>`,
          `position:fixed;inset:0;z-index:9999;background:red`,
          `\u202Eeteled\u2066\u200B\u{E0041}\u2028${'\u0301'.repeat(500)}`,
        ].join('\n');
        const long = `${hostile}${'W'.repeat(1_000_000)}`;
        const shown = JSON.stringify({ [hostile]: long });
        await scene.query(`update hookmachine.calls set id = 'c-1', tool = $1, workspace = $1, session = $1`, [hostile]); // prettier-ignore
        await scene.query('update hookmachine.approvals set shown = $1, digest = $2, asked = $3', [
          shown,
          digestOf(shown),
          JSON.stringify({
            reason: long,
            hooks: [{ hook: hostile, source: hostile, dialect: hostile, decision: 'ask', reason: long }], // prettier-ignore
          }),
        ]);
        const page = await openPage(await scene.page('approvals', 'inspect'), {
          viewport: { width: 390, height: 800 },
        });
        const card = page.locator('[data-approval="ap-1"]');
        await until(() => card.count(), 1);
        expect(await card.locator('.shown').textContent()).toBe(visible(shown));
        expect(await page.locator('article :is(script, style, img, a, iframe)').count()).toBe(0);
        for (const name of ['Approve', 'Deny', 'Withdraw']) {
          const button = card.getByRole('button', { name });
          await button.scrollIntoViewIfNeeded();
          const isOnTop = await button.evaluate((element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return (
              element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2) === element
            );
          });
          expect(isOnTop, name).toBe(true);
        }
        expect((await card.boundingBox())!.height).toBeLessThan(1_600);
        await page.locator('#approvals-name').fill(hostile.slice(0, 60));
        await card.getByRole('button', { name: 'Approve' }).click();
        await until(
          () => card.locator('.outcome').textContent(),
          expect.stringMatching(/^Your answer counts: approved by/),
        );
        expect(await page.evaluate('window.hit')).toBeUndefined();
        expect(await approvals.show('ap-1')).toMatchObject({ digest: digestOf(shown), answer: { decision: 'approved' } }); // prettier-ignore
      });
    });

    const cuts: readonly Cut[] = ['before it arrives', 'before its reply arrives'];
    const statements = [
      ['the call is submitted', 'insert into hookmachine.calls'],
      ['a hook or the tool is claimed', 'insert into hookmachine.effects'],
      ['an outcome is recorded', 'update hookmachine.effects set outcome'],
      ['the question is listed', 'insert into hookmachine.approvals'],
      ['the question is committed', 'commit'],
    ] as const;
    test.each(statements.flatMap(([when, text]) => cuts.map((cut) => [when, cut, text] as const)))(
      'a connection that is lost when %s, %s, costs no answer and runs nothing twice',
      async (_, cut, text) => {
        const scene = await own.make();
        const proxy = await cuttingProxy(scene.url, text, cut);
        const host = await scene.connect({}, { database: proxy.url });
        proxy.arm();
        const outcome = await host.call(call);
        expect(proxy.hasCut()).toBe(true);
        expect(outcome.status).toBe('suspended');
        expect([scene.starts('guard') <= 1, scene.starts('tool')]).toEqual([true, 0]);
        const { approvals } = await scene.records();
        const open = await approvals.list({ all: true });
        expect(open).toHaveLength(1);
        await approvals.answer(open[0]!.id, { decision: 'approve', by: 'ann' });
        expect(await host.outcome('c-1')).toMatchObject({ status: 'done' });
        expect([scene.starts('guard') <= 1, scene.starts('tool')]).toEqual([true, 1]);
      },
    );

    test.each(cuts)('an answer whose connection is lost %s counts at most once', async (cut) => {
      const { scene, host } = await asked();
      const proxy = await cuttingProxy(scene.url, 'with answered as', cut);
      const far = await scene.connect({}, { database: proxy.url });
      proxy.arm();
      const answer = { decision: 'approve', by: 'ann' } as const;
      await expect(far.approvals.answer('ap-1', answer)).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
      });
      const again = await far.approvals.answer('ap-1', answer);
      expect(again).toMatchObject(
        cut === 'before it arrives'
          ? { accepted: true }
          : { accepted: false, was: { decision: 'approved', by: 'ann' } },
      );
      expect(await host.outcome('c-1')).toMatchObject({ status: 'done' });
      expect(scene.starts('tool')).toBe(1);
    });
  },
);
