import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type { JournalEntry, RecordingHeader } from '../../../src/watch/journal/entry.ts';
import { readRecording } from '../../../src/watch/journal/read-recording.ts';
import { withoutPayloads } from '../../../src/watch/journal/without-payloads.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';

const guard = { type: 'command', name: 'no-keys', command: 'echo Keys stay out. >&2; exit 2' };

/** A machine whose sessions are recorded in a file of each user. */
function recorded(audit: object) {
  const box = sandbox();
  const file = join(box.folder, 'logs', '%u.recording');
  box.write(box.own.system, {
    managed: { audit: { recording: file, ...audit } },
    hooks: { BeforeTool: [{ hooks: [guard] }] },
  });
  return { box, file: file.replace('%u', userInfo().username) };
}

/** Calls a tool in a separate session. */
async function call(box: Sandbox, sessionId: string, content = 'secret-of-arguments') {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    sessionId,
    onWarning: (line) => warnings.push(line),
  });
  await executeToolWithHooks(config, 'write_file', { content, password: 'pw-1' }, () => {
    throw new Error('it ran');
  });
  config.getHookSystem()?.dispose();
  return warnings;
}

async function entriesIn(file: string): Promise<readonly (JournalEntry | RecordingHeader)[]> {
  const entries = [];
  for await (const entry of readRecording(file, { onSkipped: (line) => expect(line).toBe('') }))
    entries.push(entry);
  return entries;
}

test('an administrator’s recording holds the sessions of all processes, each with whose it is', async () => {
  const { box, file } = recorded({});
  expect(await call(box, 's1')).toEqual([]);
  await call(box, 's2');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const entries = await entriesIn(file);
  const headers = entries.filter(({ kind }) => kind === 'recording');
  const { username: user } = userInfo();
  expect(headers).toMatchObject([
    { session: 's1', user, project: box.project, payloads: false },
    { session: 's2', user, project: box.project, payloads: false },
  ]);
  const started = entries.filter((entry) => entry.kind === 'started');
  const calls = started.filter(({ machine }) => machine === 'toolCall');
  const journals = (headers as readonly RecordingHeader[]).map(({ journal }) => journal);
  expect(calls.map(({ id, session }) => [id.split('-')[0], session])).toEqual([
    [journals[0], 's1'],
    [journals[1], 's2'],
  ]);
  const states = entries.flatMap((entry) => (entry.kind === 'moved' ? [entry.to] : []));
  expect(states).toContain('blocked');
  expect(readFileSync(file, 'utf8')).not.toContain('secret-of');
  // The recording is where the administrator wants to know of sessions, so nothing goes to the system's log.
  expect(entries.filter((entry) => entry.kind === 'verdict')).toMatchObject([
    { blocked: true, by: 'no-keys' },
    { blocked: true, by: 'no-keys' },
  ]);
});

test('an administrator’s recording has payloads only if they are asked for, redacted, and none while a rule is broken', async () => {
  const { box, file } = recorded({ payloads: true });
  await call(box, 's1');
  const text = readFileSync(file, 'utf8');
  expect([text.includes('secret-of-arguments'), text.includes('pw-1')]).toEqual([true, false]);
  expect((await entriesIn(file))[0]).toMatchObject({ payloads: true });

  const broken = recorded({ payloads: true });
  broken.box.write(broken.box.own.project, { hooksConfig: { redact: ['/(/'] } });
  const warnings = await call(broken.box, 's1');
  expect(warnings.join('\n')).toContain('it is recorded without payloads');
  expect(readFileSync(broken.file, 'utf8')).not.toContain('secret-of');
});

test('an administrator’s recording is put aside when it is full, and every file of it can be read', async () => {
  const { box, file } = recorded({ maxBytes: 4_096, keep: 100, payloads: true });
  for (let at = 0; at < 4; at++) await call(box, `s${at}`, 'x'.repeat(1_500));
  const folder = join(box.folder, 'logs');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(2);
  const all = await Promise.all(files.map((name) => entriesIn(join(folder, name))));
  const calls = all.flat().filter((entry) => entry.kind === 'started' && entry.machine === 'toolCall'); // prettier-ignore
  expect(calls).toHaveLength(4);
  expect(existsSync(file)).toBe(true);
});

test('a recording that cannot be written costs one warning and no decision', async () => {
  const { box } = recorded({ recording: '/dev/null/nowhere' });
  const warnings = await call(box, 's1');
  expect(warnings.filter((line) => line.includes('/dev/null/nowhere'))).toHaveLength(1);
});

test('nothing that only a recording with payloads has is left in an entry without them', () => {
  const at = { at: 1, id: 'a-1' };
  const secret = 'secret word; with spaces';
  const entries: readonly JournalEntry[] = [
    {
      kind: 'started',
      ...at,
      session: 's',
      machine: 'toolCall',
      name: secret,
      payload: { secret },
    },
    { kind: 'answered', ...at, status: 'ok', stop: false, exitCode: 0, durationMs: 1, timedOut: false, error: secret, notes: [secret], payload: { stdout: secret, stderr: '' } }, // prettier-ignore
    { kind: 'answered', ...at, status: 'timedOut', stop: false, exitCode: 1, durationMs: 1, timedOut: true, reason: secret, sets: [`tool_input.${secret}`] }, // prettier-ignore
    { kind: 'verdict', ...at, blocked: true, stop: false, reason: `Keys stay out.\nBlocked because the hook "a" failed: ${secret}\n${secret}`, setBy: { [`tool_input.${secret}`]: 'a' }, conflicts: [{ field: `tool_input.${secret}`, hooks: ['a'], winner: 'a' }] }, // prettier-ignore
    { kind: 'ended', ...at, status: 'done', reason: secret, payload: secret },
    { kind: 'warned', at: 1, text: secret },
  ];
  const bare = entries.map(withoutPayloads);
  expect(JSON.stringify(bare)).not.toContain('secret');
  expect(bare.map((entry) => entry?.kind)).toEqual(['started', 'answered', 'answered', 'verdict', 'ended', undefined]); // prettier-ignore
  expect(bare[3]).toMatchObject({ reason: 'Keys stay out.\nBlocked because the hook "a" failed' });
});
