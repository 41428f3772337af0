import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox } from '../support/sandbox.ts';

const hook = (matcher: string, command: string) => ({
  matcher,
  hooks: [{ type: 'command', command }],
});

/** Settings that forbid writing, and show that they are in force. */
const denying = {
  tools: { enableHooks: true },
  hooks: {
    BeforeTool: [
      hook('write_file', 'echo no >&2; exit 2'),
      hook('run_shell_command', 'touch in-force'),
    ],
  },
};

/**
 * A session whose first tool changes the settings, and whose last is one that hooks may forbid. Between
 * them, `waits` tools wait, each longer than the one before, until the change has been seen.
 */
async function session(settings: object, change: string, waits: number, ...options: string[]) {
  const box = sandbox();
  box.write(box.files.project, settings);
  box.write('project/denying.json', denying);
  box.write(
    'project/session.yaml',
    `
- calls: [{ name: run_shell_command, args: { command: "${change}" } }]
${Array.from(
  { length: waits },
  (_, wait) =>
    `- calls: [{ name: run_shell_command, args: { command: "[ -e in-force ] || sleep ${wait + 1}" } }]\n`,
).join('')}\
- calls: [{ name: write_file, args: { file_path: a.txt, content: text } }]
- text: Done.
`,
  );
  const env = { ...box.env, HOOKMACHINE_TRUST: '1' };
  const running = hookmachine({ ...box, env }, [
    'run',
    'Go',
    '--model',
    'scripted:session.yaml',
    '--json',
    // The agent's own shell edits the settings here, which it may not do unasked.
    '--allow-guard-writes',
    ...options,
  ]);
  running.stderr.once('data', () => box.write('project/warned', ''));
  const { stderr, exitCode } = await running;
  expect(exitCode).toBe(0);
  return { isWritten: existsSync(join(box.project, 'a.txt')), stderr };
}

describe('hookmachine run --watch', () => {
  test('run --watch judges the next call by settings that changed meanwhile', async () => {
    const change = 'cp denying.json .llxprt/settings.json';
    const sessions = await Promise.all([
      session({}, change, 2),
      session({}, change, 12, '--watch'),
    ]);
    expect(sessions).toEqual([
      { isWritten: true, stderr: '' },
      { isWritten: false, stderr: '' },
    ]);
  });

  test('run --watch keeps the hooks as they were after a broken edit, and reports it', async () => {
    const { isWritten, stderr } = await session(
      denying,
      'echo oops > .llxprt/settings.json; until [ -e warned ]; do sleep 0.05; done',
      0,
      '--watch',
    );
    expect(isWritten).toBe(false);
    expect(stderr).toMatch(
      /^hookmachine: \S*.*settings\.json:1:1: not valid JSON \(unexpected text\), so its last valid content still counts; fix the JSON there$/,
    );
  });
});
