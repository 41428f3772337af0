import { describe, expect, test } from 'vitest';
import { missingProgram } from '../../src/core/answers/process-facts.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

describe('a program that is missing is recognised', () => {
  test.each([
    ['bash', 'bash: line 1: jqq: command not found'],
    ['a script in bash', '/home/me/guard.sh: line 12: jqq: command not found'],
    ['bash in French', 'guard.sh: ligne 1 : jqq : commande introuvable'],
    ['bash in German', 'guard.sh: Zeile 1: jqq: Kommando nicht gefunden.'],
    ['bash in Chinese', 'bash: 第 1 行: jqq: 未找到命令'.replace('第 1 行', '行 1')],
    ['dash', 'guard.sh: 3: jqq: not found'],
    ['busybox', 'sh: jqq: not found'],
    ['a script in busybox', 'guard.sh: line 2: jqq: not found'],
    ['zsh', 'zsh:1: command not found: jqq'],
    ['ksh', 'ksh: line 1: jqq: not found'],
    ['mksh', 'guard.sh[2]: jqq: inaccessible or not found'],
    ['fish', 'fish: Unknown command: jqq'],
    ['an older fish', "fish: Unknown command 'jqq'"],
    ['env', '/usr/bin/env: ‘jqq’: No such file or directory'],
    ['xargs', 'xargs: jqq: No such file or directory'],
    ['timeout', 'timeout: failed to run command ‘jqq’: No such file or directory'],
    ['a line among others', 'one\nguard.sh: line 1: jqq: command not found\ntwo'],
  ])('as %s says it', (_, stderr) => expect(missingProgram(stderr)).toBe('jqq'));

  test.each([
    '',
    'not found',
    'curl: (22) The requested URL returned error: 404 Not Found',
    'cat: x: No such file or directory',
    'guard.sh: line 3: input.txt: No such file or directory',
    'package left: not found',
    'error: command not found in the list of commands',
  ])('%j is about something else', (stderr) => expect(missingProgram(stderr)).toBeUndefined());
});

const fired = async (command: string, more: object = {}, own = true) => {
  const box = sandbox();
  const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command, ...more }] }] };
  box.write(own ? box.own.user : box.files.user, { enableHooks: true, hooks });
  const done = await inProcess(box, ['fire', 'BeforeTool'], '{"tool_name":"x","tool_input":{}}');
  const report = JSON.parse(done.stdout) as {
    blocked: boolean;
    reason: string | null;
    hooks: [{ success: boolean; stderr?: string; notes?: string[] }];
  };
  return { ...report, said: done.stderr };
};

describe('a guard whose script calls a program that is missing', () => {
  const note = /its script did not find the program "no-such-jq" and gave no answer/;

  const guard = 'no-such-jq -e .tool_input && echo denied; exit 0';

  test('it is noted, and its stderr is in the report', async () => {
    const { blocked, said, hooks } = await fired(guard);
    expect([blocked, hooks[0].success]).toEqual([false, true]);
    expect(said).toMatch(note);
    expect(hooks[0].stderr).toMatch(/no-such-jq/);
  });

  test('it blocks if its failures block, except in the files of hosts whose own rules allow it (S-04)', async () => {
    const { blocked, reason } = await fired(guard, { onFailure: 'block' });
    expect([blocked, reason]).toEqual([true, expect.stringMatching(note)]);
    const llxprt = await fired(guard, { onFailure: 'block' }, false);
    expect([llxprt.blocked, llxprt.said]).toEqual([false, expect.stringMatching(note)]);
    const only = knownDialects.filter(({ missingProgram: how }) => how === 'noted');
    expect(only.map(({ family }) => family).toSorted()).toEqual(['kodelet', 'kodelet', 'llxprt']);
  });

  test('an answer counts as usual, whatever is missing', async () => {
    for (const command of [`no-such-jq; echo '{}'`, `no-such-jq; echo no >&2; exit 2`]) {
      const { said, blocked } = await fired(command, { onFailure: 'block' });
      expect(said).not.toMatch(note);
      expect(blocked).toBe(command.includes('exit 2'));
    }
  });
});
