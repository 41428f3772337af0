import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { starter } from '../../support/main.ts';
import { relayBox, type RelayBox } from '../../support/relay.ts';
import { noWarmth, type Warmth, warmth } from '../../support/warm.ts';

const eventOf = (more: object = {}): string =>
  JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    transcript_path: '/t',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 'u',
    ...more,
  });

/** Denies what it is asked about, and notes that it ran. */
const denies = (log: string, wait = ''): string =>
  `id=$(grep -o 'use-[0-9]*' | head -1); echo "$id" >> '${log}'; ${wait} echo '{"decision":"deny","reason":"no"}'`;

async function warmBox(
  hooks: Readonly<Record<string, string>>,
): Promise<RelayBox & { warm: Warmth }> {
  const box = relayBox();
  box.guard(hooks);
  const warm = warmth();
  await warm.relay(box, ['claude-code'], eventOf());
  await warm.started();
  return { ...box, warm };
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

async function judges(box: RelayBox, warm: Warmth, env = {}): Promise<void> {
  const before = warm.coldRuns();
  const { stdout } = await warm.relay(box, ['claude-code'], eventOf(), env);
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(warm.coldRuns() - before).toBe(1);
}

/** Has a warm process take two seconds for an hour. */
const shortHours = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    if (process.argv[2] === 'warm') {
      const { now } = performance;
      performance.now = () => now.call(performance) * 1_800;
      const { setInterval } = globalThis;
      globalThis.setInterval = (run, ms) => setInterval(run, ms / 1_800);
    }`)}`,
};

/** Relays an event from a shell that has run this first. */
const afterIn = (first: string, box: RelayBox, warm: Warmth) =>
  execa('sh', ['-c', `${first}; exec '${starter}' relay claude-code`], {
    cwd: box.project,
    env: {
      ...box.env,
      PATH: `${join(warm.runtime, '../bin')}:${process.env['PATH']}`,
      XDG_RUNTIME_DIR: warm.runtime,
      HOOKMACHINE_TRUST: '1',
    },
    input: eventOf(),
  });

/** What a hook printed, without what says whether it was cold. */
const stable = (out: Buffer): string =>
  out
    .toString('latin1')
    .replace(/HOOKMACHINE_COLD=1\0/, '')
    .replaceAll(/(?:warm|cold)-\d+/g, '');

