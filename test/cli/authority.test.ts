import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasEtcOfItsOwn } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const hooks = (...commands: (string | object)[]) => ({
  BeforeTool: [
    {
      hooks: commands.map((command) => (typeof command === 'string' ? hook(command) : command)),
    },
  ],
});
const on = { enableHooks: true };
const call = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a' } });
const fieldsOf = {
  BeforeTool: call,
  BeforeModel: JSON.stringify({ llm_request: { model: 'm', messages: [] } }),
  BeforeAgent: JSON.stringify({ prompt: 'Hi' }),
  AfterAgent: JSON.stringify({ prompt: 'Hi', prompt_response: 'x', stop_hook_active: false }),
  SessionStart: JSON.stringify({ source: 'startup' }),
};

interface Report {
  readonly hookCount: number;
  readonly blocked: boolean;
  readonly reason: string | null;
  readonly hooks: readonly { readonly source: string; readonly command: string }[];
}

async function fire(
  box: Sandbox,
  options: readonly string[] = [],
  event: keyof typeof fieldsOf = 'BeforeTool',
) {
  const { stdout, stderr, exitCode } = await inProcess(
    box,
    ['fire', event, ...options],
    fieldsOf[event],
  );
  const { hookCount, blocked, reason, hooks: ran } = JSON.parse(stdout) as Report;
  return {
    hookCount,
    blocked,
    reason,
    ran: ran.map(({ source }) => source),
    exitCode,
    warnings: stderr === '' ? [] : stderr.split('\n'),
  };
}

/** A sandbox whose commands run nothing that the user has not trusted. */
function strangers(): Sandbox {
  const box = sandbox();
  return { ...box, env: { ...box.env, HOOKMACHINE_TRUST: '' } };
}

const offWords = [
  { enableHooks: false },
  { tools: { enableHooks: false } },
  { hooksConfig: { enabled: false } },
  { hooks: { enabled: false } },
  { hooksConfig: { disabled: ['mine', 'exit 2'] } },
  { hooks: { disabled: ['mine', 'exit 2'] } },
];

describe("a project's switches", () => {
  test.each(offWords)(
    "%j in a project's settings switches off none of the user's guards, trusted or not (C-01, C-04)",
    async (off) => {
      for (const box of [sandbox(), strangers()]) {
        box.write(box.files.user, { ...on, hooks: hooks(hook('exit 2', { name: 'mine' })) });
        box.write(box.files.project, off);
        expect(await fire(box)).toMatchObject({ blocked: true, ran: ['user'], exitCode: 2 });
      }
    },
  );

  test("a trusted project's switches turn off its own hooks", async () => {
    const box = sandbox();
    box.write(box.files.user, { ...on, hooks: hooks('exit 0') });
    box.write(box.files.project, { ...on, hooks: { ...hooks('exit 2'), enabled: false } });
    expect(await fire(box)).toMatchObject({ blocked: false, ran: ['user'] });
  });

  test("an untrusted project's switches do not turn on the user's hooks", async () => {
    const box = strangers();
    box.write(box.files.user, { hooks: hooks('exit 2') });
    box.write(box.files.project, on);
    expect(await fire(box)).toMatchObject({ blocked: false, ran: [] });
    expect(await fire(box, ['--trust'])).toMatchObject({ blocked: true, ran: ['user'] });
  });
});

const one = (box: Sandbox) => [
  `hookmachine: ${box.project}: the hooks of this project are not trusted, so they were skipped; look at them: hookmachine trust --show, then allow them: hookmachine trust`,
];

