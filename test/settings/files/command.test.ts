import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';

const hook = (command: string) => ({
  BeforeTool: [{ hooks: [{ type: 'command', command }] }],
});

/** Fires BeforeTool in a sandbox's project with the built command. */
async function fire(box: Pick<Sandbox, 'project' | 'env'>, tool = 'write_file') {
  const input = JSON.stringify({ tool_name: tool, tool_input: {} });
  const { stdout, stderr, exitCode } = await inProcess(box, ['fire', 'BeforeTool'], input);
  const report = JSON.parse(stdout) as { hookCount: number; blocked: boolean; reason: unknown };
  return { ...report, warnings: stderr === '' ? [] : stderr.split('\n'), exitCode };
}

describe('settings as the command reads them', () => {
  test('hooks are off by default: none runs, and one line says how to switch them on (HOOK-010)', async () => {
    const box = sandbox();
    box.write(box.files.project, { hooks: hook('exit 2') });
    expect(await fire(box)).toMatchObject({
      hookCount: 0,
      blocked: false,
      warnings: [
        `hookmachine: ${box.files.project} hooks: these hooks do not run, because nothing switches hooks on; set "tools": { "enableHooks": true } in ${box.files.project}`,
      ],
      exitCode: 0,
    });
  });

  test.each([
    { tools: { enableHooks: true } },
    { enableHooks: true },
    { hooksConfig: { enabled: true } },
    { hooks: { enabled: true } },
  ])('%j switches hooks on (C-01)', async (gate: { hooks?: object }) => {
    const box = sandbox();
    const hooks = { ...gate.hooks, ...hook('echo no >&2; exit 2') };
    box.write(box.files.project, { ...gate, hooks });
    expect(await fire(box)).toMatchObject({ blocked: true, reason: 'no', exitCode: 2 });
  });

  test('comments, trailing commas, a byte order mark and Windows line ends are accepted (C-16)', async () => {
    const box = sandbox();
    box.write(
      box.files.project,
      '\uFEFF// recipe\r\n{\r\n  "enableHooks": true, /* on */\r\n  "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "exit 2", }, ], }, ], },\r\n}\r\n',
    );
    expect(await fire(box)).toMatchObject({ hookCount: 1, blocked: true, warnings: [] });
  });

  test('a hook without a type is discarded with one line, and the others run (HOOK-191, C-02)', async () => {
    const box = sandbox();
    box.write(box.files.project, {
      enableHooks: true,
      hooks: {
        BeforeTool: [{ hooks: [{ command: 'exit 0' }, ...hook('exit 2').BeforeTool[0]!.hooks] }],
      },
    });
    const { hookCount, blocked, warnings } = await fire(box);
    expect({ hookCount, blocked }).toEqual({ hookCount: 1, blocked: true });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^hookmachine: .*settings\.json:1:\d+ hooks\.BeforeTool\[0\]\.hooks\[0\]\.type: is missing, so the hook was discarded; write "type": "command"$/,
      ),
    ]);
  });

  test('a broken file is reported even though it may be why hooks are off', async () => {
    const box = sandbox();
    box.write(box.files.project, '{ "enableHooks": true "hooks": {} }');
    expect(await fire(box)).toMatchObject({
      hookCount: 0,
      exitCode: 0,
      warnings: [
        `hookmachine: ${box.files.project}:1:23: not valid JSON (a comma is expected), so the whole file is ignored; fix the JSON there`,
      ],
    });
  });

  test('a broken file of one level is reported once, and the other levels still count', async () => {
    const box = sandbox();
    box.write(box.files.project, 'null');
    box.write(box.files.user, { enableHooks: true, hooks: hook('exit 2') });
    const { blocked, warnings } = await fire(box);
    expect(blocked).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  test('a catastrophic matcher neither stalls nor skips the guard; it is reported', async () => {
    const box = sandbox();
    const [group] = hook('exit 2').BeforeTool;
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { BeforeTool: [{ ...group, matcher: '^(a+)+$' }] },
    });
    const { blocked, warnings } = await fire(box, `${'a'.repeat(60)}!`);
    expect(blocked).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('/^(a+)+$/: took more than 50 ms')]);
  });

  test('a command that two levels have runs once, as the stronger level has it (HOOK-090, S-35)', async () => {
    const box = sandbox();
    for (const file of [box.files.project, box.files.user])
      box.write(file, { enableHooks: true, hooks: hook('exit 2') });
    expect(await fire(box)).toMatchObject({ hookCount: 1, hooks: [{ source: 'user' }] });
  });

  test('a command of the administrator runs as the administrator defines it, whoever else defines it (S-15)', async () => {
    const box = sandbox();
    for (const file of Object.values(box.files))
      box.write(file, { enableHooks: true, hooks: hook('exit 2') });
    expect(await fire(box)).toMatchObject({ hookCount: 1, hooks: [{ source: 'system' }] });
  });

  test('each extension runs its own scripts through ${extensionPath} (E1)', async () => {
    const box = sandbox();
    box.write(box.files.user, { enableHooks: true });
    for (const name of ['one two', 'three']) {
      const path = `${box.home}/.llxprt/extensions/${name}`;
      box.write(`${path}/hooks/hooks.json`, { hooks: hook('sh ${extensionPath}/say.sh') });
      box.write(`${path}/say.sh`, `echo '{"decision":"deny","reason":"${name}"}'`);
    }
    expect(await fire(box)).toMatchObject({
      hookCount: 2,
      blocked: true,
      reason: 'one two\nthree',
    });
  });

  test('a user without a home folder can use hooks', async () => {
    const box = sandbox();
    box.write(box.files.project, { enableHooks: true, hooks: hook('exit 2') });
    const env = { ...box.env, HOME: '' };
    expect(await fire({ ...box, env })).toMatchObject({ hookCount: 1, warnings: [] });
  });
});