describe.skipIf(noWarmth !== undefined)('the warm process', () => {
  test('gives each hook the environment and folder of its own event, however many there are at once', async () => {
    const { warm, ...box } = await warmBox({
      'tool.before': `cat >/dev/null; env -0 | grep -zv '^HOOKMACHINE_HOOK=' | sort -z > "$OUT"; pwd >> "$OUT"; umask >> "$OUT"; ulimit -a >> "$OUT"`,
    });
    const odd = {
      EMPTY: '',
      LINES: 'a\nb=c\n',
      UMLAUT: 'äöü 🙂',
      SPACES: '  x  ',
      'odd-name': 'kept or not',
    };
    const before = warm.coldRuns();
    await Promise.all(
      Array.from({ length: 16 }, async (_, at) => {
        const project = join(box.folder, `project ${at}`);
        mkdirSync(join(project, '.hookmachine'), { recursive: true });
        writeFileSync(join(project, '.hookmachine/settings.json'), readFileSync(box.own.project));
        const run = async (out: string, more: object): Promise<Buffer> => {
          const env = { ...odd, NUMBER: String(at), OUT: join(box.folder, 'out'), ...more };
          await warm.relay({ ...box, project }, ['claude-code'], eventOf(), { ...env, OUT: out });
          return readFileSync(out);
        };
        const outs = ['warm', 'cold'].map((name) => join(box.folder, `${name}-${at}`));
        const warmOut = await run(outs[0]!, {});
        const coldOut = await run(outs[1]!, { HOOKMACHINE_COLD: '1' });
        expect(stable(warmOut)).toBe(stable(coldOut));
        expect(stable(warmOut)).toContain(`NUMBER=${at}\0`);
        expect(stable(warmOut)).toContain(`${project}\n`);
      }),
    );
    // Half of them were told to be cold; a busy machine may add some, which were judged all the same.
    expect(warm.coldRuns() - before).toBeLessThan(32);
  });

  test('killed or frozen at any moment, it leaves no event unguarded, and no hook runs twice', async () => {
    const log = join(relayBox().folder, 'log');
    const { warm, ...box } = await warmBox({ 'tool.before': denies(log, 'sleep 0.02;') });
    writeFileSync(log, '');
    let cutOff = 0;
    // A process that is killed while it starts is replaced at the next event.
    const isWarm = async (): Promise<boolean> => {
      const before = warm.coldRuns();
      await warm.relay(box, ['claude-code'], eventOf());
      return warm.coldRuns() === before;
    };
    for (let at = 0; at < 10; at++) {
      await expect.poll(isWarm, { interval: 200 }).toBe(true);
      const judged = warm.relay(
        box,
        ['claude-code'],
        eventOf({ tool_input: { command: `use-${at}` } }),
      );
      await pause((at * 17) % 130);
      for (const pid of warm.pids()) process.kill(pid, at % 5 === 4 ? 'SIGSTOP' : 'SIGKILL');
      const { stdout, exitCode } = await judged;
      expect([exitCode, JSON.parse(stdout)]).toEqual([
        0,
        { hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }) },
      ]);
      if (stdout.includes('had begun')) cutOff++;
      for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    }
    const ran = linesOf(log);
    expect(new Set(ran).size).toBe(ran.length);
    expect(cutOff).toBeGreaterThan(0);
  });

  test('a hook that had begun when it was killed is a guard that was cut off, and the denial says so', async () => {
    const log = join(relayBox().folder, 'log');
    const { warm, ...box } = await warmBox({ 'tool.before': denies(log, '[ "$id" ] && sleep 5;') });
    const judged = warm.relay(box, ['claude-code'], eventOf({ tool_input: { command: 'use-1' } }));
    await expect.poll(() => linesOf(log)).toContain('use-1');
    for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    const { stdout, stderr } = await judged;
    expect(stdout).toContain('"permissionDecision":"deny"');
    expect(stdout).toContain('the process that ran its hooks ended; 1 had begun');
    expect(stderr).toContain('had begun');
    expect(linesOf(log).filter((line) => line === 'use-1')).toHaveLength(1);
  });

  test('where an event need not be judged, only the hooks that had not begun run afterwards', async () => {
    const log = join(relayBox().folder, 'log');
    const box = relayBox();
    box.write(box.own.project, {
      hooks: {
        'tool.after': [
          {
            sequential: true,
            hooks: ['one', 'two'].map((name) => ({
              type: 'command',
              command: `cat >/dev/null; echo ${name} >> '${log}'; [ ${name} = two ] || sleep 3`,
            })),
          },
        ],
      },
    });
    const warm = warmth();
    await warm.relay(box, ['claude-code'], eventOf());
    await warm.started();
    const input = eventOf({ hook_event_name: 'PostToolUse', tool_response: {} });
    const judged = warm.relay(box, ['claude-code'], input);
    await expect.poll(() => linesOf(log)).toEqual(['one']);
    for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    const { exitCode, stderr } = await judged;
    expect([exitCode, linesOf(log)]).toEqual([0, ['one', 'two']]);
    expect(stderr).toContain('1 of them, which had begun, are not run again');
  });

  test('its hooks end when their agent does', async () => {
    const file = join(relayBox().folder, 'pid');
    const { warm, ...box } = await warmBox({
      'tool.before': `grep -q 'use-9' || exit 0; echo $$ > '${file}'; sleep 60`,
    });
    const env = { HOOKMACHINE_TRUST: '1', ...box.env, XDG_RUNTIME_DIR: warm.runtime };
    const agent = execa('sh', ['-c', `'${starter}' relay claude-code; :`], {
      cwd: box.project,
      env,
      input: eventOf({ tool_input: { command: 'use-9' } }),
      reject: false,
      detached: true,
    });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim()).toBeTruthy();
    const hook = Number(readFileSync(file, 'utf8'));
    process.kill(-agent.pid!, 'SIGKILL');
    await agent;
    await expect.poll(() => existsSync(`/proc/${hook}`)).toBe(false);
  });

  test('gives async hooks, which outlive their event, the environment of the event too', async () => {
    const { warm, ...box } = await warmBox({});
    const out = join(box.folder, 'out');
    box.write(box.own.project, {
      hooks: {
        'tool.before': [
          {
            hooks: [
              { type: 'command', async: true, command: `cat >/dev/null; echo "$MARK" > '${out}'` },
            ],
          },
        ],
      },
    });
    for (const mark of ['one', 'two']) {
      await warm.relay(box, ['claude-code'], eventOf(), { MARK: mark });
      await expect.poll(() => existsSync(out) && readFileSync(out, 'utf8')).toBe(`${mark}\n`);
    }
  });

  test('is used although Node.js raises its own limit of open files', async () => {
    const { warm, ...box } = await warmBox({ 'tool.before': `echo '{"decision":"deny"}'` });
    const before = warm.coldRuns();
    const { stdout } = await afterIn('ulimit -Sn 256', box, warm);
    expect(stdout).toContain('"deny"');
    expect(warm.coldRuns() - before).toBe(0);
  });

  test('there is another one where hooks would run otherwise', async () => {
    const { warm, ...box } = await warmBox({ 'tool.before': `echo '{"decision":"deny"}'` });
    await warm.relay(box, ['claude-code'], eventOf(), { TZ: 'Asia/Tokyo' });
    await expect.poll(() => warm.pids().length).toBe(2);
    await expect
      .poll(async () => {
        const before = warm.coldRuns();
        await warm.relay(box, ['claude-code'], eventOf(), { TZ: 'Asia/Tokyo' });
        await warm.relay(box, ['claude-code'], eventOf());
        return warm.coldRuns() - before;
      })
      .toBe(0);
  });

  test('keeps live hooks, and settings that change count at the next event', async () => {
    const { warm, ...box } = await warmBox({});
    const live = box.write(
      'project/live.sh',
      `while read -r line; do echo "{\\"id\\":$(printf %s "$line" | grep -o '"id":[0-9]*' | head -1 | cut -d: -f2),\\"output\\":{\\"decision\\":\\"deny\\",\\"reason\\":\\"$$\\"}}"; done`,
    );
    box.write(box.own.project, {
      hooks: { 'tool.before': [{ hooks: [{ type: 'live', command: `sh '${live}'` }] }] },
    });
    const ask = async () => (await warm.relay(box, ['claude-code'], eventOf())).stdout;
    const [first, second] = [await ask(), await ask()];
    expect(first).toContain('"permissionDecision":"deny"');
    expect(second).toBe(first);
    box.guard({ 'tool.before': `echo '{"decision":"deny","reason":"changed"}'` });
    expect(await ask()).toContain('changed');
    box.guard({});
    expect(await ask()).toBe('');
  });

  test('ends after an hour without an event, of which the next event notices nothing', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': `echo '{"decision":"deny"}'` });
    const warm = warmth();
    const asks = async (): Promise<void> => {
      const { stdout } = await warm.relay(box, ['claude-code'], eventOf(), shortHours);
      expect(stdout).toContain('"deny"');
    };
    await asks();
    const first = await warm.started();
    for (let half = 0; half < 4; half++) {
      await pause(1_000);
      await asks();
    }
    expect(warm.pids()).toEqual([first]);
    await expect.poll(() => warm.pids(), { timeout: 10_000 }).toEqual([]);
    expect(readdirSync(warm.folder)).toEqual([]);
    await asks();
    expect(await warm.started()).not.toBe(first);
  });

  test('is replaced when its package is, and when its socket is gone', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': `echo '{"decision":"deny"}'` });
    const root = dirname(dirname(starter));
    const copy = join(box.folder, 'copy');
    cpSync(dirname(starter), join(copy, 'dist'), { recursive: true });
    for (const name of ['package.json', 'node_modules', 'machines'])
      symlinkSync(join(root, name), join(copy, name));
    const warm = warmth(undefined, join(copy, 'dist/hookmachine'));
    const ask = async (): Promise<void> => {
      const { stdout } = await warm.relay(box, ['claude-code'], eventOf());
      expect(stdout).toContain('"deny"');
    };
    const replaced = async (pid: number): Promise<number> => {
      await expect
        .poll(async () => {
          await ask();
          return warm.pids().some((one) => one !== pid);
        })
        .toBe(true);
      await warm.started();
      return warm.pids().find((one) => one !== pid)!;
    };
    await ask();
    const first = await warm.started();
    utimesSync(join(copy, 'dist/src/index.js'), new Date(), new Date());
    const second = await replaced(first);
    process.kill(first, 'SIGKILL');
    renameSync(warm.folder, `${warm.folder}.old`);
    await replaced(second);
  });
});