describe('an untrusted project (S-17)', () => {
  test('an untrusted project is reported in one line, however many hooks of whatever kind it has, and none of them blocks', async () => {
    const box = strangers();
    const many = Array.from({ length: 50 }, (_, at) => hook(`exit ${at}`, { onFailure: 'block' }));
    box.write(box.files.project, { ...on, defaultOnFailure: 'block', hooks: hooks(...many) });
    const guard = box.write('project/.kodelet/hooks/guard', '#!/bin/sh\ntouch asked\n');
    chmodSync(guard, 0o755);
    expect(await fire(box)).toMatchObject({ blocked: false, exitCode: 0, warnings: one(box) });
    expect(existsSync(join(box.project, 'asked'))).toBe(false);
  });

  test("tool and run report an untrusted project in one line, never in the middle of the model's text", async () => {
    const box = strangers();
    const every = { ...hooks('exit 2'), AfterModel: [{ hooks: [hook('exit 2')] }] };
    box.write(box.files.project, { ...on, hooks: every });
    const input = JSON.stringify({ file_path: 'a.txt', content: 'x' });
    const tool = await inProcess(box, ['tool', 'write_file', '--input', input]);
    expect([tool.exitCode, tool.stderr.split('\n')]).toEqual([0, one(box)]);
    const script = box.write('s.yaml', '- text: Hello there.\n');
    const run = await inProcess(box, ['run', 'Hi', '--live', '--model', `scripted:${script}`]);
    expect([run.exitCode, run.stderr.split('\n')]).toEqual([0, one(box)]);
  });

  test('the settings of an untrusted project are not parsed, so their faults are not reported', async () => {
    const box = strangers();
    box.write(box.files.project, `{ "hooks": { "BeforeTool": [${'5,'.repeat(4000)} }`);
    expect((await fire(box)).warnings).toEqual(one(box));
  });

  test('an untrusted project whose settings have no hooks is not reported', async () => {
    const box = strangers();
    box.write(box.files.project, { ui: { theme: 'dark' }, tools: { sandbox: true } });
    mkdirSync(join(box.project, '.kodelet/hooks'), { recursive: true });
    expect(await fire(box)).toMatchObject({ warnings: [], exitCode: 0 });
  });

  test.each(['a folder', 'a pipe'])(
    'an untrusted project whose settings file is %s is reported in one line, and nothing more',
    async (what) => {
      const box = strangers();
      if (what === 'a folder') mkdirSync(box.files.project, { recursive: true });
      else {
        mkdirSync(join(box.project, '.llxprt'));
        const { execFileSync } = await import('node:child_process');
        execFileSync('mkfifo', [box.files.project]);
      }
      expect(await fire(box)).toMatchObject({
        exitCode: 0,
        warnings: [
          expect.stringContaining(
            'are not trusted, so they were skipped; its settings are not a file',
          ),
        ],
      });
    },
  );

  test('an untrusted project is reported once per session id, and every time without one (S-19)', async () => {
    const box = strangers();
    box.write(box.files.project, { ...on, hooks: hooks('exit 2') });
    const said = async (...options: string[]) => (await fire(box, options)).warnings.length;
    expect(await said('--session-id', 'one')).toBe(1);
    expect(await said('--session-id', 'one')).toBe(0);
    expect(await said('--session-id', 'two')).toBe(1);
    expect([await said(), await said()]).toEqual([1, 1]);
    expect(readdirSync(join(box.home, '.local/state/hookmachine/reported'))).toHaveLength(2);
  });

  test('an untrusted project is reported once in a session that the input itself names (S-19)', async () => {
    const box = strangers();
    box.write(box.files.project, { ...on, hooks: hooks('exit 2') });
    const input = JSON.stringify({ session_id: 'one', tool_name: 'x', tool_input: {} });
    const said = async () => (await inProcess(box, ['fire', 'BeforeTool'], input)).stderr;
    expect(await said()).toContain('not trusted');
    expect(await said()).toBe('');
  });

  test('an untrusted project is reported every time if nothing can be remembered', async () => {
    const box = strangers();
    box.write(box.files.project, { ...on, hooks: hooks('exit 2') });
    writeFileSync(join(box.home, '.local'), 'in the way');
    for (const _ of [1, 2])
      expect(await fire(box, ['--session-id', 'one'])).toMatchObject({
        exitCode: 0,
        warnings: one(box),
      });
  });

  test('list and trust still show an untrusted project, and fire names single changed hooks of a trusted one', async () => {
    const box = strangers();
    box.write(box.files.project, { ...on, hooks: hooks(hook('exit 0', { name: 'theirs' })) });
    expect((await inProcess(box, ['list'])).stdout).toContain('  theirs (not trusted)');
    expect((await inProcess(box, ['trust', '--show'])).stdout).toContain('  theirs');
    await inProcess(box, ['trust', '--yes']);
    expect((await fire(box)).warnings).toEqual([]);
    const more = hook('true', { name: 'new', onFailure: 'block' });
    box.write(box.files.project, { ...on, hooks: hooks(hook('exit 0', { name: 'theirs' }), more) });
    expect(await fire(box)).toMatchObject({
      blocked: true,
      warnings: [expect.stringContaining('hook "new" (BeforeTool) may not run, so it blocks')],
    });
  });
});

