import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, begin, enter } from '../watch/inspector/ask.ts';
import { madeRecording } from '../watch/inspector/entries.ts';
import { commandInProcess, group, project, projectWithHooks } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { main } from '../support/main.ts';
import { waitUntil } from '../support/until.ts';

/** Starts the command and waits for the address that it prints. */
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = tempFolder();
  const running = execa('node', [main, ...args], {
    reject: false,
    env: {
      HOME: home,
      HOOKMACHINE_TRUST: '1',
      LLXPRT_SYSTEM_SETTINGS_PATH: join(home, 'none'),
      ...env,
    },
    forceKillAfterDelay: 2_000,
    timeout: 120_000,
  });
  onTestFinished(() => void running.kill('SIGKILL'));
  let stderr = '';
  running.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await waitUntil(() => stderr.includes('\n'));
  const url = /http:\S+/.exec(stderr)?.[0] ?? '';
  return { running, url, stderr: () => stderr };
}

/** Opens the journal as a page does, and waits for its beginning; the result returns all of it at its end. */
async function openJournal(url: string): Promise<() => Promise<string>> {
  const { page, cookie } = await enter(url);
  const { whole } = await begin(`${page}journal`, { headers: { cookie } });
  return async () => (await whole).body;
}

const journalAt = async (url: string): Promise<string> => (await openJournal(url))();

const agent = (hooks: object = {}): string =>
  projectWithHooks(hooks, {
    's.yaml':
      '- calls: [{ name: write_file, args: { file_path: a.txt, content: hidden-word } }]\n- text: Done.\n',
  });

const runArgs = (cwd: string): string[] => [
  'run',
  '--cwd',
  cwd,
  '--model',
  `scripted:${join(cwd, 's.yaml')}`,
];

const recording = (): string => {
  const file = join(tempFolder(), 'r.jsonl');
  writeFileSync(file, madeRecording());
  return file;
};

/** Waits for a file of the project, so that a test decides when the hook ends. */
const gate = (cwd: string): string => `until [ -f "${join(cwd, 'go')}" ]; do sleep 0.02; done`;

describe('inspect FILE', () => {
  test('inspect serves the page until it is interrupted, and prints its address once', async () => {
    const { running, url, stderr } = await start(['inspect', recording()]);
    const { page, cookie } = await enter(url);
    expect((await ask(page, { headers: { cookie } })).body).toContain('hookmachine inspector');
    expect(await journalAt(url)).toContain('"name":"write_file"');
    running.kill('SIGINT');
    const { exitCode, stdout } = await running;
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr()).toMatch(
      /^hookmachine: http:\/\/127\.0\.0\.1:\d+\/\?token=\S+ shows it; Ctrl-C ends this\n$/,
    );
  });

  test.each([
    ['', 'this file is empty'],
    ['{"a":1}\n', 'this is not a hookmachine recording'],
    [
      '{"kind":"recording","format":"hookmachine","version":2}\n',
      'was made by a newer hookmachine',
    ],
  ])('inspect reports a file with %j in one clear error', async (content, message) => {
    const file = join(project({ 'r.jsonl': content }), 'r.jsonl');
    const { exitCode, stderr } = await commandInProcess(['inspect', file]);
    expect(exitCode).toBe(1);
    expect(stderr.split('\n')).toEqual([expect.stringContaining(message)]);
    expect(stderr).toContain(file);
  });

  test('inspect reports a missing file in one clear error', async () => {
    const { exitCode, stderr } = await commandInProcess(['inspect', 'nowhere.jsonl']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'hookmachine: nowhere.jsonl: there is no such file; make one with --record FILE',
    );
  });

  test('inspect reports a port in use in one clear error', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const port = String((other.address() as AddressInfo).port);
    const { exitCode, stderr } = await commandInProcess(['inspect', recording(), '--port', port]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `hookmachine: port ${port} is in use: choose another one, or none, and a free one will be taken`,
    );
  });

  test.each(['x', '-1', '65536', '80.5', ''])('inspect refuses --port "%s"', async (port) => {
    const { exitCode, stderr } = await commandInProcess(['inspect', recording(), `--port=${port}`]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hookmachine: --port .*give a whole number from 0 to 65535$/);
  });
});

