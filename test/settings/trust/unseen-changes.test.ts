import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeBehind } from '../../../src/settings/trust/change-behind.ts';
import { fingerprint } from '../../../src/settings/trust/fingerprint.ts';
import { definition } from '../../support/definition.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const plain = '[core]\n\tbare = false\n[user]\n\tname = Ann\n';

/** Forms of a configuration that git reads, and in which a careless reader overlooks a command. */
test.each([
  ['a second section on a line', 'core.fsmonitor', '[user] [core] fsmonitor = ./evil.sh\n'],
  [
    'a value that ends with a backslash',
    'core.fsmonitor',
    '\temail = a\\\\\n[core]\n\tfsmonitor = ./evil.sh\n',
  ],
  [
    'a comment that ends with a backslash',
    'core.fsmonitor',
    '# a \\\n[core]\n\tfsmonitor = ./evil.sh\n',
  ],
  [
    'a comment behind a value',
    'core.fsmonitor',
    '\temail = a ; \\\n[core]\n\tfsmonitor = ./evil.sh\n',
  ],
  ['a quote in a comment', 'core.fsmonitor', '\temail = a # "\n[core]\n\tfsmonitor = ./evil.sh\n'],
  ['a hook of the clean-up', 'gc.recentobjectshook', '[gc]\n\trecentObjectsHook = ./evil.sh\n'],
])('a command in the configuration of git revokes trust: %s', async (_, key, added) => {
  const cwd = realpathSync(tempFolder());
  const config = join(cwd, '.git/config');
  mkdirSync(join(cwd, '.git'));
  writeFileSync(config, plain);
  const trusted = await fingerprint(definition('BeforeTool', { command: 'git status' }), cwd);
  writeFileSync(config, `${plain}\temail = a@b\n`);
  expect(await changeBehind(trusted, cwd)).toBe(undefined);
  writeFileSync(config, plain + added);
  expect(execFileSync('git', ['config', '-f', config, key]).toString()).toBe('./evil.sh\n');
  expect(await changeBehind(trusted, cwd)).toContain('.git/config');
});

const each = (pattern: string) =>
  definition('BeforeTool', { command: `for f in ${pattern}; do sh "$f"; done` });

test('a script behind a linked folder revokes trust', async () => {
  const cwd = realpathSync(tempFolder());
  for (const folder of ['hooks.d', 'more', 'more/two']) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, 'more/run.sh'), 'exit 0\n');
  symlinkSync('../more', join(cwd, 'hooks.d/one'));
  const trusted = await fingerprint(each('hooks.d/*/run.sh'), cwd);
  expect(await changeBehind(trusted, cwd)).toBe(undefined);
  writeFileSync(join(cwd, 'more/run.sh'), 'exit 1\n');
  expect(await changeBehind(trusted, cwd)).toContain('has changed');
});

test('a script in a folder of packages revokes trust where a pattern reaches it', async () => {
  const cwd = realpathSync(tempFolder());
  const trusted = await fingerprint(each('*/run.sh'), cwd);
  mkdirSync(join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'node_modules/run.sh'), 'exit 1\n');
  expect(await changeBehind(trusted, cwd)).toContain('is new');
});

test('a pattern that more files match than are compared is not trusted', async () => {
  const cwd = realpathSync(tempFolder());
  mkdirSync(join(cwd, 'hooks.d'));
  for (let n = 0; n <= 500; n++) writeFileSync(join(cwd, `hooks.d/${n}.sh`), '');
  const trusted = await fingerprint(each('hooks.d/*.sh'), cwd);
  expect(trusted.unfollowed).toContainEqual(expect.stringContaining('hooks.d/*.sh'));
  expect(await changeBehind(trusted, cwd)).toContain('hooks.d/*.sh');
});