describe.skipIf(noWarmth !== undefined)('an event is judged by a process of its own', () => {
  const hooks = { 'tool.before': `echo '{"decision":"deny","reason":"no"}'` };

  test('if others can enter the folder of the socket, or it is a link', async () => {
    const { warm, ...box } = await warmBox(hooks);
    chmodSync(warm.folder, 0o755);
    await judges(box, warm);
    chmodSync(warm.folder, 0o700);
    renameSync(warm.folder, `${warm.folder}.real`);
    symlinkSync(`${warm.folder}.real`, warm.folder);
    await judges(box, warm);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'if the socket, or its folder, belongs to another user',
    async () => {
      const { warm, ...box } = await warmBox(hooks);
      const [name] = readdirSync(warm.folder).filter((one) => one.includes('-'));
      const { chownSync } = await import('node:fs');
      chownSync(join(warm.folder, name!), 65_534, 65_534);
      await judges(box, warm);
      chownSync(join(warm.folder, name!), 0, 0);
      chownSync(warm.folder, 65_534, 65_534);
      await judges(box, warm);
    },
  );

  test('if nobody listens at the socket any more, or somebody does who never answers', async () => {
    const { warm, ...box } = await warmBox(hooks);
    const [name] = readdirSync(warm.folder).filter((one) => one.includes('-'));
    const socket = join(warm.folder, name!);
    for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    await judges(box, warm);
    for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(`${socket}.silent`, resolve));
    renameSync(`${socket}.silent`, socket);
    await judges(box, warm);
    silent.close();
  });

  test('if it comes from a sandbox, which cannot have hooks run outside of it', async ({
    skip,
  }) => {
    const { warm, ...box } = await warmBox(hooks);
    const env = { ...box.env, XDG_RUNTIME_DIR: warm.runtime, HOOKMACHINE_TRUST: '1' };
    const at = { cwd: box.project, env, reject: false } as const;
    const apart = await execa('unshare', ['--net', starter, 'relay', 'claude-code'], {
      ...at,
      input: eventOf(),
    });
    if (/unshare/.test(apart.stderr)) skip('this machine has no sandboxes');
    expect(apart.stdout).toContain('"permissionDecision":"deny"');
    // One that lies about who it is, and asks the process outside.
    const [name] = readdirSync(warm.folder).filter((one) => /^[^.]+-[^.]+$/.test(one));
    const script = `socket(S, 1, 1, 0); connect(S, pack('S a*', 1, "$ENV{SOCKET}\\0")) or die; syswrite S, sprintf('%10d', $$); sysread S, my $said, 1; print $said`;
    const ask = ['/usr/bin/perl', '-e', script, 'relay', 'claude-code'];
    const asked = { ...at, env: { ...env, SOCKET: join(warm.folder, name!) } };
    expect((await execa(ask[0]!, ask.slice(1), asked)).stdout).toBe('t');
    expect((await execa('unshare', ['--net', ...ask], asked)).stdout).toBe('n');
  });

  test('if the caller has another umask or less rights', async () => {
    const { warm, ...box } = await warmBox(hooks);
    const before = warm.coldRuns();
    const { stdout } = await afterIn('umask 0; ulimit -n 64', box, warm);
    expect(stdout).toContain('"deny"');
    expect(warm.coldRuns() - before).toBe(1);
  });

  test('with a read-only home or a full disk', async () => {
    const box = relayBox();
    box.guard(hooks);
    const warm = warmth();
    chmodSync(warm.runtime, 0o500);
    await judges(box, warm, { XDG_RUNTIME_DIR: '/proc/nothing' });
    await judges(box, warm, { XDG_RUNTIME_DIR: '/dev/null' });
    chmodSync(warm.runtime, 0o700);
  });

  test('of which stdin ends late, or never', async () => {
    const { warm, ...box } = await warmBox(hooks);
    const running = execa(starter, ['relay', 'claude-code'], {
      cwd: box.project,
      env: { ...box.env, XDG_RUNTIME_DIR: warm.runtime, HOOKMACHINE_TRUST: '1' },
      reject: false,
    });
    const text = eventOf();
    running.stdin.write(text.slice(0, 20));
    await pause(500);
    for (const pid of warm.pids()) process.kill(pid, 'SIGKILL');
    await pause(500);
    running.stdin.end(text.slice(20));
    const { stdout } = await running;
    expect(stdout).toContain('"permissionDecision":"deny"');
  });

  test('by no program of the project', async () => {
    const { warm, ...box } = await warmBox(hooks);
    const planted = join(box.project, 'node_modules/.bin');
    mkdirSync(planted, { recursive: true });
    for (const name of ['node', 'perl', 'curl', 'hookmachine', 'readlink', 'sh']) {
      writeFileSync(join(planted, name), `#!/bin/sh\necho planted >&2\nexit 0\n`);
      chmodSync(join(planted, name), 0o755);
    }
    for (const more of [{}, { HOOKMACHINE_COLD: '1' }]) {
      const { stdout, stderr } = await execa(starter, ['relay', 'claude-code'], {
        cwd: box.project,
        env: {
          ...box.env,
          ...more,
          PATH: `${planted}:${box.project}:${process.env['PATH']}`,
          XDG_RUNTIME_DIR: warm.runtime,
          HOOKMACHINE_TRUST: '1',
        },
        input: eventOf(),
      });
      expect(stdout).toContain('"permissionDecision":"deny"');
      expect(stderr).not.toContain('planted');
    }
  });
});

test('agents do not write where the warm process and its state are', async () => {
  const box = relayBox();
  const runtime = join(box.folder, 'run');
  const places = [
    join(runtime, 'hookmachine/x'),
    join(box.home, '.local/state/hookmachine/warm/x'),
    join(box.home, '.local/state/hookmachine/reported/x'),
  ];
  box.write(box.own.project, { guards: { shell: 'on' } });
  for (const path of places) {
    const input = { command: `echo x > '${path}'` };
    const { stdout } = await box.relay('claude-code', JSON.parse(eventOf({ tool_input: input })), {
      env: { XDG_RUNTIME_DIR: runtime },
    });
    expect([path, stdout]).toEqual([path, expect.stringContaining('"permissionDecision":"deny"')]);
  }
});
