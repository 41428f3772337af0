import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { table } from '../../../src/hosts/kodelet/table.ts';
import { group } from '../../support/project.ts';
import { guards, relayBox, says } from '../../support/relay.ts';
import { hasEtcOfItsOwn, hookmachine } from '../../support/hookmachine.ts';
import { inProcess } from '../../support/in-process.ts';

const call = {
  hook_event_name: 'PreToolUse',
  session_id: 's1',
  cwd: '/',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
};
const denial = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
});

describe('a relay', () => {
  test("a relay runs the hooks of all dialects except its host's own", async () => {
    const box = relayBox();
    box.write(join(box.project, '.claude/settings.json'), {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch host; exit 2' }] }] },
    });
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { BeforeTool: [group('echo theirs >&2; exit 2')] },
    });
    box.guard({ 'tool.before': 'echo ours >&2; exit 2' });
    const { answer } = await box.relay('claude-code', call);
    expect(answer).toEqual(denial('theirs\nours'));
    expect(existsSync(join(box.project, 'host'))).toBe(false);
  });

  test('a relay gives the reasons of the hooks that deny, and of no other hook (S-07)', async () => {
    const box = relayBox();
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { BeforeTool: [group(guards.ask), group('echo theirs >&2; exit 2')] },
    });
    box.guard({ 'tool.before': [guards.ask, 'echo ours >&2; exit 2', guards.allow] });
    const { answer } = await box.relay('claude-code', call);
    expect(answer).toEqual(denial('theirs\nours'));
  });

  test('a relay tells hooks the session that its host named', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'jq -r .session_id >&2; exit 2' });
    expect((await box.relay('claude-code', call)).answer).toEqual(denial('s1'));
  });

  test('a relay works in the project that its host names', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const { stdout } = await inProcess(
      { project: box.home, env: { ...box.env, CLAUDE_PROJECT_DIR: box.project } },
      ['relay', 'claude-code'],
      JSON.stringify(call),
    );
    expect(JSON.parse(stdout)).toEqual(denial('not here'));
  });

  test('a relay answers many simultaneous calls, each with its own answer', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'jq -r .tool_input.command >&2; exit 2' });
    const commands = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(
      commands.map((command) => {
        const input = JSON.stringify({ ...call, tool_input: { command } });
        return hookmachine({ project: box.project, env: box.env }, ['relay', 'claude-code'], input);
      }),
    );
    expect(answers.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual(
      commands.map(denial),
    );
  });

  test.each([
    'hookmachine relay claude-code',
    '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookmachine relay gemini-cli BeforeTool',
    'NODE_ENV=x exec /usr/bin/node "/opt/a b/hookmachine.cjs" relay claude-code # ours',
    'npx --no-install hookmachine relay codex',
    "bash -lc 'hookmachine relay codex'",
  ])('a relay is not a hook of any dialect: %s', async (command) => {
    const box = relayBox();
    box.guard({ 'tool.before': command });
    expect(await box.relay('claude-code', call)).toMatchObject({ stdout: '', stderr: '' });
  });

  test.each([
    'touch ran; hookmachine relay claude-code',
    'touch ran && exec hookmachine relay claude-code',
    'hookmachine relay $(touch ran) claude-code',
  ])('a relay beside something else is reported, and is not run: %s', async (command) => {
    const box = relayBox();
    box.guard({ 'tool.before': command });
    const { stderr } = await box.relay('claude-code', call);
    expect(stderr).toContain('also does something else, so it was skipped');
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
  });

  test.each([
    'echo "hookmachine relay" >&2; exit 2',
    '# hookmachine relay codex\necho "hookmachine relay" >&2; exit 2',
  ])(
    'a relay that a guard only mentions does not keep the guard from running: %s',
    async (command) => {
      const box = relayBox();
      box.guard({ 'tool.before': command });
      expect((await box.relay('claude-code', call)).answer).toEqual(denial('hookmachine relay'));
    },
  );

  test('a relay that is an executable of Kodelet is neither asked nor run', async () => {
    const box = relayBox();
    const { installation } = table;
    if (installation.kind !== 'files') throw new Error('Kodelet has files.');
    const ours = installation.files(
      'project',
      { cwd: box.project, home: box.home, env: {} },
      () => `hookmachine relay kodelet; touch "$PWD/ran"`,
    );
    const [{ file, text }] = ours as [(typeof ours)[0]];
    for (const [content, stderr] of [
      [text.replace('; touch "$PWD/ran"', ''), ''],
      [text, expect.stringContaining('also does something else')],
      [text.replace('case', 'touch "$PWD/ran"\ncase'), expect.stringContaining('also does')],
    ]) {
      box.write(file, content);
      chmodSync(file, 0o755);
      const session = { ...call, session_id: content };
      expect(await box.relay('claude-code', session)).toMatchObject({ stdout: '', stderr });
      expect(existsSync(join(box.project, 'ran'))).toBe(false);
    }
  });

  test('a relay reports an event that it does not know, and answers nothing', async () => {
    const box = relayBox();
    const { stdout, stderr, exitCode } = await box.relay('claude-code', {
      ...call,
      hook_event_name: 'Newest',
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(stderr).toContain('Claude Code has an event that is unknown here');
  });

  test.each([
    ['text', 'stdin is not valid JSON'],
    ['{}', 'stdin does not name the event'],
    ['{"hook_event_name":"PostToolUse"}', 'stdin does not match PostToolUse'],
  ])('a relay cannot work with %s, and says why', async (input, why) => {
    const { stderr, exitCode } = await relayBox().relay('claude-code', input);
    expect(stderr).toContain(why);
    expect(exitCode).toBe(1);
  });

  test('a relay for an unknown host denies, as nobody can judge it, and says which hosts there are', async () => {
    const { stderr, exitCode } = await relayBox().relay('nobody', call);
    expect(stderr).toMatch(/there is no host "nobody": use one of .*claude-code/);
    expect(exitCode).toBe(2);
  });
});

