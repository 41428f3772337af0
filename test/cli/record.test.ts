import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/watch/journal/entry.ts';
import { readRecording } from '../../src/watch/journal/read-recording.ts';
import { commandInProcess, group, projectWithHooks, runCommand } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isAlive, waitUntil } from '../support/until.ts';
import { main } from '../support/main.ts';

async function entriesOf(file: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of readRecording(file))
    if (entry.kind !== 'recording') entries.push(entry);
  return entries;
}

const write = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
const guard = group('echo no >&2; exit 2', { name: 'guard' }, 'write_file');
const guarded = (more: object = {}) => projectWithHooks({ BeforeTool: [guard] }, more as never);

describe('--record', () => {
  test('tool --record records the call and its hooks, without payloads', async () => {
    const cwd = guarded();
    const file = join(cwd, 'r.jsonl');
    const { exitCode, stderr } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
      '--record',
      file,
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(await entriesOf(file)).toContainEqual(
      expect.objectContaining({ kind: 'verdict', blocked: true, by: 'guard', reason: 'no' }),
    );
    expect(readFileSync(file, 'utf8')).not.toContain('hello');
  });

  test('fire --record records every event of one agent into one file', async () => {
    const cwd = guarded();
    const file = join(cwd, 'r.jsonl');
    const input = '{"tool_name":"write_file","tool_input":{"file_path":"a.txt"}}';
    const args = ['fire', 'BeforeTool', '--cwd', cwd, '--session-id', 's-1', '--record', file];
    const [one, two] = await Promise.all([
      runCommand(args, { input }),
      runCommand(args, { input }),
    ]);
    expect([one.exitCode, two.exitCode]).toEqual([2, 2]);
    const entries = await entriesOf(file);
    expect(entries.filter(({ kind }) => kind === 'verdict')).toHaveLength(2);
    expect(entries[0]).toMatchObject({ machine: 'hookEvent', name: 'BeforeTool', session: 's-1' });
  });

  test('run --record records turns, model calls and tool calls, with payloads as the settings redact them', async () => {
    const cwd = projectWithHooks(
      { BeforeTool: [guard] },
      {
        's.yaml':
          '- calls: [{ name: write_file, args: { file_path: a.txt, content: "sk-123 ann" } }]\n- text: Done.\n',
        '.llxprt/settings.json': {
          tools: { enableHooks: true },
          hooksConfig: { redact: ['/sk-\\w+/'] },
          hooks: { BeforeTool: [guard] },
        },
      },
    );
    const file = join(cwd, 'r.jsonl');
    const { exitCode, stderr } = await commandInProcess(
      ['run', 'Go', '--model', `scripted:${join(cwd, 's.yaml')}`, '--cwd', cwd].concat([
        '--record',
        file,
        '--record-payloads',
      ]),
    );
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('redact');
    const entries = await entriesOf(file);
    const machines = entries.flatMap((entry) => (entry.kind === 'started' ? [entry.machine] : []));
    expect(machines).toEqual(
      'agentTurn modelCall toolCall hookEvent hookProcess modelCall'.split(' '),
    );
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('[redacted] ann');
    expect(text).not.toContain('sk-123');
  });

  test.each([
    [
      'an invalid regular expression',
      { redact: ['ann', '/(/'] },
      /redact\[1\]: is not a regular expression/,
    ],
    [
      'an entry that is not a text',
      { redact: [7] },
      /redact\[0\]: is 7; make it the name of a key/,
    ],
    ['rules that are not a list', { redact: 'ann' }, /redact: is "ann"; make it an array/],
    ['a hooksConfig that is not an object', [], /hooksConfig: is an array; make it an object/],
    ['settings that are not JSON', undefined, /not valid JSON .*; fix the JSON there/],
  ])(
    '--record-payloads is refused with %s, before anything runs',
    async (_, hooksConfig, message) => {
      const settings = hooksConfig ? JSON.stringify({ hooksConfig }) : '{ "hooksConfig": ';
      const cwd = guarded({ '.llxprt/settings.json': settings, 's.yaml': '- text: Done.\n' });
      const file = join(cwd, 'r.jsonl');
      const tool = ['tool', 'write_file', '--input', write, '--cwd', cwd];
      for (const more of [
        ['--record', file, '--record-payloads'],
        ['--record', file, '--record-payloads', '--no-hooks'],
      ]) {
        const { exitCode, stderr, stdout } = await commandInProcess([...tool, ...more]);
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
        expect(stderr.trim().split('\n')).toHaveLength(1);
        expect(stderr).toMatch(message);
        expect(stderr).toMatch(/--record-payloads: .*settings\.json/);
      }
      expect(existsSync(file)).toBe(false);
      expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
      const { exitCode } = await commandInProcess([...tool, '--record', file]);
      expect(exitCode).not.toBe(1);
      const run = ['run', 'Go', '--model', `scripted:${join(cwd, 's.yaml')}`, '--cwd', cwd];
      const inspected = await commandInProcess([...run, '--inspect', '--inspect-payloads']);
      expect(inspected.exitCode).toBe(1);
      expect(inspected.stderr).toMatch(message);
    },
  );

  test('--record refuses a file that is not a recording, before anything runs', async () => {
    const cwd = guarded({ 'notes.txt': 'mine' });
    const file = join(cwd, 'notes.txt');
    const { exitCode, stderr, stdout } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
      '--record',
      file,
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      `hookmachine: --record ${file}: this file is not a hookmachine recording, so it was left unchanged; record to another file`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('a hook still denies when the disk of the recording is full', async () => {
    const cwd = guarded();
    const { exitCode, stderr } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--cwd',
      cwd,
      '--record',
      '/dev/full',
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^hookmachine: \/dev\/full: cannot be written .*nothing more is recorded$/,
    );
  });

  test('--record-payloads is refused without --record', async () => {
    const { exitCode, stderr } = await commandInProcess([
      'tool',
      'write_file',
      '--input',
      write,
      '--record-payloads',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/--record-payloads needs --record FILE/);
  });

  test('a process that is killed in the middle leaves a recording that can be read and explained', async () => {
    const cwd = projectWithHooks({
      BeforeTool: [group('echo $$ > pid; sleep 60', { name: 'endless' })],
    });
    const file = join(cwd, 'r.jsonl');
    const child = spawn(
      process.execPath,
      [main, 'tool', 'write_file', '--input', write, '--cwd', cwd, '--record', file],
      { env: { ...process.env, HOME: tempFolder(), HOOKMACHINE_TRUST: '1' }, stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const pid = (): number => Number(readFileSync(join(cwd, 'pid'), 'utf8'));
    await waitUntil(() => {
      try {
        return pid() > 0 && readFileSync(file, 'utf8').includes('alive.running');
      } catch {
        return false;
      }
    });
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    // As if it had been killed in mid-line.
    writeFileSync(file, '{"kind":"mov', { flag: 'a' });
    const { stdout, stderr, exitCode } = await commandInProcess(['explain', file, '1']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'write_file had not ended when the recording did; it was in "beforeHooks.running".',
    );
    expect(stdout).toContain('1. hook "endless" (project) had not ended');
    expect(stderr).toMatch(
      /line \d+ is torn: the process was ended while writing it, so it was skipped/,
    );
    await waitUntil(() => !isAlive(pid()));
  });
});
