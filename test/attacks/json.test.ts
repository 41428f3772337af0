import { beforeAll, describe, expect, test } from 'vitest';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { kodelet, kodeletStrict } from '../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { readyToFind } from '../../src/workbench/matrix/run-as.ts';
import { loadSettings } from '../../src/settings/files/load-settings.ts';
import { exited } from '../support/answers.ts';
import { definition } from '../support/definition.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';
import { group, inParallel, someFields, startSession } from '../support/session.ts';

beforeAll(() => Promise.all([kodelet, kodeletStrict].map((one) => readyToFind(one, '/'))));

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const hook = definition('BeforeTool');
/** What each host takes for a denial before a tool. */
const denials: Readonly<Record<string, string>> = {
  hookmachine: '"decision":"deny","reason":"no"',
  llxprt: '"decision":"deny","reason":"no"',
  'claude-code': '"decision":"block","reason":"no"',
  'gemini-cli': '"decision":"deny","reason":"no"',
  'qwen-code': '"decision":"deny","reason":"no"',
  codex: '"decision":"block","reason":"no"',
  copilot: '"permissionDecision":"deny","permissionDecisionReason":"no"',
  cursor: '"permission":"deny","user_message":"no"',
  factory: '"decision":"block","reason":"no"',
  kimi: '"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}',
  cline: '"cancel":true,"errorMessage":"no"',
  crush: '"decision":"deny","reason":"no"',
  goose: '"decision":"block","reason":"no"',
  openhands: '"decision":"deny","reason":"no"',
  antigravity: '"decision":"deny","reason":"no"',
};
/** Kodelet's two are tested apart. */
const others = knownDialects.filter(({ family }) => family !== 'kodelet');
const depths = [1_100, 5_000, 100_000];

describe('a denial survives anything else in the answer', () => {
  test.each(depths)('a denial in the format of LLxprt survives %d levels of nesting', (depth) => {
    for (const field of ['tool_input', 'additionalContext', 'other']) {
      const stdout = `{"decision":"deny","reason":"no","hookSpecificOutput":{"${field}":{"x":${nested(depth)}}}}`;
      expect(llxprt.read(hook, exited({ stdout }), {})).toMatchObject({
        decision: 'deny',
        output: { reason: 'no' },
      });
    }
  });

  test.each(depths)('a denial in the format of Kodelet survives %d levels of nesting', (depth) => {
    const stdout = `{"blocked":true,"reason":"no","input":{"x":${nested(depth)}}}`;
    const payload = { ...someFields.BeforeTool };
    expect(kodelet.read(hook, exited({ stdout }), payload)).toMatchObject({
      decision: 'deny',
      reason: 'no',
    });
    const answer = kodeletStrict.read(hook, exited({ stdout }), payload);
    const verdict = kodeletStrict.merge!('BeforeTool', [{ hook: 'some hook', answer }], payload);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
  });

  test.each(others.map(({ name }) => [name, denials[name]!] as const))(
    'a denial in the format of %s survives endless nesting beside it',
    async (name, denial) => {
      const dialect = knownDialects.find((one) => one.name === name)!;
      const box = sandbox();
      // Some dialects load the rest of their code where they look for hooks.
      await dialect.find({ cwd: box.project, settings: () => [], counts: () => true } as never);
      for (const depth of depths)
        for (const stdout of [
          `{${denial},"other":${nested(depth)}}`,
          `{"hookSpecificOutput":{"tool_input":{"x":${nested(depth)}}}}`,
          `{"updated_input":{"x":${nested(depth)}},"modifiedArgs":{"x":${nested(depth)}}}`,
          nested(depth),
        ]) {
          const { decision } = dialect.read(hook, exited({ stdout }), { ...someFields.BeforeTool });
          if (stdout.includes(denial)) expect(decision).toBe('deny');
        }
    },
  );

  test('a denial with megabytes of other text survives', async () => {
    const session = await startSession({
      BeforeTool: inParallel(
        `printf '{"decision":"deny","reason":"no","x":"'; head -c 5000000 /dev/zero | tr '\\0' a; printf '"}'`,
      ),
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toBe('no');
  });
});

describe('arguments nested so deep that no guard can receive them', () => {
  const deep = JSON.parse(`{"x":${nested(100_000)}}`) as Record<string, unknown>;

  test('arguments nested too deep do not get past a guard whose failure blocks', async () => {
    const guard = { type: 'command' as const, command: 'exit 0', onFailure: 'block' as const };
    const { config } = await startSession({ BeforeTool: [{ hooks: [guard] }] });
    let ran = false;
    const { error } = await executeToolWithHooks(config, 'write_file', deep, async () => {
      ran = true;
      return Promise.resolve({ llmContent: '', returnDisplay: '' });
    });
    expect([ran, error?.type]).toEqual([false, 'blocked_by_hook']);
  });

  test('arguments nested too deep do not get past a guard that fails open (S-34)', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2') });
    const { warnings } = session;
    const { verdict } = await session.fire('BeforeTool', { tool_name: 'x', tool_input: deep });
    expect(verdict.decision).toBe('deny');
    expect(warnings).toEqual([expect.stringContaining('it is denied')]);
  });

  test('the command line denies arguments nested too deep (S-33, S-34)', async () => {
    const box = sandbox();
    box.write(box.files.project, { enableHooks: true, hooks: { BeforeTool: [group(['exit 2'])] } });
    const event = `{"tool_name":"x","tool_input":{"x":${nested(100_000)}}}`;
    const { exitCode, stdout } = await inProcess(box, ['fire', 'BeforeTool'], event);
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      2,
      expect.objectContaining({
        decision: 'deny',
        reason: expect.stringContaining('stdin is nested more than 1,000 levels deep') as unknown,
      }),
    ]);
  });
});

test('endlessly nested settings are one problem, and other files still count', () => {
  const box = sandbox();
  box.write(box.files.project, `{"hooks":${nested(100_000)}}`);
  box.write(box.files.user, { enableHooks: true, hooks: { BeforeTool: [group(['true'])] } });
  const { problems, sources, enabled } = loadSettings(box.project);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('nested too deeply'),
  ]);
  expect([enabled, sources.find(({ source }) => source === 'user')?.hooks]).toEqual([
    true,
    { BeforeTool: [group(['true'])] },
  ]);
});
