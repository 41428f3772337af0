import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { effectsOf } from '../../src/guards/reading/call-effects.ts';
import { findingsIn } from '../../src/guards/judge.ts';
import { commitIn, plant } from './planted.ts';

/* What a command loses depends on what the repository holds. */

let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'guards-state-'));
  project = join(home, 'project');
  plant(project, { 'src/a.ts': 'one\n', 'src/b.ts': 'one\n', '.gitignore': 'ignored\n' });
  commitIn(project, '.');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const git = (...args: readonly string[]): void =>
  void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    cwd: project,
    stdio: 'ignore',
  });

async function speaks(command: string): Promise<boolean> {
  const place = { cwd: project, home };
  const effects = effectsOf({ commands: [command], programs: [], files: [] }, place);
  return (await findingsIn(effects, place, { strictness: {}, protect: [], allow: [] })).length > 0;
}

test.each<[string, () => void]>([
  ['has other content of another size', () => writeFileSync(join(project, 'src/a.ts'), 'other\n')],
  ['has other content of the same size', () => writeFileSync(join(project, 'src/a.ts'), 'two\n')],
  ['is gone', () => rmSync(join(project, 'src/a.ts'))],
  [
    'was changed and added',
    () => {
      writeFileSync(join(project, 'src/a.ts'), 'added\n');
      git('add', '.');
    },
  ],
])('git reset --hard is asked about where a file %s, and only there', async (_, change) => {
  expect(await speaks('git reset --hard')).toBe(false);
  change();
  expect(await speaks('git reset --hard')).toBe(true);
  expect(await speaks('git checkout -- src/a.ts')).toBe(true);
  expect(await speaks('git checkout -- src/b.ts')).toBe(false);
});

test('git clean is asked about where there are files that git does not track', async () => {
  expect(await speaks('git clean -fd')).toBe(false);
  writeFileSync(join(project, 'ignored'), '');
  expect(await speaks('git clean -fd')).toBe(false);
  writeFileSync(join(project, 'new.ts'), '');
  expect(await speaks('git clean -fd')).toBe(true);
});

test('git branch -D is asked about where no other name has the commit', async () => {
  git('branch', 'copy');
  expect(await speaks('git branch -D copy')).toBe(false);
  git('checkout', '-b', 'own');
  git('commit', '--allow-empty', '-m', 'Own');
  git('checkout', 'main');
  expect(await speaks('git branch -D own')).toBe(true);
  expect(await speaks('git branch -D copy own')).toBe(true);
  git('branch', 'twin', 'own');
  expect(await speaks('git branch -D own')).toBe(false);
  expect(await speaks('git branch -D own twin')).toBe(true);
  git('branch', '-D', 'twin');
  git('update-ref', 'refs/remotes/origin/own', 'own');
  git('pack-refs', '--all');
  expect(await speaks('git branch -D own')).toBe(false);
});

test('an index that git did not write is not read to no end', async () => {
  const entries = Buffer.concat([
    Buffer.from('DIRC'),
    Buffer.from([0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff]),
    Buffer.alloc(80, 0xff),
  ]);
  writeFileSync(join(project, '.git/index'), entries);
  expect(await speaks('git reset --hard')).toBe(true);
});

test('outside a repository nothing is lost by git', async () => {
  rmSync(join(project, '.git'), { recursive: true });
  expect(await speaks('git reset --hard; git branch -D x; git stash drop')).toBe(false);
});
