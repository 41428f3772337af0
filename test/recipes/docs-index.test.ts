import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { kinds, last, shown } from '../support/chat.ts';
import { recipe, statuses, toolResults } from './recipe.ts';

const etc = { file_path: '/etc/passwd', content: 'x' };
const denied = 'Writing to /etc is prohibited by security policy';

describe('D1, security policy: the command uses ${LLXPRT_CONFIG_HOME:-$HOME/…} (C-15)', () => {
  test.each([
    ['the home folder', undefined],
    ['the folder that the variable names', 'configuration'],
  ])('D1, a hook in %s denies writing to /etc by JSON and exit 0', async (_, folder) => {
    const { call, home, project } = recipe({ fixture: 'D1-security-policy' });
    const configuration = join(home, folder ?? '.llxprt');
    if (folder !== undefined) vi.stubEnv('LLXPRT_CONFIG_HOME', configuration);
    cpSync(join(project, '.llxprt', 'hooks'), join(configuration, 'hooks'), { recursive: true });
    const { status, modelReads, warnings } = await call('write_file', etc);
    expect([status, modelReads, warnings]).toEqual(['blocked', denied, []]);
  });
});

test('D2, system paths are denied, each by its folder (HOOK-016a)', async () => {
  const { session, has } = recipe({ fixture: 'D2-system-paths' });
  const { run, chat } = session([
    {
      calls: ['/etc/hosts', '/var/log/x', 'etc/hosts'].map((path) => ({
        name: 'write_file',
        args: { path, content: 'x' },
      })),
    },
    { text: 'Done.' },
  ]);
  expect(statuses(await run())).toEqual(['blocked', 'blocked', 'done']);
  expect(toolResults(chat.history).slice(0, 2)).toEqual([denied, denied.replace('etc', 'var')]);
  expect(has('etc/hosts')).toBe(true);
});

test('D3, an audit line before each call changes nothing (HOOK-015)', async () => {
  const { call, read } = recipe({ fixture: 'D3-audit' });
  const { status, modelReads } = await call('write_file', { file_path: 'a.txt', content: 'x' });
  expect([status, modelReads]).toEqual([
    'done',
    'Successfully created and wrote to new file: a.txt.',
  ]);
  expect(read('.llxprt/logs/tools.log')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z write_file\n$/);
});

describe('D4, cost limit (C-71, R-11)', () => {
  const long = 'word '.repeat(100_000);

  test('D4, as printed, the hook reads "contents", which the request does not have, so it never fires', async () => {
    const { session } = recipe({ fixture: 'D4-cost-limit' });
    expect(shown(await session([{ text: 'Read.' }]).run(long))).toBe('Read.');
  });

  test('D4, a hook that reads "messages" ends the turn before the model, and the user reads why (HOOK-040, C-80)', async () => {
    const { session } = recipe({ fixture: 'D4-cost-limit-repaired' });
    const { run, requests } = session([{ text: 'Short.' }]);
    expect(shown(await run('Hi'))).toBe('Short.');
    const events = await run(long);
    expect(requests.length).toBe(1);
    expect(kinds(events)).toEqual(['BeforeModel', 'stop']);
    expect(last(events)).toMatchObject({
      by: 'hook',
      reason: expect.stringMatching(/^Token limit exceeded: about \d+$/),
    });
  });
});

describe('D5, project rules by cwd (HOOK-014)', () => {
  const calls = [
    { name: 'write_file', args: { file_path: 'a.txt', content: 'x' } },
    { name: 'read_file', args: { file_path: '.llxprt/settings.json' } },
  ];

  test.each([
    ['production/app', ['blocked', 'done']],
    ['staging/app', ['done', 'done']],
  ])('D5, in %s a write and a read end as %j', async (folder, ended) => {
    const { session, has } = recipe({ fixture: 'D5-project-rules' }, folder);
    const { run, chat } = session([{ calls }, { text: 'Done.' }]);
    expect(statuses(await run())).toEqual(ended);
    expect(has('a.txt')).toBe(folder.startsWith('staging'));
    if (ended[0] === 'blocked')
      expect(toolResults(chat.history)[0]).toBe('Only reading is allowed in production');
  });
});
