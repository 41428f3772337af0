import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandInProcess, group, projectWithHooks } from '../support/project.ts';

const env = { HOOKMACHINE_TRUST: '1' };

/** A project with these hooks before a tool, and a call that was recorded there. */
async function recorded(hooks: readonly object[], ...options: string[]) {
  const folder = projectWithHooks({ BeforeTool: hooks });
  const file = join(folder, 'r.jsonl');
  const input = JSON.stringify({ file_path: 'a.txt', content: 'text' });
  const args = ['tool', 'write_file', '--input', input, '--cwd', folder, '--record', file];
  await commandInProcess([...args, ...options], { env });
  return {
    file,
    change: (...now: readonly object[]) =>
      writeFileSync(
        join(folder, '.llxprt/settings.json'),
        JSON.stringify({ tools: { enableHooks: true }, hooks: { BeforeTool: now } }),
      ),
    replay: (...more: string[]) =>
      commandInProcess(['replay', file, '1', '--cwd', folder, ...more], { env }),
    edit: (editor: string) =>
      commandInProcess(['replay', file, '1', '--cwd', folder, '--edit'], {
        env: { ...env, VISUAL: editor },
      }),
  };
}

const denying = group('echo no >&2; exit 2', { name: 'guard' });
const payloads = '--record-payloads';

describe('replay', () => {
  test('replay runs the hooks of a call again, and says that nothing differs', async () => {
    const { replay } = await recorded([denying], payloads);
    expect(await replay()).toMatchObject({
      exitCode: 0,
      stdout: 'BeforeTool: nothing differs (1 hook)',
      stderr: '',
    });
  });

  test('replay shows how the answer of a changed hook differs, and which hooks came and went', async () => {
    const { replay, change } = await recorded([denying, group('true', { name: 'gone' })], payloads);
    // It reads what the hook of the recorded call was given.
    const now = group('grep -q a.txt && exit 0 || exit 2', { name: 'guard' });
    change(now, group('true', { name: 'new' }));
    const { exitCode, stdout } = await replay();
    expect(exitCode).toBe(2);
    expect(stdout.split('\n')).toEqual([
      'BeforeTool:',
      '  hook "guard" decision: "deny" then, none now',
      '  hook "guard" reason: "no" then, none now',
      '  hook "guard" exit: 2 then, 0 now',
      '  hook "guard" output: {"decision":"deny","reason":"no"} then, none now',
      '  hook "gone" ran then, but does not run now',
      '  hook "new" did not run then, but runs now',
      '  together: "blocked" then, "passed" now',
    ]);
  });

  test('replay --hook runs only one hook', async () => {
    const other = group('exit 1', { name: 'other' });
    const { replay } = await recorded([denying, other], payloads);
    const { exitCode, stdout } = await replay('--hook', 'guard', '--json');
    expect(exitCode).toBe(0);
    const [{ now, differences }] = JSON.parse(stdout);
    expect(differences).toEqual([]);
    expect(now.hooks).toMatchObject([{ name: 'guard', answer: { decision: 'deny' } }]);
    expect(now.hooks).toHaveLength(1);
    expect((await replay('--hook', 'nope')).stderr).toMatch(
      /at #1 there was no hook "nope": use one of "guard", "other"$/,
    );
  });

  test('replay --edit runs the hooks with the call as the user edited it', async () => {
    const { edit } = await recorded([group('grep -q b.txt && exit 2; exit 0')], payloads);
    const { exitCode, stdout } = await edit('sed -i.bak s/a.txt/b.txt/');
    expect(exitCode).toBe(2);
    expect(stdout).toContain('decision: none then, "deny" now');
    expect(stdout).toContain('together: "passed" then, "blocked" now');
  });

  test.each([
    ['sed -i.bak s/{/[/', /the edited input of BeforeTool is not valid JSON/],
    ['false', /the editor false ended with 1, so nothing was run; set VISUAL or EDITOR/],
    [
      `sed -i.bak 's/"tool_name": .*/"tool_name": 1,/'`,
      /the edited input does not match BeforeTool: .*tool_name/,
    ],
    ['no-such-editor', /the editor no-such-editor ended with 127, so nothing was run/],
  ])('replay --edit runs nothing after the editor %s', async (editor, message) => {
    const { edit, change, file } = await recorded([denying], payloads);
    change(group(`touch ${file}.ran`, { name: 'guard' }));
    const { exitCode, stdout, stderr } = await edit(editor);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(`${file}.ran`)).toBe(false);
  });

  test('replay does not count what the recording redacted as a difference', async () => {
    const { replay } = await recorded(
      [group(`echo '{"decision":"deny","reason":"x","password":"hidden"}'`, { name: 'guard' })],
      payloads,
    );
    expect(await replay()).toMatchObject({ exitCode: 0 });
  });

  test.each([
    [
      'without payloads',
      [denying],
      /the input of the hooks of #1 was not recorded: record it with --record-payloads$/,
    ],
    ['without hooks', [], /no hook ran at #1, so there is none to run again$/],
  ])('replay says that a call was recorded %s', async (_, hooks, message) => {
    const { replay } = await recorded(hooks);
    const { exitCode, stdout, stderr } = await replay();
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('replay reports a call that does not exist, and a file that is not a recording', async () => {
    const { file } = await recorded([denying], payloads);
    const missing = await commandInProcess(['replay', file, 'nope']);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toMatch(/there is no call "nope"; hookmachine explain .* lists them$/);
    writeFileSync(file, 'notes');
    const broken = await commandInProcess(['replay', file, '1']);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toMatch(/this is not a hookmachine recording/);
  });
});