describe('settings that cannot be read (S-03, S-10)', () => {
  test('unreadable settings let other hooks judge, and fire and tool exit with 1 if none of them denies', async () => {
    const box = sandbox();
    box.write(box.files.project, { ...on, hooks: hooks('exit 0') });
    mkdirSync(box.files.user, { recursive: true });
    expect(await fire(box)).toMatchObject({ exitCode: 1, hookCount: 1, blocked: false });
    expect((await fire(box)).warnings).toEqual([
      expect.stringContaining(`${box.files.user}: is not a file`),
    ]);
    const tool = await inProcess(box, ['tool', 'list_directory', '--input', '{"path":"."}']);
    expect(tool.exitCode).toBe(1);
    box.write(box.files.project, { ...on, hooks: hooks('exit 2') });
    expect(await fire(box)).toMatchObject({ exitCode: 2, blocked: true });
    expect((await fire(box, ['--no-hooks'])).exitCode).toBe(0);
  });

  test('fire exits with 1 if unreadable settings are all there is', async () => {
    const box = sandbox();
    mkdirSync(box.files.user, { recursive: true });
    expect(await fire(box)).toMatchObject({ exitCode: 1, hookCount: 0 });
  });
});

describe('hooks that nothing switches on', () => {
  test('fire, tool and run report hooks that nothing switches on in one line, once per session', async () => {
    const box = sandbox();
    box.write(box.files.user, { hooks: hooks('exit 2') });
    const line = `hookmachine: ${box.files.user} hooks: these hooks do not run, because nothing switches hooks on; set "tools": { "enableHooks": true } in ${box.files.user}`;
    expect((await fire(box)).warnings).toEqual([line]);
    expect((await fire(box, ['--session-id', 'a'])).warnings).toEqual([line]);
    expect((await fire(box, ['--session-id', 'a'])).warnings).toEqual([]);
    const tool = await inProcess(box, ['tool', 'list_directory', '--input', '{"path":"."}']);
    expect([tool.exitCode, tool.stderr]).toEqual([0, line]);
    const script = box.write('s.yaml', '- text: Hello.\n');
    const run = await inProcess(box, ['run', 'Hi', '--model', `scripted:${script}`]);
    expect([run.exitCode, run.stderr]).toEqual([0, line]);
  });

  test('hooks that are off are not reported if a setting says so, or if there are none', async () => {
    const box = sandbox();
    box.write(box.files.user, { enableHooks: false, hooks: hooks('exit 2') });
    expect((await fire(box)).warnings).toEqual([]);
    box.write(box.files.user, { hooks: { BeforeTool: [], disabled: [] } });
    expect((await fire(box)).warnings).toEqual([]);
  });
});

