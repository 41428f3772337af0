import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { LogFile } from '../../../src/watch/audit/log-file.ts';
import type { AuditLine } from '../../../src/watch/audit/record.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { hasEtcOfItsOwn, hookmachine } from '../../support/hookmachine.ts';
import { inProcess } from '../../support/in-process.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { waitUntil } from '../../support/until.ts';

const hook = (name: string, command: string) => ({ type: 'command', name, command });
const before = (...hooks: object[]) => ({ BeforeTool: [{ hooks }] });
const guards = before(
  hook('no-keys', 'echo Keys stay out. >&2; exit 2'),
  hook('broken', 'echo secret-of-stderr >&2; exit 1'),
);

/** A machine whose sessions are audited. */
function audited(audit: unknown, hooks: object = guards): Sandbox {
  const box = sandbox();
  box.write(box.own.system, { managed: { audit }, hooks });
  return box;
}

/** Calls a tool some times in a separate agent. */
async function session(box: Sandbox, { calls = 1, sessionId = 's1' } = {}) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    sessionId,
    onWarning: (line) => warnings.push(line),
  });
  let ran = 0;
  for (let count = 0; count < calls; count++)
    await executeToolWithHooks(config, 'write_file', { content: 'secret-of-arguments' }, () => {
      ran++;
      return Promise.resolve({ llmContent: 'secret-of-result', returnDisplay: '' });
    });
  config.getHookSystem()?.dispose();
  return { ran, warnings: warnings.filter((line) => line.includes('audit')) };
}

/** The path of one of our modules as a program imports it. */
const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

const linesIn = (file: string): AuditLine[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditLine);

