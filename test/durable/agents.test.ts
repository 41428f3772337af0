import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, serveMessages } from '../frameworks/claude-agent-sdk/messages-server.ts';
import { folderOf, packageOf } from '../frameworks/installed.ts';
import { waitUntil } from '../support/until.ts';
import { folder, installBuilt, isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { type Scene } from './scene.ts';

/** What an agent's host prints when its run has ended. */
interface Said {
  readonly text?: string;
  readonly why?: string;
  readonly code?: string;
  readonly error?: string;
  readonly suspended: readonly { readonly approval: string; readonly toolCallId: string }[];
  /** The conversation as the framework saves it. */
  readonly saved?: unknown;
  /** The requests to the model. */
  readonly asked?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The Claude Code program that comes with the Agent SDK. */
const claudePackage = packageOf(
  'claude-agent-sdk',
  `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`,
);
const claude = claudePackage && join(claudePackage, 'claude');

/** Installs the built package and `pg` beside a framework. */
function installInto(framework: string): void {
  installBuilt(folderOf(framework));
  const pg = join(folderOf(framework), 'node_modules/pg');
  if (!existsSync(pg)) symlinkSync(join(folder, 'node_modules/pg'), pg);
}

/** The frameworks that can wait for an answer, each with a package that shows whether it is installed. */
const frameworks = [
  ['ai-sdk-6', 'ai'],
  ['ai-sdk-7', 'ai'],
  ['openai-agents', '@openai/agents'],
  ['langchain', 'langchain'],
] as const;

/** Runs an agent's host to its end. */
async function runAgent(framework: string, scene: Scene, order: object = {}): Promise<Said> {
  const { stdout, stderr, exitCode } = await scene.agent(framework, order);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Said;
}

const missing =
  noServer ?? (isInstalled ? undefined : 'pg is not installed: npm ci --prefix test/durable');

describe.skipIf(missing !== undefined)('an agent whose calls are durable', () => {
  const own = ownServer();

  const make = () => own.make();

  describe.each(frameworks)('in %s', (framework, name) => {
    const isThere = packageOf(framework, name) !== undefined;
    beforeAll(() => {
      if (isThere) installInto(framework);
    });

    const run = (scene: Scene, order?: object) => runAgent(framework, scene, order);

    test.skipIf(!isThere)(
      'an agent waits for the answer in the database, and its tool runs once, in whichever process continues the run',
      async () => {
        const scene = await make();
        const first = await run(scene);
        expect(first.suspended).toMatchObject([{ approval: 'ap-1', toolCallId: 'call-1' }]);
        expect([first.text ?? '', scene.starts('tool')]).toEqual(['', 0]);
        const { saved } = first;
        // An answer in the conversation does not count.
        const early = await run(scene, { saved, says: 'yes' });
        expect(early).not.toMatchObject({ text: 'Done.' });
        expect([scene.starts('guard'), scene.starts('tool')]).toEqual([1, 0]);

        const { approvals } = await scene.records();
        expect(await approvals.list()).toMatchObject([{ call: 's-1/call-1', tool: 'write' }]);
        await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
        const later = await Promise.all([run(scene, { saved }), run(scene, { saved })]);
        expect(later).toMatchObject([{ text: 'Done.' }, { text: 'Done.' }]);
        expect(JSON.stringify(later[0]?.asked)).toContain('written');
        expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]); // prettier-ignore
      },
    );

    describe.skipIf(!isThere || !isWhole)('while a call waits', () => {
      test('an agent obeys a denial from the database, and the model reads who denied the call and why', async () => {
        const scene = await make();
        const { saved } = await run(scene);
        const { approvals } = await scene.records();
        await approvals.answer('ap-1', { decision: 'deny', by: 'bob', note: 'not today' });
        const later = await run(scene, { saved, says: 'yes' });
        expect([later.text, scene.starts('tool')]).toEqual(['Done.', 0]);
        expect(JSON.stringify(later.asked)).toMatch(/Denied by bob at \S+: not today/);
      });

      test('an agent withdraws its question when its own user refuses the call', async () => {
        const scene = await make();
        const { saved } = await run(scene);
        expect(await run(scene, { saved, says: 'no' })).toMatchObject({ text: 'Done.' });
        expect(scene.starts('tool')).toBe(0);
        const { approvals } = await scene.records();
        const [asked] = await approvals.list({ all: true });
        expect(asked?.answer?.decision).toMatch(/^(?:denied|withdrawn)$/);
        expect(await scene.query(`select from hookmachine.calls where status <> 'ended'`)).toEqual(
          [],
        );
      });

      test('a tool whose host died while it ran is not run again', async () => {
        const scene = await make();
        const { saved } = await run(scene);
        const { approvals } = await scene.records();
        await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
        const dying = scene.agent(framework, { saved, hang: true });
        await waitUntil(() => scene.starts('tool') === 1);
        dying.kill('SIGKILL');
        await dying;
        const later = await run(scene, { saved });
        expect([later.text, scene.starts('tool')]).toEqual(['Done.', 1]);
        expect(JSON.stringify(later.asked)).toContain('It is unknown whether the tool ran');
      });

      test('a call that waits does not keep the calls beside it from running, each of them once', async () => {
        const scene = await make();
        const onlyA = '#!/bin/sh\ngrep -q a.txt && cat guard.json || true\n';
        writeFileSync(join(scene.project, 'guard.sh'), onlyA);
        const first = await run(scene, { calls: [{ path: 'b.txt' }, { path: 'a.txt' }] });
        expect(first.suspended).toMatchObject([{ toolCallId: 'call-2' }]);
        const { approvals } = await scene.records();
        await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
        const later = await run(scene, { saved: first.saved });
        expect(later.text).toBe('Done.');
        expect(
          scene
            .read('tool.log')
            .match(/\w\.txt/g)
            ?.toSorted(),
        ).toEqual(['a.txt', 'b.txt']);
      });
    });
  });

  describe.skipIf(packageOf('ai-sdk-6', 'ai') === undefined || !isWhole)('in ai-sdk-6', () => {
    beforeAll(() => installInto('ai-sdk-6'));
    test.each([
      ['with other arguments', { forged: { path: 'secret.txt', mode: 'new' } }],
      ['in another conversation', { session: 's-2' }],
    ])('an approved call that is made again %s is asked about again', async (_, order) => {
      const scene = await make();
      const { saved } = await runAgent('ai-sdk-6', scene);
      const { approvals } = await scene.records();
      await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      const later = await runAgent('ai-sdk-6', scene, { saved, ...order });
      expect(later).toMatchObject({ code: 'CALL_SUSPENDED' });
      expect(scene.starts('tool')).toBe(0);
      expect(await approvals.list()).toMatchObject([{ id: 'ap-2' }]);
    });

    test('a run also continues in the process that asked, once someone has answered', async () => {
      const scene = await make();
      const said = await runAgent('ai-sdk-6', scene, { answersHere: true });
      expect(said).toMatchObject({ early: 'CALL_SUSPENDED', text: 'Done.' });
      expect([scene.starts('guard'), scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1, 1]); // prettier-ignore
    });

    test('a call that hooks allow is kept while its tool has a question of its own', async () => {
      const scene = await make();
      writeFileSync(join(scene.project, 'guard.json'), '{}');
      const first = await runAgent('ai-sdk-6', scene, { hasQuestion: true });
      expect([first.suspended, scene.starts('tool')]).toEqual([[], 0]);
      const later = await runAgent('ai-sdk-6', scene, { hasQuestion: true, saved: first.saved });
      expect([later.text, scene.starts('guard'), scene.starts('tool')]).toEqual(['Done.', 1, 1]);
      const again = await runAgent('ai-sdk-6', scene, { hasQuestion: true, saved: first.saved });
      expect([again.text, scene.starts('tool')]).toEqual(['Done.', 1]);
    });
  });

  test.skipIf(packageOf('claude-agent-sdk', '@anthropic-ai/claude-agent-sdk') === undefined)(
    'an agent of the Claude Agent SDK defers a call, and runs it when its session is resumed',
    async () => {
      installInto('claude-agent-sdk');
      const scene = await make();
      const run = async (answers: readonly Answer[], order: object): Promise<Said> => {
        const model = await serveMessages(answers);
        onTestFinished(() => model.close());
        const { stdout, stderr } = await scene.agent('claude-agent-sdk', {
          ...order,
          url: model.url,
        });
        expect(stderr).toBe('');
        return { ...(JSON.parse(stdout) as Said), asked: model.requests };
      };
      const wanted = { name: 'Bash', input: { command: 'echo started >> tool.log; echo ran' } };
      const first = await run([[wanted, { ...wanted }], 'Done.'], {});
      expect(first).toMatchObject({ why: 'tool_deferred', suspended: [{ name: 'Bash' }, {}] });
      expect(scene.starts('tool')).toBe(0);
      const { saved } = first;
      const resuming = run(['Done.', 'Done.'], { saved });
      const { approvals } = await scene.records();
      const [question] = await approvals.list();
      await approvals.answer(question!.id, { decision: 'approve', by: 'ann' });
      const later = await resuming;
      expect(later).toMatchObject({ text: 'Done.' });
      expect(JSON.stringify(later.asked)).toContain('ran');
      expect([scene.starts('tool'), scene.starts('audit')]).toEqual([1, 1]);
      expect(await scene.query(`select from hookmachine.calls where status <> 'ended'`)).toEqual(
        [],
      );
    },
  );

  test.skipIf(claude === undefined)(
    'Claude Code without a user defers a call that our hooks ask about, and runs it once someone has approved it',
    async () => {
      const scene = await make();
      const command = `node '${own.installed.command}' relay claude-code --defer`;
      const entry = { hooks: [{ type: 'command', command }] };
      mkdirSync(join(scene.project, '.claude'));
      writeFileSync(
        join(scene.project, '.claude/settings.json'),
        JSON.stringify({ hooks: { PreToolUse: [entry] } }),
      );
      const model = await serveMessages([
        [{ name: 'Bash', input: { command: 'echo started >> tool.log; echo ran' } }],
        'Done.',
        'Done.',
      ]);
      onTestFinished(() => model.close());
      const run = async (...args: readonly string[]): Promise<Fields> => {
        const { stdout } = await execa(
          claude!,
          ['-p', ...args, '--allowedTools', 'Bash', '--model', 'm', '--output-format', 'json'],
          {
            cwd: scene.project,
            stdin: 'ignore',
            extendEnv: false,
            env: {
              PATH: process.env['PATH'],
              HOME: process.env['HOME'],
              HOOKMACHINE_DATABASE_URL: scene.url,
              HOOKMACHINE_TRUST: '1',
              ANTHROPIC_BASE_URL: model.url,
              ANTHROPIC_API_KEY: 'none',
              CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
              DISABLE_AUTOUPDATER: '1',
            },
          },
        );
        return JSON.parse(stdout) as Fields;
      };
      const first = await run('Go');
      expect(first).toMatchObject({ stop_reason: 'tool_deferred' });
      const { approvals } = await scene.records();
      expect(await approvals.list()).toMatchObject([
        { id: 'ap-1', tool: 'run_shell_command', reason: 'May it?', hooks: [{ hook: 'guard' }] },
      ]);
      expect(scene.starts('tool')).toBe(0);
      await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      const session = String(first['session_id']);
      await run('--resume', session, 'Go on.');
      expect(scene.starts('tool')).toBe(1);
      expect(JSON.stringify(model.requests[1])).toContain('ran');
      expect(await scene.query('select status from hookmachine.calls')).toEqual([{ status: 'ended' }]); // prettier-ignore

      // Made once more, as after a crash, the call is not handed over again.
      const [{ id }] = (await scene.query('select id from hookmachine.calls')) as [{ id: string }];
      const again = await execa(
        'node',
        [own.installed.command, 'relay', 'claude-code', '--defer'],
        {
          cwd: scene.project,
          input: JSON.stringify({
            hook_event_name: 'PreToolUse',
            session_id: session,
            tool_use_id: id.slice(id.indexOf('/') + 1),
            tool_name: 'Bash',
            tool_input: { command: 'true' },
          }),
          env: { HOOKMACHINE_DATABASE_URL: scene.url, HOOKMACHINE_TRUST: '1', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, // prettier-ignore
        },
      );
      expect(JSON.parse(again.stdout)).toMatchObject({
        hookSpecificOutput: {
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining('handed over to the agent'),
        },
      });
    },
  );

  test('a relay keeps one question per session, withdraws the question of a call that is made again too soon, and returns ask when it has no database', async () => {
    const scene = await make();
    const relay = async (callId: string, database = scene.url, entry = 'sdk-cli') => {
      const { stdout } = await execa(
        'node',
        [own.installed.command, 'relay', 'claude-code', '--defer'],
        {
          cwd: scene.project,
          input: JSON.stringify({
            hook_event_name: 'PreToolUse',
            session_id: 's-1',
            tool_use_id: callId,
            tool_name: 'Bash',
            tool_input: { command: 'true' },
          }),
          env: { HOOKMACHINE_DATABASE_URL: database, HOOKMACHINE_TRUST: '1', CLAUDE_CODE_ENTRYPOINT: entry }, // prettier-ignore
        },
      );
      const said = (JSON.parse(stdout) as { hookSpecificOutput: Fields }).hookSpecificOutput;
      return [said['permissionDecision'], said['permissionDecisionReason']];
    };
    expect(await relay('t-1', scene.url, 'cli')).toEqual(['ask', 'May it?']);
    expect(await relay('t-1', 'postgres://nobody@127.0.0.1:1/none')).toEqual(['ask', 'May it?']);
    expect(await relay('t-1')).toEqual(['defer', expect.stringContaining('May it? (it waits for an answer to ap-1')]); // prettier-ignore
    expect(await relay('t-2')).toEqual(['deny', expect.stringContaining('ap-1 of this session is already waiting')]); // prettier-ignore
    expect(await relay('t-1')).toEqual(['deny', expect.stringMatching(/^Withdrawn by the agent at .*: the agent was resumed before anybody had answered$/)]); // prettier-ignore
    const { approvals } = await scene.records();
    expect(await approvals.list()).toEqual([]);
  });
});