test('defaultOnFailure also applies to hooks of weaker levels, and a hook’s own onFailure wins (S-09)', async () => {
  const box = sandbox();
  box.write(box.files.user, { ...on, defaultOnFailure: 'block' });
  const fails = async (project: object) => {
    box.write(box.files.project, { ...on, ...project });
    return (await fire(box)).blocked;
  };
  expect(await fails({ hooks: hooks('exit 1') })).toBe(true);
  expect(await fails({ defaultOnFailure: 'allow', hooks: hooks('exit 1') })).toBe(true);
  expect(await fails({ hooks: hooks(hook('exit 1', { onFailure: 'allow' })) })).toBe(false);
  expect(await fails({ hooks: hooks(hook('exit 1', { onFailure: 'continue' })) })).toBe(false);
  box.write(box.files.user, on);
  expect(await fails({ hooks: hooks('exit 1') })).toBe(false);
  expect(await fails({ hooksConfig: { defaultOnFailure: 'block' }, hooks: hooks('exit 1') })).toBe(
    true,
  );
  box.write(box.files.user, { ...on, hooks: hooks('exit 1') });
  expect(await fails({ defaultOnFailure: 'block' })).toBe(false);
});

test('a default that the user sets does not make a trusted hook count as changed (S-09)', async () => {
  const box = strangers();
  box.write(box.files.user, on);
  box.write(box.files.project, { hooks: hooks('exit 0') });
  await inProcess(box, ['trust', '--yes']);
  box.write(box.files.user, { ...on, defaultOnFailure: 'block' });
  expect(await fire(box)).toMatchObject({ ran: ['project'], blocked: false, warnings: [] });
});