describe('an audit log in a file', () => {
  test('an audit log says who was denied what by which hook, and holds no payload', async () => {
    const box = sandbox();
    const file = join(box.folder, 'logs', '%u.jsonl');
    box.write(box.own.system, { managed: { audit: { file } }, hooks: guards });
    expect(await session(box)).toEqual({ ran: 0, warnings: [] });
    const log = file.replace('%u', userInfo().username);
    const text = readFileSync(log, 'utf8');
    expect(text).not.toContain('secret-of');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const origin = {
      v: 1,
      host: hostname(),
      user: userInfo().username,
      version: '0.1.0',
      project: box.project,
      guards: 2,
      session: 's1',
    };
    expect(linesIn(log)).toEqual([
      { ...origin, at: expect.any(String), kind: 'session', hooks: { system: 2 }, problems: 0 },
      {
        ...origin,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        kind: 'call',
        machine: 'toolCall',
        name: 'write_file',
        status: 'blocked',
        ms: expect.any(Number),
        events: [
          {
            event: 'BeforeTool',
            decision: 'deny',
            by: 'no-keys',
            reason: 'Keys stay out.',
            hooks: [
              expect.objectContaining({ name: 'no-keys', source: 'system', decision: 'deny' }),
              expect.objectContaining({ name: 'broken', status: 'failed' }),
            ],
          },
        ],
      },
    ]);
  });

  test('an audit log records sessions and calls even without any hook', async () => {
    const box = sandbox();
    const file = join(box.folder, 'log.jsonl');
    box.write(box.own.system, { managed: { audit: { file } } });
    expect(await session(box)).toEqual({ ran: 1, warnings: [] });
    expect(linesIn(file)).toMatchObject([
      { kind: 'session', guards: 0, hooks: {} },
      { kind: 'call', name: 'write_file', status: 'done', events: [] },
    ]);
  });

  test('an audit log records denials because of unreadable settings', async () => {
    const box = sandbox();
    const file = join(box.folder, 'log.jsonl');
    box.write(box.own.system, { managed: { audit: { file } } });
    box.write(box.files.system, '{');
    expect((await session(box)).ran).toBe(0);
    const [, call] = linesIn(file);
    expect(call).toMatchObject({ events: [{ decision: 'deny', by: box.files.system }] });
  });

  test('an audit log is put aside when it is full, and the oldest ones are removed', async () => {
    const box = sandbox();
    const file = join(box.folder, 'logs', 'log.jsonl');
    box.write(box.own.system, {
      managed: { audit: { file, maxBytes: 4_096, keep: 2 } },
      hooks: guards,
    });
    expect(await session(box, { calls: 60 })).toEqual({ ran: 0, warnings: [] });
    const names = readdirSync(join(box.folder, 'logs'));
    expect(names.length).toBeGreaterThanOrEqual(2);
    expect(names.length).toBeLessThanOrEqual(3);
    for (const name of names) {
      expect(statSync(join(box.folder, 'logs', name)).size).toBeLessThanOrEqual(4_096);
      expect(linesIn(join(box.folder, 'logs', name)).every(({ v }) => v === 1)).toBe(true);
    }
  });

  test('a log takes whole lines from several writers, even after a torn one, and writers follow its name', async () => {
    const file = join(tempFolder(), 'log.jsonl');
    appendFileSync(file, '{"v":1,"cut');
    const [one, other] = [new LogFile(file), new LogFile(file)];
    one.append('{"a":1}');
    other.append('{"a":2}');
    appendFileSync(file, '{"cut');
    await sleep(30);
    one.append('{"a":3}');
    renameSync(file, `${file}.old`);
    await sleep(30);
    for (const log of [other, one, other]) log.append('{"a":4}');
    for (const log of [one, other]) log.close();
    expect(readFileSync(`${file}.old`, 'utf8')).toBe(
      '{"v":1,"cut\n{"a":1}\n{"a":2}\n{"cut\n{"a":3}\n',
    );
    expect(readFileSync(file, 'utf8')).toBe('{"a":4}\n'.repeat(3));
  });

  test('a log loses no line of processes that put it aside concurrently or are killed', async () => {
    const folder = tempFolder();
    const file = join(folder, 'log.jsonl');
    const module = new URL('../../../src/watch/audit/log-file.ts', import.meta.url).href;
    const program = `
      import { LogFile } from ${JSON.stringify(module)};
      const log = new LogFile(${JSON.stringify(file)}, { maxBytes: 4096, keep: 1000 });
      for (let count = 0; count < 500; count++) log.append(JSON.stringify({ count, from: process.pid, x: 'x'.repeat(100) }));
      process.kill(process.pid, 'SIGKILL');`;
    const ended = await Promise.all(
      [1, 2, 3].map(() =>
        once(
          spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
            stdio: 'inherit',
          }),
          'close',
        ),
      ),
    );
    expect(ended).toEqual(Array.from({ length: 3 }, () => [null, 'SIGKILL']));
    const lines = readdirSync(folder).flatMap((name) => linesIn(join(folder, name)));
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(1_500);
  });

  test.each([
    ['kills itself', "process.kill(process.pid, 'SIGKILL')", { ran: false }],
    ['exits at once', 'process.exit()', { ran: true }],
  ])('an audit log holds the ended calls of an agent that %s', async (_, end, { ran }) => {
    const box = sandbox();
    const file = join(box.folder, 'log.jsonl');
    const guard = ran ? hook('fine', 'true') : hook('no-keys', 'echo no >&2; exit 2');
    box.write(box.own.system, { managed: { audit: { file } }, hooks: before(guard) });
    const program = `
      import { executeToolWithHooks } from ${source('../../../src/core/calls/run-tool-call.ts')};
      import { createConfig } from ${source('../../../src/hosts/system/create-config.ts')};
      const config = createConfig(${JSON.stringify({ cwd: box.project, systemFolder: box.systemFolder })});
      await executeToolWithHooks(config, 'write_file', {}, async () => ({ llmContent: '', returnDisplay: '' }));
      ${end}`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close');
    expect(linesIn(file)).toMatchObject([
      { kind: 'session' },
      { kind: 'call', name: 'write_file', status: ran ? 'done' : 'blocked' },
    ]);
  });

  const full = spawnSync('mount', ['--version']).status === 0 && process.getuid?.() === 0;
  test.runIf(full)('an audit log on a full disk stops nothing and is reported once', async () => {
    const box = sandbox();
    const folder = join(box.folder, 'full');
    mkdirSync(folder);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', folder]).status).toBe(0);
    onTestFinished(() => void spawnSync('umount', [folder]));
    const file = join(folder, 'log.jsonl');
    box.write(box.own.system, { managed: { audit: { file } }, hooks: guards });
    const { ran, warnings } = await session(box, { calls: 20 });
    expect(ran).toBe(0);
    expect(warnings).toEqual([expect.stringMatching(/not audited in .*full\/log\.jsonl: /)]);
  });

  test.each([
    ['a folder', (file: string) => mkdirSync(file)],
    ['a link', (file: string) => symlinkSync('/etc/passwd', file)],
    ['a pipe', (file: string) => void spawnSync('mkfifo', [file])],
    ['a device', (file: string) => symlinkSync('/dev/full', file)],
  ])('an audit log that is %s stops nothing and is reported once', async (_, put) => {
    const box = sandbox();
    const file = join(box.folder, 'log.jsonl');
    put(file);
    box.write(box.own.system, { managed: { audit: { file } }, hooks: guards });
    const { ran, warnings } = await session(box, { calls: 3 });
    expect([ran, warnings]).toEqual([0, [expect.stringContaining(`not audited in ${file}`)]]);
  });
});