describe('with settings that cannot be parsed (S-10)', () => {
  test('a relay names a settings file that cannot be parsed, and a call that nothing else denies continues', async () => {
    const box = relayBox();
    box.write(box.own.project, '{ "hooks": [');
    const { stdout, stderr, exitCode } = await box.relay('claude-code', call);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(stderr).toContain(`${box.own.project}:1:13: not valid JSON`);
  });

  test.each([
    ['without a hook', undefined],
    ['with a hook', guards.silence],
  ])('a session is told once about broken settings (S-19), %s', async (_, guard) => {
    const box = relayBox();
    box.write(join(box.project, '.cursor/hooks.json'), { version: 1, hooks: { nope: [] } });
    if (guard !== undefined) box.guard({ 'tool.before': guard });
    const told = async (more: object) =>
      (await box.relay('claude-code', { ...call, ...more })).stderr;
    expect(await told({})).toContain('Cursor has no such event');
    expect(await told({})).toBe('');
    expect(await told({ session_id: 's2' })).toContain('Cursor has no such event');
  });

  test('the guards of other files still judge if one file cannot be parsed', async () => {
    const box = relayBox();
    box.write(box.own.project, '{ "hooks": [');
    box.write(box.own.user, { hooks: { 'tool.before': [group(guards.deny)] } });
    expect(await box.relay('claude-code', call)).toMatchObject({
      answer: denial('not here'),
      exitCode: 0,
    });
  });

  test('a call is denied for a file that cannot be parsed if a failure denies by default', async () => {
    const box = relayBox();
    box.write(box.own.project, '{ "hooks": [');
    box.write(box.own.user, { defaultOnFailure: 'block' });
    expect((await box.relay('claude-code', call)).answer).toEqual(
      denial(expect.stringContaining('not valid JSON')),
    );
  });

  test.each([
    ['codex', '.claude/settings.json'],
    ['claude-code', '.gemini/settings.json'],
    ['claude-code', '.qwen/settings.json'],
    ['claude-code', '.codex/hooks.json'],
    ['claude-code', '.cursor/hooks.json'],
    ['claude-code', '.github/hooks/guards.json'],
  ])(
    "a call is denied for another host's file that cannot be parsed if a failure denies by default: %s, %s",
    async (host, file) => {
      const box = relayBox();
      const path = box.write(join(box.project, file), '{ "hooks": [');
      const { stdout, stderr, exitCode } = await box.relay(host, call);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
      expect(stderr).toContain(path);
      box.write(box.own.user, { defaultOnFailure: 'block' });
      expect((await box.relay(host, call)).answer).toEqual(
        denial(expect.stringMatching(/what it guards is unknown/)),
      );
    },
  );

  test.skipIf(!hasEtcOfItsOwn)(
    "a call is denied if the file that cannot be parsed is the system's",
    async () => {
      const box = relayBox();
      box.write(box.own.system, '{ "hooks": [');
      const { stdout, exitCode } = await inProcess(
        box,
        ['relay', 'claude-code'],
        JSON.stringify(call),
      );
      expect(JSON.parse(stdout)).toEqual(denial(expect.stringContaining('not valid JSON')));
      expect(exitCode).toBe(0);
    },
  );
});

test('what a host cannot be given is recorded too', async () => {
  const box = relayBox();
  box.guard({ 'session.end': says({ hookSpecificOutput: { additionalContext: 'by the way' } }) });
  const file = join(box.project, 'session.jsonl');
  await inProcess(
    box,
    ['relay', 'claude-code', '--record', file],
    JSON.stringify({ hook_event_name: 'SessionEnd', session_id: 's1', cwd: '/', reason: 'other' }),
  );
  expect(readFileSync(file, 'utf8')).toContain('Claude Code cannot accept this');
});
