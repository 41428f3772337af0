import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { answering, hookOf, kodeletBox, type KodeletBox } from '../support/kodelet.ts';
import { inParallel } from '../support/session.ts';

/** The sandbox of a user who has trusted nothing yet. */
const wary = (box: KodeletBox): KodeletBox => ({
  ...box,
  env: { ...box.env, HOOKMACHINE_TRUST: '' },
});

describe('hookmachine list', () => {
  test('list shows hooks of all dialects, by our events, and what was skipped', async () => {
    const box = kodeletBox();
    const guard = box.local('guard', hookOf('before_tool_call'));
    const stop = box.global('stop', hookOf('agent_stop'));
    const odd = box.local('odd', hookOf('on_tool'));
    box.write(box.files.project, {
      tools: { enableHooks: true },
      hooks: { BeforeTool: inParallel('./check.sh') },
    });
    const { stdout, stderr, exitCode } = await inProcess(box, ['list']);
    expect(stdout).toBe(`BeforeTool
  ./check.sh
    matcher  *
    mode     parallel
    timeout  60000 ms
    dialect  llxprt
    project  ${box.files.project} hooks.BeforeTool[0].hooks[0]
  guard
    command  ${guard} ["run"]
    mode     sequential
    timeout  30000 ms
    dialect  kodelet
    project  ${guard}

AfterAgent
  stop
    command  ${stop} ["run"]
    mode     sequential
    timeout  30000 ms
    dialect  kodelet
    user     ${stop}

Problems
  ${odd}: printed "on_tool" when asked for its type ("hook"), so it was skipped; make it print one of before_tool_call, after_tool_call, user_message_send, agent_stop, turn_end, or remove its executable bit`);
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  test("list says that the settings' hooks are off if only Kodelet's are on", async () => {
    const box = kodeletBox();
    box.local('guard', hookOf('before_tool_call'));
    box.write(box.files.project, { hooks: { BeforeTool: inParallel('./check.sh') } });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toMatch(/^The settings' hooks are off\. Set "tools": \{ "enableHooks": true \}/);
    expect(stdout).toContain('\n  guard\n');
  });

  test('list mentions no switch if there are only Kodelet hooks', async () => {
    const box = kodeletBox();
    box.local('guard', hookOf('before_tool_call'));
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toMatch(/^BeforeTool\n {2}guard\n/);
  });

  test('list shows Kodelet hooks that it may not ask separately, and runs nothing', async () => {
    const box = kodeletBox();
    const guard = box.local('guard', '#!/bin/sh\ntouch ran\necho before_tool_call\n');
    const { stdout } = await inProcess(wary(box), ['list']);
    expect(stdout).toBe(`Unknown events
  guard
    command  ${guard}
    skipped  this folder is not trusted; look at what it runs, then allow it: hookmachine trust`);
    expect(readdirSync(box.project)).toEqual(['.kodelet']);
    const { stdout: json } = await inProcess(wary(box), ['list', '--json']);
    expect(JSON.parse(json)).toMatchObject({
      hooks: [],
      unasked: [
        { name: 'guard', source: 'project', untrusted: { why: 'this folder is not trusted' } },
      ],
    });
  });

  test('list --dialects selects whose hooks are shown', async () => {
    const box = kodeletBox();
    box.local('guard', hookOf('before_tool_call'));
    const names = async (dialects: string): Promise<unknown[]> => {
      const { stdout } = await inProcess(box, ['list', '--json', '--dialects', dialects]);
      const { hooks } = JSON.parse(stdout) as { hooks: { dialect: string; name: string }[] };
      return hooks.map(({ dialect, name }) => [dialect, name]);
    };
    expect(await names('llxprt')).toEqual([]);
    expect(await names('llxprt, kodelet-strict')).toEqual([['kodelet-strict', 'guard']]);
  });

  test('list harmlessly shows a name that would play tricks on the terminal', async () => {
    const box = kodeletBox();
    box.local('a\u001B[2K\rb', hookOf('before_tool_call'));
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain('[2K');
    for (const character of ['\u001B', '\r']) expect(stdout).not.toContain(character);
  });
});

describe('hookmachine trust', () => {
  test('a Kodelet hook is trusted with its file, and no longer trusted when the file changes', async () => {
    const box = wary(kodeletBox());
    const listed = async () => (await inProcess(box, ['list'])).stdout;
    box.local('guard', hookOf('before_tool_call'));
    const { stdout } = await inProcess(box, ['trust', '--yes']);
    expect(stdout).toContain('script   .kodelet/hooks/guard');
    expect(stdout).toContain(`Trusted as they are now: 1 hook of ${box.project}`);
    expect(await listed()).toMatch(/^BeforeTool\n {2}guard\n/);

    box.local('guard', hookOf('before_tool_call', 'rm -rf /'));
    expect(await listed()).toContain(
      'skipped  its script ".kodelet/hooks/guard" has changed since you trusted it',
    );
    await inProcess(box, ['trust', '--yes']);
    expect(await listed()).not.toContain('skipped');
    await inProcess(box, ['trust', '--revoke']);
    expect(await listed()).toContain('skipped  this folder is not trusted');
  });

  test('a Kodelet hook that was added later is not trusted, and those before it stay trusted', async () => {
    const box = wary(kodeletBox());
    box.local('guard', hookOf('before_tool_call'));
    await inProcess(box, ['trust', '--yes']);
    box.local('later', hookOf('before_tool_call'));
    const { stdout } = await inProcess(box, ['list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      hooks: [{ name: 'guard' }],
      unasked: [{ name: 'later', untrusted: { why: expect.any(String) } }],
    });
  });

  test("the user's own Kodelet hooks need no trust and are not asked about", async () => {
    const box = wary(kodeletBox());
    box.global('guard', hookOf('before_tool_call'));
    const { stdout } = await inProcess(box, ['trust', '--show']);
    expect(stdout).toBe(`This project configures no hooks: ${box.project}`);
    expect((await inProcess(box, ['list'])).stdout).not.toContain('skipped');
  });
});

describe('hookmachine disable and enable', () => {
  test('disable and enable switch a Kodelet hook by its name, like any other', async () => {
    const box = kodeletBox();
    box.local('guard', answering('before_tool_call', { blocked: true, reason: 'No' }));
    const fire = async () =>
      (
        await inProcess(
          box,
          ['fire', 'before_tool_call', '--dialect', 'kodelet'],
          '{"tool_name":"bash","tool_input":{}}',
        )
      ).exitCode;
    expect(await fire()).toBe(2);
    expect((await inProcess(box, ['disable', 'guard'])).stdout).toContain('is disabled');
    expect(await fire()).toBe(0);
    expect((await inProcess(box, ['list'])).stdout).toContain('  guard (disabled)\n');
    await inProcess(box, ['enable', 'guard']);
    expect(await fire()).toBe(2);
  });
});

describe('hookmachine tool and run', () => {
  const write = ['tool', 'write_file', '--input', '{"file_path":"a.txt","content":"x"}'];
  const script = [{ text: 'Hello.' }, { text: 'Again.' }];

  test('tool exits with 2 if a Kodelet hook blocks, and the model reads why (K2)', async () => {
    const box = kodeletBox();
    box.local('guard', answering('before_tool_call', { blocked: true, reason: 'No' }));
    const { stdout, exitCode } = await inProcess(box, write);
    expect(JSON.parse(stdout)).toMatchObject({ llmContent: 'No' });
    expect([exitCode, box.left('a.txt')]).toEqual([2, '']);
  });

  test('tool prints the result with which a Kodelet hook replaced its own (K7)', async () => {
    const box = kodeletBox();
    box.local('redact', answering('after_tool_call', { output: { metadata: { output: '***' } } }));
    const { stdout, exitCode } = await inProcess(box, write);
    expect(JSON.parse(stdout)).toMatchObject({ llmContent: '***', returnDisplay: '***' });
    expect([exitCode, box.left('a.txt')]).toEqual([0, 'x']);
  });

  test('a later logger unblocks a call with tool --dialects llxprt,kodelet-strict (C-108)', async () => {
    const box = kodeletBox();
    box.local('1', answering('before_tool_call', { blocked: true, reason: 'No' }));
    box.local('2', hookOf('before_tool_call'));
    const { exitCode } = await inProcess(box, [...write, '--dialects', 'llxprt,kodelet-strict']);
    expect([exitCode, box.left('a.txt')]).toEqual([0, 'x']);
  });

  test('run continues with the follow-ups of a Kodelet hook, and reports them', async () => {
    const box = kodeletBox();
    box.local(
      'more',
      hookOf(
        'agent_stop',
        `[ -e spoken ] || echo '{"follow_up_messages":["More."]}'; touch spoken`,
      ),
    );
    box.write('project/script.yaml', script);
    const { stdout, exitCode } = await inProcess(box, [
      'run',
      'Hi',
      '--model',
      'scripted:script.yaml',
    ]);
    expect(stdout).toMatch(/Hello\.\n[^]*a hook has more to do: More\.\n[^]*Again\./);
    expect(exitCode).toBe(0);
  });

  test('run exits with 2 if a Kodelet hook blocks the message, and the model is not asked (K5)', async () => {
    const box = kodeletBox();
    box.local('secrets', answering('user_message_send', { blocked: true, reason: 'A password' }));
    box.write('project/script.yaml', script);
    const { stdout, exitCode } = await inProcess(box, [
      'run',
      'Hi',
      '--model',
      'scripted:script.yaml',
    ]);
    expect(stdout).toContain('a hook blocked the prompt: A password');
    expect(stdout).not.toContain('Hello.');
    expect(exitCode).toBe(2);
  });

  test('tool and run with --no-hooks neither run nor ask Kodelet hooks (K8)', async () => {
    const box = kodeletBox();
    for (const type of ['before_tool_call', 'after_tool_call', 'user_message_send', 'agent_stop'])
      box.local(type, `#!/bin/sh\ntouch ran\necho ${type}\n`);
    box.write('project/script.yaml', script);
    const tool = await inProcess(box, [...write, '--no-hooks']);
    const run = await inProcess(box, [
      'run',
      'Hi',
      '--model',
      'scripted:script.yaml',
      '--no-hooks',
    ]);
    expect([tool.exitCode, run.exitCode, run.stdout]).toEqual([0, 0, 'Hello.']);
    expect(readdirSync(box.project).toSorted()).toEqual(['.kodelet', 'a.txt', 'script.yaml']);
  });
});
