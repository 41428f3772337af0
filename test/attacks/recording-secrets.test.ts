import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRecording } from '../../src/watch/journal/start-recording.ts';
import { callTool } from '../support/call-tool.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';
import { group, inParallel, print } from '../support/session.ts';
import { tempFolder } from '../support/temp-folder.ts';

const secret = 'hunter2-0123456789';

/** A recorded call with this secret wherever a secret may occur. */
async function recordCall({ payloads }: { payloads: boolean }): Promise<string> {
  const file = join(tempFolder(), 'recording.jsonl');
  const recording = startRecording(file, { payloads, cwd: tempFolder() });
  const hooks = {
    BeforeTool: inParallel(
      // In a command, in a name, in stdout and stderr, and in a rewrite.
      { name: `curl --token ${secret}`, command: `: API_KEY=${secret}; exit 0` },
      print({ decision: 'allow', reason: `used password=${secret}` }),
      `echo 'Authorization: Bearer ${secret}' >&2; exit 1`,
      print({ hookSpecificOutput: { tool_input: { api_key: secret } } }),
    ),
    AfterTool: inParallel(
      print({ decision: 'deny', reason: `{"access_token":"${secret}"}` }),
      print({ hookSpecificOutput: { additionalContext: `GITHUB_TOKEN=${secret}` } }),
    ),
  };
  await callTool(hooks, {
    input: {
      password: secret,
      nested: [{ headers: { Authorization: `Bearer ${secret}` } }],
      command: `git clone https://ann:${secret}@example.org/a`,
      json: JSON.stringify({ inner: JSON.stringify({ client_secret: { parts: ['a', secret] } }) }),
      env: [{ name: 'DB_PASSWORD', value: secret }],
      kept: 'KEPT',
    },
    tool: () =>
      Promise.resolve({
        llmContent: `token: ${secret}\nKEPT`,
        returnDisplay: `SECRET=${secret}`,
        metadata: { cookie: secret },
      }),
    config: { inspect: recording.observe, onWarning: (line) => recording.warned(line) },
  });
  recording.close();
  return readFileSync(file, 'utf8');
}

describe('a secret with a telling name is in no recording', () => {
  test('a secret is hidden in a recording with payloads', async () => {
    const text = await recordCall({ payloads: true });
    expect(text).toContain('KEPT');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(secret);
  });

  test('a secret is hidden in a recording without payloads', async () => {
    const text = await recordCall({ payloads: false });
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(secret);
  });
});

test('arguments, results and output of hooks are recorded only on request', async () => {
  const file = join(tempFolder(), 'recording.jsonl');
  const recording = startRecording(file, { cwd: tempFolder() });
  await callTool(
    { BeforeTool: inParallel('cat >&2') },
    {
      input: { note: 'of the model' },
      tool: () => Promise.resolve({ llmContent: 'of the tool', returnDisplay: 'of the tool' }),
      config: { inspect: recording.observe },
    },
  );
  recording.close();
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('write_file');
  for (const part of ['of the model', 'of the tool']) expect(text).not.toContain(part);
});

test('a recording by the command line hides what the settings redact, and no project can take that back', async () => {
  const box = sandbox();
  box.write(box.files.user, { hooksConfig: { redact: ['/cust-\\d+/'] } });
  box.write(box.files.project, {
    enableHooks: true,
    hooksConfig: { redact: [] },
    hooks: { BeforeTool: [group(['echo cust-77 is not for you >&2; exit 2'])] },
  });
  const file = join(box.folder, 'recording.jsonl');
  const args = ['fire', 'BeforeTool', '--record', file, '--record-payloads'];
  // JSON can write the same text in other ways.
  const json = String.raw`{"for":"\u0063ust-43"}`;
  const input = JSON.stringify({ tool_name: 'x', tool_input: { note: 'for cust-42', json } });
  const { exitCode } = await inProcess(box, args, input);
  expect(exitCode).toBe(2);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('is not for you');
  expect(text).not.toMatch(/ust-\d/);
  expect(statSync(file).mode & 0o077).toBe(0);
});
