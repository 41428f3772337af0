import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quoted } from '../../support/session.ts';
import { cursorBox, cursorHooks } from '../../support/cursor.ts';

describe('where hooks are found', () => {
  test('hooks are found in the files of the administrator, the project and the user', async () => {
    const { write, system, local, global, start } = cursorBox();
    write(system, cursorHooks('preToolUse', 'managed'));
    local(cursorHooks('preToolUse', { command: 'ours', matcher: 'Shell' }));
    global(cursorHooks('stop', 'mine'));
    const { found, warnings } = await start();
    expect(found()).toEqual([
      'system preToolUse -: managed',
      'project preToolUse Shell: ours',
      'user stop -: mine',
    ]);
    expect(warnings).toEqual([]);
  });

  test('a project’s hooks run in the project, and the user’s in ~/.cursor', async () => {
    const { local, global, start, left, home, project } = cursorBox();
    const where = `pwd >> ${quoted(join(project, 'log'))}`;
    local(cursorHooks('preToolUse', where));
    global(cursorHooks('beforeReadFile', `sleep 0.1; ${where}`));
    const { fire } = await start();
    await fire('BeforeTool', { tool_name: 'read_file', tool_input: { file_path: 'a' } });
    expect(left('log')).toBe(`${project}\n${join(home, '.cursor')}\n`);
  });

  test('the hooks of an untrusted project are ignored', async () => {
    const { local, global, start } = cursorBox();
    local(cursorHooks('preToolUse', 'theirs'));
    global(cursorHooks('preToolUse', 'mine'));
    const { found } = await start({ isTrustedFolder: () => false });
    expect(found()).toEqual(['user preToolUse -: mine']);
  });

  test('a URL in a command and a comment do not break the file', async () => {
    const { local, start } = cursorBox();
    local(
      '{ "version": 1, // ours\n "hooks": { "stop": [{ "command": "curl https://x.test" }] } }',
    );
    expect((await start()).found()).toEqual(['project stop -: curl https://x.test']);
  });

  test('an administrator’s file that cannot be parsed denies tools and prompts', async () => {
    const { write, system, start } = cursorBox();
    write(system, '{');
    const { fire } = await start();
    const call = { tool_name: 'read_file', tool_input: {} };
    expect((await fire('BeforeTool', call)).verdict.decision).toBe('deny');
    expect((await fire('BeforeAgent', { prompt: 'Hi' })).verdict.decision).toBe('deny');
  });
});

describe('a bad entry affects only itself', () => {
  const good = { command: 'good' };
  const pre = (...entries: unknown[]) => ({
    version: 1,
    hooks: { preToolUse: [...entries, good] },
  });

  test.each([
    [
      'a missing version',
      { hooks: pre().hooks },
      'version: is missing, so Cursor would ignore this file',
    ],
    ['another version', { ...pre(), version: 2 }, 'version: is 2'],
    [
      'an unknown event',
      { version: 1, hooks: { ...pre().hooks, PreToolUse: [good] } },
      'hooks.PreToolUse: Cursor has no such event',
    ],
    [
      'a matcher that is not a regular expression',
      pre({ command: 'x', matcher: '(' }),
      'hooks.preToolUse[0].matcher: is "("',
    ],
    [
      'a matcher that is not a string',
      pre({ command: 'x', matcher: 1 }),
      'hooks.preToolUse[0].matcher: is 1',
    ],
    ['a missing command', pre({ type: 'command' }), 'hooks.preToolUse[0].command: is missing'],
    ['an unknown type', pre({ type: 'http', command: 'x' }), 'hooks.preToolUse[0].type: is "http"'],
    [
      'an event that is not an array',
      { version: 1, hooks: { ...pre().hooks, stop: good } },
      'hooks.stop: is an object',
    ],
  ])('%s is reported, and the hook beside it still counts', async (_, hooks, message) => {
    const { local, start } = cursorBox();
    local(hooks);
    const { found, warnings } = await start();
    expect(found()).toEqual(['project preToolUse -: good']);
    expect(warnings).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    [undefined, 60_000],
    [2, 2_000],
    [0.5, 500],
  ])('a timeout of %s is %i ms', async (timeout, limit) => {
    const { local, start } = cursorBox();
    local(cursorHooks('stop', { command: 'x', timeout }));
    const { system } = await start();
    expect(system.getRegistry().getAllHooks()[0]?.timeout).toBe(limit);
  });
});