describe.skipIf(!hasEtcOfItsOwn)('the administrator’s file', () => {
  test.each(offWords.slice(0, 4))(
    'the administrator’s guards run whatever the user’s settings say: %j',
    async (off) => {
      const box = sandbox();
      box.write(box.files.system, { ...on, hooks: hooks('exit 2') });
      box.write(box.files.user, off);
      expect(await fire(box)).toMatchObject({ blocked: true, ran: ['system'], exitCode: 2 });
    },
  );

  test('under --no-hooks the administrator’s guards run, and those of others are off', async () => {
    const box = sandbox();
    box.write(box.files.system, { ...on, hooks: hooks('echo system >&2; exit 2') });
    box.write(box.files.user, { ...on, hooks: hooks('touch ran') });
    expect(await fire(box, ['--no-hooks'])).toMatchObject({
      blocked: true,
      reason: 'system',
      ran: ['system'],
    });
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
    const help = await inProcess(box, ['fire', '--help']);
    expect(help.stdout).toMatch(/--no-hooks\s+run no hooks except the system's/);
  });

  test('the administrator’s file is not replaced by one that the environment names', async () => {
    const box = sandbox();
    box.write(box.files.system, { ...on, hooks: hooks('exit 2') });
    const other = box.write('other.json', { ...offWords[2], hooks: hooks('true') });
    const env = { ...box.env, LLXPRT_SYSTEM_SETTINGS_PATH: other };
    expect(await fire({ ...box, env })).toMatchObject({
      blocked: true,
      ran: ['system', 'system'],
      warnings: [expect.stringContaining('may only add hooks')],
    });
  });

  test('hooks that the administrator takes away from others are reported in one line, once per session', async () => {
    const box = sandbox();
    box.write(box.files.user, { ...on, hooks: hooks(hook('exit 2', { name: 'mine' })) });
    box.write(box.files.system, { enableHooks: false });
    const { warnings, blocked } = await fire(box, ['--session-id', 'a']);
    expect([blocked, warnings]).toEqual([
      false,
      [
        `hookmachine: /etc/llxprt-code/settings.json enableHooks: is false, so the hooks of ${box.files.user} are switched off; only an administrator can change that`,
      ],
    ]);
    expect((await fire(box, ['--session-id', 'a'])).warnings).toEqual([]);
    box.write(box.files.system, { hooksConfig: { disabled: ['mine'] } });
    expect((await fire(box)).warnings).toEqual([
      'hookmachine: /etc/llxprt-code/settings.json hooksConfig.disabled: disables hooks that are not the administrator\'s own: "mine"; only an administrator can change that',
    ]);
  });

  test.each(['BeforeTool', 'BeforeModel', 'BeforeAgent'] as const)(
    'an administrator’s file that cannot be parsed denies %s, even without hooks and with every switch off (S-12)',
    async (event) => {
      const box = sandbox();
      box.write(box.files.system, '{ "enableHooks": true, ');
      box.write(box.files.user, offWords[2]);
      for (const options of [[], ['--no-hooks'], ['--dialects', 'kodelet']]) {
        const { blocked, reason, exitCode, warnings } = await fire(box, options, event);
        expect([blocked, exitCode]).toEqual([true, 2]);
        expect(reason).toContain('/etc/llxprt-code/settings.json:1:24: not valid JSON');
        expect(warnings.length).toBe(1);
      }
    },
  );

  test('an administrator’s file that cannot be parsed only warns at other events, and commands that only look still work (S-12)', async () => {
    const box = sandbox();
    box.write(box.files.system, '{');
    for (const event of ['AfterAgent', 'SessionStart'] as const)
      expect(await fire(box, [], event)).toMatchObject({
        blocked: false,
        exitCode: 0,
        warnings: [expect.stringContaining('denied until it is fixed')],
      });
    for (const command of [['list'], ['trust', '--show'], ['schema']])
      expect((await inProcess(box, command)).exitCode).toBe(0);
    expect((await inProcess(box, ['list'])).stdout).toContain('/etc/llxprt-code/settings.json');
  });

  test('an administrator’s file that cannot be parsed stops tool and run (S-12)', async () => {
    const box = sandbox();
    box.write(box.files.system, '{');
    const input = JSON.stringify({ file_path: 'a.txt', content: 'x' });
    const tool = await inProcess(box, ['tool', 'write_file', '--input', input]);
    expect([tool.exitCode, existsSync(join(box.project, 'a.txt'))]).toEqual([2, false]);
    const script = box.write('s.yaml', '- text: Hello.\n');
    const run = await inProcess(box, ['run', 'Hi', '--model', `scripted:${script}`]);
    expect(run.exitCode).toBe(2);
    expect(run.stdout).not.toContain('Hello');
  });
});

test('disable refuses a scope that does not reach the hook, and by default reaches all hooks of a name (C-04)', async () => {
  const box = sandbox();
  box.write(box.files.user, { ...on, hooks: hooks(hook('exit 2', { name: 'scan' })) });
  const refused = await inProcess(box, ['disable', 'scan', '--scope', 'project']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    'hookmachine: hook "scan" is the user\'s, and a project\'s settings cannot disable it: pass --scope user',
  ]);
  box.write(box.files.project, { ...on, hooks: hooks(hook('exit 2 #', { name: 'scan' })) });
  expect((await inProcess(box, ['disable', 'scan'])).stdout).toContain(box.files.user);
  expect(await fire(box)).toMatchObject({ hookCount: 0, blocked: false });
  expect(readFileSync(box.files.project, 'utf8')).not.toContain('disabled');
});

test('a disabled name that no hook has is reported, unless hooks of an untrusted project were skipped', async () => {
  const box = strangers();
  box.write(box.files.user, {
    ...on,
    hooksConfig: { disabled: ['no-such'] },
    hooks: hooks(hook('exit 0', { name: 'mine' })),
  });
  const unknown = expect.stringContaining('"no-such" is not the name or command of any hook');
  expect((await fire(box)).warnings).toEqual([unknown]);
  box.write(box.files.project, { ...on, hooks: hooks('exit 0') });
  expect((await fire(box)).warnings).toEqual([expect.stringContaining('are not trusted')]);
});
