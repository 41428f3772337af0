import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { withLock } from '../../src/base/file-lock.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { main } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';
import { tempFolder } from '../support/temp-folder.ts';

const hook = (name: string) => ({ type: 'command', command: 'true', name });

const names = ['one', 'two', 'three', 'four', 'five', 'six'];

it('twelve commands that edit the same files at once lose nothing of each other', async () => {
  const box = sandbox();
  box.write(box.own.user, {
    hooks: { 'tool.before': [{ hooks: [...names, 'off', 'out'].map(hook) }] },
    hooksConfig: { disabled: ['off', 'out'] },
  });
  const claude = box.write(
    'project/.claude/settings.json',
    '{\n  // Mine.\n  "model": "opus"\n}\n',
  );
  const done = await Promise.all(
    [
      ...names.map((name) => ['disable', name]),
      ['enable', 'off'],
      ['enable', 'out'],
      ['install', 'claude-code', '--command', 'hookmachine'],
      ['install', 'claude-code', '--command', 'hookmachine'],
      ['install', 'qwen-code', '--command', 'hookmachine', '--scope', 'user'],
      ['install', 'qwen-code', '--command', 'hookmachine', '--scope', 'user'],
    ].map((args) => hookmachine({ project: box.project, env: box.env }, args)),
  );
  expect(done.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => stderr)).toEqual([]);
  const settings = JSON.parse(readFileSync(box.own.user, 'utf8')) as {
    hooksConfig: { disabled: string[] };
  };
  expect(settings.hooksConfig.disabled.toSorted()).toEqual(names.toSorted());
  const text = readFileSync(claude, 'utf8');
  expect(text).toContain('// Mine.');
  for (const file of [claude, join(box.home, '.qwen/settings.json')])
    expect(readFileSync(file, 'utf8').split('relay').length - 1).toBe(
      new Set(readFileSync(file, 'utf8').match(/"[A-Z]\w+": \[/g)).size,
    );
});

it('the lock of a process that was killed keeps nobody waiting', async () => {
  const lock = join(tempFolder(), 'lock');
  const held = `import(${JSON.stringify(join(dirname(main), 'src/base/file-lock.js'))}).then(({ withLock }) => withLock(process.argv[1], () => process.kill(process.pid, 'SIGKILL')))`;
  await execa('node', ['-e', held, lock], { reject: false });
  expect(existsSync(lock)).toBe(true);
  const begun = Date.now();
  expect(withLock(lock, () => 'done')).toBe('done');
  expect(Date.now() - begun).toBeLessThan(5_000);
  expect(existsSync(lock)).toBe(false);
});

it('a lock is abandoned when it has been held for long, wherever its process was', () => {
  const lock = join(tempFolder(), 'lock');
  const { pid } = spawnSync('true');
  writeFileSync(lock, `${pid} another-machine 1`);
  utimesSync(lock, new Date(0), new Date(0));
  expect(withLock(lock, () => existsSync(lock))).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

it('a lock that was taken away meanwhile is left to whoever holds it now', () => {
  const lock = join(tempFolder(), 'lock');
  withLock(lock, () => writeFileSync(lock, 'theirs'));
  expect(readFileSync(lock, 'utf8')).toBe('theirs');
});
