import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  ['fire', 'SessionEnd'],
  ['fire', 'BeforeTool', '--sample'],
  ['relay', 'gemini-cli', 'SessionEnd'],
  ['tool', 'list_directory', '--input', '{}'],
  ['run', 'hello', '--model', 'scripted:x.yaml'],
  ['list'],
  ['trust'],
  ['enable', 'x'],
  ['disable', 'x'],
  ['explain', 'x.jsonl'],
  ['inspect', 'x.jsonl'],
  ['schema'],
])('%s says on one line that the folder it was started in is gone', async (...args) => {
  expect(await runWithoutFolder(args)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^hookmachine: the current folder is gone[^\n]*$/),
  });
});

test.each([
  ['fire', 'BeforeTool'],
  ['fire', 'BeforeTool', '--record', 'x.jsonl'],
])('%s denies if the folder it was started in is gone (S-33)', async (...args) => {
  const { exitCode, stdout, stderr } = await runWithoutFolder(args);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
  expect(stderr).toMatch(/^hookmachine: BeforeTool is denied: the current folder is gone[^\n]*$/);
});

test('fire works in the folder that it is given if its own is gone', async () => {
  const { project } = sandbox();
  const { exitCode, stdout } = await runWithoutFolder(['fire', 'BeforeTool', '--cwd', project]);
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ decision: 'none' }),
  ]);
});

/** No process can be started in a folder that is gone, but one may already be in it. */
async function runWithoutFolder(args: readonly string[]) {
  const { folder, env } = sandbox();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
  const { exitCode, stdout, stderr } = await execa(
    'sh',
    ['-c', script, process.execPath, main, ...args],
    { cwd: folder, env, reject: false, input: '{"tool_name":"x","tool_input":{},"reason":"exit"}' },
  );
  return { exitCode, stdout, stderr };
}