/** A collector behind a socket, like syslogd; `said` returns the messages that it received. */
async function collector(isDeaf = false) {
  const socket = join(tempFolder(), 'log');
  const program = `
import os, socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ${isDeaf ? 2048 : 1_000_000})
s.bind(sys.argv[1])
print("ready", flush=True)
while ${isDeaf ? 'time.sleep(60) or ' : ''}True:
    print(s.recv(65536).decode(), flush=True)
`;
  const child = spawn('python3', ['-c', program, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  await once(child.stdout, 'data');
  return { socket, said: () => said };
}

const hasLogger = existsSync('/usr/bin/logger') && process.platform === 'linux';
describe.skipIf(!hasLogger)('an audit log of the system', () => {
  test('the system log receives a line for each call', async () => {
    const { socket, said } = await collector();
    const box = audited({ syslog: socket });
    expect(await session(box, { calls: 2 })).toEqual({ ran: 0, warnings: [] });
    await waitUntil(() => said().split('"kind":"call"').length === 3);
    expect(said()).toMatch(/^<37>.*hookmachine.*: \{"v":1,/m);
    expect(said()).not.toContain('secret-of');
  });

  test('a dead system log stops nothing and is reported once', async () => {
    const box = audited({ syslog: join(tempFolder(), 'none') });
    const warnings: string[] = [];
    const config = createConfig({
      cwd: box.project,
      systemFolder: box.systemFolder,
      onWarning: (line) => warnings.push(line),
    });
    const call = () =>
      executeToolWithHooks(config, 'write_file', {}, () => Promise.reject(new Error('ran')));
    for (const _ of [1, 2, 3]) expect(JSON.stringify(await call())).toContain('Keys stay out.');
    await waitUntil(() => warnings.some((line) => line.includes('not audited')));
    await call();
    expect(warnings.filter((line) => line.includes('not audited'))).toHaveLength(1);
    config.getHookSystem()?.dispose();
  });

  test('a system log that does not read stops nothing', async () => {
    const { socket } = await collector(true);
    const box = audited({ syslog: socket }, before(hook('fine', 'true')));
    expect((await session(box, { calls: 40 })).ran).toBe(40);
  });
});

describe.skipIf(!hasEtcOfItsOwn)('the command', () => {
  const write = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a' } });

  test('fire is audited event by event, with the tool that each event is about', async () => {
    const box = sandbox();
    const file = join(box.folder, 'log.jsonl');
    box.write(box.own.system, { managed: { audit: { file } }, hooks: guards });
    const args = ['fire', 'BeforeTool', '--session-id', 's', '--no-hooks'];
    for (const _ of [1, 2]) expect((await inProcess(box, args, write)).exitCode).toBe(2);
    await inProcess(box, ['fire', 'AfterTool', '--session-id', 's'], JSON.stringify({ tool_name: 'x', tool_input: {}, tool_response: {} })); // prettier-ignore
    expect(linesIn(file)).toMatchObject([
      { kind: 'session', session: 's' },
      { kind: 'call', machine: 'hookEvent', name: 'BeforeTool', tool: 'write_file' },
      { kind: 'call', tool: 'write_file' },
    ]);
  });

  test('fire reports a dead system log and still answers', async () => {
    const box = audited({ syslog: join(tempFolder(), 'none') });
    const { exitCode, stderr } = await hookmachine(box, ['fire', 'BeforeTool'], write);
    expect(exitCode).toBe(2);
    if (hasLogger) expect(stderr).toContain('this session is not audited in');
  });
});

describe('hookmachine audit summary', () => {
  test('the audit summary says who was denied what, what failed or was skipped, and which machines have no guards', async () => {
    const box = sandbox();
    const file = join(box.folder, 'logs', 'a.jsonl');
    box.write(box.own.system, { managed: { audit: { file } }, hooks: guards });
    await session(box, { calls: 2 });
    const [begun] = linesIn(file);
    const other = { ...begun, host: 'bare', guards: 0, session: 's2', user: 'ann' };
    const skip = { ...other, kind: 'skipped', text: 'hook "theirs" (BeforeTool) was skipped: x' };
    box.write(
      'logs/b.log.1763880000000-7',
      `Nov 23 03:00:00 bare hookmachine: ${JSON.stringify(other)}\n${JSON.stringify(skip)}\nnoise\n{"v":1}\n`,
    );
    box.write('logs/README', 'no log');
    const machines = box.write('machines', `${hostname()}\n# a comment\nlost\nbare\n`);
    const args = ['audit', 'summary', join(box.folder, 'logs'), '--machines', machines];
    const { stdout, exitCode } = await inProcess({ ...box, systemFolder: undefined! }, [
      ...args,
      '--json',
    ]);
    expect(exitCode).toBe(0);
    const me = { user: userInfo().username, host: hostname() };
    expect(JSON.parse(stdout)).toMatchObject({
      lines: 5,
      unread: 2,
      sessions: 2,
      machines: ['bare', hostname()].toSorted(),
      denials: [
        { ...me, what: 'write_file', by: 'no-keys', count: 2, lastReason: 'Keys stay out.' },
      ],
      failures: [
        { hook: 'broken', source: 'system', host: hostname(), status: 'failed', count: 2 },
        { hook: 'theirs', host: 'bare', status: 'skipped', count: 1 },
      ],
      withoutGuards: [{ host: 'bare', sessions: 1 }],
      missing: ['lost'],
    });
    const words = await inProcess({ ...box, systemFolder: undefined! }, args);
    expect(words.stdout).toContain(
      `2×  ${me.user} on ${me.host}  write_file  by no-keys: Keys stay out.`,
    );
    expect(words.stdout).toContain('Without system guards\n  bare  1 session\n');
    expect(words.stdout).toContain('Not seen\n  lost');
  });

  test('the audit summary reports what it cannot read', async () => {
    const box = sandbox();
    const loop = join(box.folder, 'loop');
    symlinkSync(loop, loop);
    for (const [args, place] of [
      [[loop], loop],
      [['-', '--machines', box.folder], `--machines ${box.folder}`],
    ] as const) {
      const { stderr, exitCode } = await inProcess(box, ['audit', 'summary', ...args]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${place} cannot be read: `)]);
    }
  });

  test('the audit summary names a log or a list of machines that does not exist, and says what to pass', async () => {
    const box = sandbox();
    const log = await inProcess(box, ['audit', 'summary', '/proc/nowhere']);
    expect([log.exitCode, log.stderr]).toEqual([
      1,
      "hookmachine: /proc/nowhere: there is no such file or folder; pass the path that managed.audit.file in the system's settings names, or - for stdin",
    ]);
    const list = await inProcess(box, ['audit', 'summary', '-', '--machines', '/proc/nowhere']);
    expect([list.exitCode, list.stderr]).toEqual([
      1,
      'hookmachine: --machines /proc/nowhere: there is no such file; write one that names one machine per line',
    ]);
  });
});
