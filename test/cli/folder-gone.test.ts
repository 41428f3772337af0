import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  ['fire', 'BeforeTool'],
  ['fire', 'BeforeTool', '--record', 'x.jsonl'],
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
  const { folder, env } = sandbox();
  // No process can be started in a folder that is gone, but one may already be in it.
  const { exitCode, stdout, stderr } = await execa(
    'sh',
    [
      '-c',
      'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"',
      process.execPath,
      main,
      ...args,
    ],
    { cwd: folder, env, reject: false, input: '{}' },
  );
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^hookmachine: the current folder is gone[^\n]*$/),
  });
});
