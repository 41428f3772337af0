import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox } from '../support/sandbox.ts';

const denying = {
  tools: { enableHooks: true },
  hooks: {
    BeforeTool: [
      { matcher: 'write_file', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] },
    ],
  },
};

/** Longer than a change takes to be seen, also where the system cannot watch and files are polled, in s. */
const pause = 4;

/** A session whose first tool changes the settings, and whose second is what hooks may forbid. */
async function session(settings: object, change: string, ...options: string[]) {
  const box = sandbox();
  box.write(box.files.project, settings);
  box.write('project/denying.json', denying);
  box.write(
    'project/session.yaml',
    `
- calls: [{ name: run_shell_command, args: { command: "${change}; sleep ${pause}" } }]
- calls: [{ name: write_file, args: { file_path: a.txt, content: text } }]
- text: Done.
`,
  );
  const env = { ...box.env, HOOKMACHINE_TRUST: '1' };
  const { stderr, exitCode } = await hookmachine({ ...box, env }, [
    'run',
    'Go',
    '--model',
    'scripted:session.yaml',
    '--json',
    // The agent's own shell edits the settings here, which it may not do unasked.
    '--allow-guard-writes',
    ...options,
  ]);
  expect(exitCode).toBe(0);
  return { isWritten: existsSync(join(box.project, 'a.txt')), stderr };
}

describe('hookmachine run --watch', () => {
  test('the next call goes by settings that changed meanwhile', async () => {
    const change = 'cp denying.json .llxprt/settings.json';
    const sessions = await Promise.all([session({}, change), session({}, change, '--watch')]);
    expect(sessions).toEqual([
      { isWritten: true, stderr: '' },
      { isWritten: false, stderr: '' },
    ]);
  });

  test('a broken edit keeps the hooks as they were, and is told', async () => {
    const { isWritten, stderr } = await session(
      denying,
      'echo oops > .llxprt/settings.json',
      '--watch',
    );
    expect(isWritten).toBe(false);
    expect(stderr).toMatch(
      /^hookmachine: \S*.*settings\.json:1:1: not valid JSON \(unexpected text\), so it counts as it was before; fix the JSON there$/,
    );
  });
});
