import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { guards, relayBox } from '../../support/relay.ts';
import { callIn, keptIn, startServe } from '../../support/serve.ts';

const box = () => {
  const made = relayBox();
  return {
    ...made,
    run: (...args: string[]) => inProcess(made, args),
    read: (...names: string[]) => readFileSync(join(made.project, ...names), 'utf8'),
  };
};

/** The handlers of each event in a file of Claude Code's format. */
const handlersIn = (text: string): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(
      (JSON.parse(text) as { hooks: Record<string, { hooks: Record<string, unknown>[] }[]> }).hooks,
    ).map(([event, [group]]) => [event, group!.hooks[0]!]),
  );

describe('install --via http', () => {
  test('install --via http writes entries that deny if serve does not answer, as far as Claude Code can do that', async () => {
    const { run, read, home } = box();
    const { stdout, exitCode } = await run('install', 'claude-code', '--via', 'http');
    expect(exitCode).toBe(0);
    const port = readFileSync(keptIn(home, 'port'), 'utf8').trim();
    const handlers = handlersIn(read('.claude/settings.json'));
    const posts = {
      type: 'http',
      url: `http://127.0.0.1:${port}/claude-code`,
      headers: { Authorization: 'Bearer $HOOKMACHINE_TOKEN' },
      allowedEnvVars: ['HOOKMACHINE_TOKEN'],
    };
    expect(handlers['PreToolUse']).toEqual({ ...posts, onFailure: 'block' });
    expect(handlers['UserPromptSubmit']).toEqual({ ...posts, onFailure: 'block' });
    expect(handlers['Notification']).toEqual(posts);
    expect(handlers['SessionStart']).toMatchObject({ type: 'command' });
    expect(stdout).toContain('keep "hookmachine serve" running');
  });

  test('install does not claim that the host calls in a way in which its entries do not', async () => {
    const { run, read } = box();
    for (const [first, second] of [
      [[], ['--via', 'http']],
      [['--via', 'http'], []],
    ] as const) {
      await run('install', 'claude-code', ...first);
      const before = read('.claude/settings.json');
      const { stdout } = await run('install', 'claude-code', ...second);
      expect(stdout).toMatch(/Nothing was changed, because .* has entries of ours that differ/);
      expect(stdout).not.toContain('To do');
      expect(read('.claude/settings.json')).toBe(before);
      await run('uninstall', 'claude-code');
    }
  });

  test('install --via http never writes the token into the file', async () => {
    const { run, read, home } = box();
    const { stdout } = await run('install', 'claude-code', '--via', 'http');
    const token = readFileSync(keptIn(home, 'token'), 'utf8').trim();
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(read('.claude/settings.json') + stdout).not.toContain(token);
  });

  test.each([
    ['qwen-code', '.qwen/settings.json', 'where "hookmachine serve" does not answer'],
    [
      'copilot',
      '.github/hooks/hookmachine.json',
      'where COPILOT_HOOK_ALLOW_LOCALHOST=1 is not set',
    ],
  ])(
    'install --via http needs --accept-fail-open for %s, and says why',
    async (host, file, where) => {
      const { run, read, project } = box();
      const refused = await run('install', host, '--via', 'http');
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(`runs tools unguarded ${where}`);
      expect(existsSync(join(project, file))).toBe(false);
      const alone = await run('install', host, '--accept-fail-open');
      expect(alone.exitCode).toBe(1);
      expect(alone.stderr).toContain('only applies to --via http');
      expect(existsSync(join(project, file))).toBe(false);
      const accepted = await run('install', host, '--via', 'http', '--accept-fail-open');
      expect(accepted.exitCode).toBe(0);
      expect(accepted.stdout).toContain(`runs tools unguarded ${where}`);
      expect(read(file)).toMatch(new RegExp(`"url": "http://127\\.0\\.0\\.1:\\d+/${host}`));
    },
  );

  test('install --via http is refused for a host without HTTP hooks', async () => {
    const { stderr, exitCode } = await box().run('install', 'codex', '--via', 'http');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Codex has no HTTP hooks');
  });

  test('install --via http is refused together with --defer, since serve defers no call', async () => {
    const { run, project } = box();
    const { stderr, exitCode } = await run('install', 'claude-code', '--via', 'http', '--defer');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'does not defer calls: install it without --via http, or without --defer',
    );
    expect(existsSync(join(project, '.claude/settings.json'))).toBe(false);
  });

  test('install --via http changes nothing if everything is there already, and uninstall takes it out', async () => {
    const { run, read, project } = box();
    await run('install', 'claude-code', '--via', 'http');
    const text = read('.claude/settings.json');
    await run('install', 'claude-code', '--via', 'http');
    expect(read('.claude/settings.json')).toBe(text);
    const { stdout } = await run('uninstall', 'claude-code');
    expect(stdout).not.toContain('Note:');
    expect(existsSync(join(project, '.claude/settings.json'))).toBe(false);
  });

  test('install --via http leaves entries that call in another way, and says how to take them out', async () => {
    const { run, read } = box();
    await run('install', 'claude-code');
    const text = read('.claude/settings.json');
    const { stdout } = await run('install', 'claude-code', '--via', 'http');
    expect(read('.claude/settings.json')).toBe(text);
    expect(stdout).toContain('hookmachine uninstall removes them');
  });
});

test('an entry that posts to serve is not a hook of any dialect', async () => {
  const made = box();
  made.guard({ 'tool.before': guards.silence });
  await made.run('install', 'claude-code', '--via', 'http');
  const { url } = await startServe(made);
  expect(made.read('.claude/settings.json')).toContain(url);
  // Without a token its failure would deny.
  const { stdout, stderr } = await made.relay('gemini-cli', {
    hook_event_name: 'BeforeTool',
    session_id: 's1',
    cwd: made.project,
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
  });
  expect([stdout, stderr].join('')).not.toContain(url);
  expect(stdout).not.toContain('deny');
});

test('serve answers the entries that install --via http writes', async () => {
  const made = box();
  made.guard({ 'tool.before': guards.deny });
  await made.run('install', 'claude-code', '--via', 'http');
  const { token } = await startServe(made);
  const { url } = handlersIn(made.read('.claude/settings.json'))['PreToolUse']!;
  const response = await fetch(url as string, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(callIn(made.project)),
  });
  expect(await response.json()).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
});