describe('run --inspect', () => {
  test('run --inspect serves the session while it runs, and ends with it if a page was open', async () => {
    const cwd = agent();
    const hooks = { BeforeTool: [group(gate(cwd), { name: 'gate' })] };
    writeFileSync(
      join(cwd, '.llxprt/settings.json'),
      JSON.stringify({ tools: { enableHooks: true }, hooks }),
    );
    const { running, url, stderr } = await start([...runArgs(cwd), '--inspect', 'Write it']);
    const readJournal = await openJournal(url);
    writeFileSync(join(cwd, 'go'), '');
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Done.');
    const journal = await readJournal();
    expect(journal).toContain('"machine":"toolCall","name":"write_file"');
    expect(journal).toMatch(/"ended":true.*\s*$/);
    expect(journal).not.toContain('hidden-word');
    expect(stderr()).toMatch(/^hookmachine: http:\S+ shows this session\n$/);
  });

  test('--inspect-payloads also shows arguments, except what the settings redact', async () => {
    const cwd = agent();
    const hooks = { BeforeTool: [group(gate(cwd), { name: 'gate' })] };
    writeFileSync(
      join(cwd, '.llxprt/settings.json'),
      JSON.stringify({
        tools: { enableHooks: true },
        hooksConfig: { redact: ['content'] },
        hooks,
      }),
    );
    const args = [...runArgs(cwd), '--inspect', '--inspect-payloads', 'Write it'];
    const { running, url } = await start(args);
    const readJournal = await openJournal(url);
    writeFileSync(join(cwd, 'go'), '');
    await running;
    const journal = await readJournal();
    expect(journal).toContain('"file_path":"a.txt"');
    expect(journal).not.toContain('hidden-word');
  });

  test('--inspect-wait goes on serving until it is interrupted, and the exit status is the session’s', async () => {
    const cwd = agent({ BeforeAgent: [group('echo "Not now." >&2; exit 2')] });
    const args = [...runArgs(cwd), 'Hi', '--inspect', '--inspect-wait'];
    const { running, url, stderr } = await start(args);
    await waitUntil(() => stderr().includes('the session has ended'));
    expect(await journalAt(url)).toContain('Not now.');
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(2);
  });

  test('run --inspect stays until its page was opened, and --open opens it at an address that works once', async () => {
    const bin = tempFolder();
    const opened = join(bin, 'opened');
    for (const name of ['open', 'xdg-open'])
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`, { mode: 0o755 });
    const args = [...runArgs(agent()), 'Hi', '--inspect', '--open'];
    const { running, url, stderr } = await start(args, { PATH: `${bin}:${process.env['PATH']}` });
    await waitUntil(() =>
      stderr().includes('its page stays until it has been opened, or until Ctrl-C'),
    );
    await waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '');
    const ticket = readFileSync(opened, 'utf8');
    expect(ticket).not.toBe(url);
    const { page, cookie } = await enter(ticket);
    expect((await ask(ticket)).status).toBe(403);
    expect((await ask(page, { headers: { cookie } })).status).toBe(200);
    const { whole } = await begin(`${page}journal`, { headers: { cookie } });
    expect((await whole).body).toMatch(/"ended":true.*\s*$/);
    expect((await running).exitCode).toBe(0);
  });

  test('run --inspect --open reports a browser that cannot be opened, and Ctrl-C ends the page', async () => {
    const bin = tempFolder();
    for (const name of ['open', 'xdg-open'])
      writeFileSync(join(bin, name), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    const args = [...runArgs(agent()), 'Hi', '--inspect', '--open'];
    const { running, stderr } = await start(args, { PATH: `${bin}:${process.env['PATH']}` });
    await waitUntil(() => /--open: \S+ ended with 3; open the address/.test(stderr()));
    await waitUntil(() => stderr().includes('its page stays'));
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(0);
  });

  test('run --inspect can record at the same time', async () => {
    const cwd = agent();
    const file = join(cwd, 'r.jsonl');
    const { running, url } = await start([...runArgs(cwd), 'Hi', '--inspect', '--record', file]);
    await journalAt(url);
    expect((await running).exitCode).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  test.each([
    [['--inspect-port', '1'], '--inspect-port needs --inspect'],
    [['--inspect-wait'], '--inspect-wait needs --inspect'],
    [['--open'], '--open needs --inspect'],
    [['--inspect-payloads'], '--inspect-payloads needs --inspect'],
    [['--inspect', '--inspect-port', 'x'], '--inspect-port x: give a whole number from 0 to 65535'],
    [['--inspect', '--inspect=stately'], '--inspect and --inspect=stately: pass only one of them'],
  ])('run refuses %j before anything runs', async (args, message) => {
    const { exitCode, stdout, stderr } = await commandInProcess([
      ...runArgs(agent()),
      'Hi',
      ...args,
    ]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `hookmachine: ${message}`,
    });
  });
});
