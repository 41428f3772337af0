import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { main, starter } from '../../support/main.ts';
import { group } from '../../support/project.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';

const call = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a.txt' } });
const settings = (command: string, matcher = 'write_file') => ({
  tools: { enableHooks: true },
  hooks: { BeforeTool: [group(command, { name: 'guard' }, matcher)] },
});

interface Line {
  readonly args: readonly string[];
  readonly input?: string;
  readonly settings?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

const fire = ['fire', 'BeforeTool'];
const relay = ['relay', 'claude-code'];
const hostCall =
  '{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/a.txt"}}';
const lines: Readonly<Record<string, Line>> = {
  'fire without a hook': { args: fire, settings: settings('exit 2', '^other$') },
  'fire with a hook': { args: fire, settings: settings(`cat >/dev/null; echo '{}'`) },
  'fire with a hook whose output is not understood': {
    args: fire,
    settings: settings(`echo '{"hookSpecificOutput":[]}'`),
  },
  'a denial': { args: fire, settings: settings('echo no >&2; exit 2') },
  'an answer in place of the model': {
    args: ['fire', 'BeforeModel'],
    input: '{"llm_request":{"model":"m","contents":[{"role":"user","parts":[{"text":"hi"}]}]}}',
    settings: {
      tools: { enableHooks: true },
      hooks: {
        BeforeModel: [
          group(
            `echo '{"decision":"block","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["yes"]}}]}}}'`,
          ),
        ],
      },
    },
  },
  'a relay of an unknown event': { args: relay, input: '{"hook_event_name":"Newest"}' },
  'a relay with a hook': { args: relay, input: hostCall, settings: settings('exit 2') },
  'a relay of an unknown host': { args: ['relay', 'nobody'], input: hostCall },
  'an event of the other dialect': {
    args: ['fire', 'before_tool_call', '--dialect', 'kodelet'],
    input: '{"tool_name":"bash","tool_input":{}}',
    settings: settings('exit 2'),
  },
  'a hook that is not trusted': {
    args: fire,
    settings: settings('exit 2'),
    env: { HOOKMACHINE_TRUST: '' },
  },
  'broken settings': { args: fire, settings: '{"hooks": [' },
  'settings with one bad entry': {
    args: fire,
    settings: { ...settings('exit 2'), hooks: { BeforeTool: [{ hooks: [{ type: 'nope' }] }] } },
  },
  'the debug log': {
    args: fire,
    settings: settings('exit 2'),
    env: { DEBUG: 'llxprt:core:hooks:*' },
  },
  'input that does not fit': { args: fire, input: '{"tool_name":1}' },
  'no input': { args: fire, input: '' },
  'an unknown event': { args: ['fire', 'Nope'] },
  'an unknown option': { args: [...fire, '--nope'] },
  'an unknown command': { args: ['nope'] },
  help: { args: ['--help'] },
  list: { args: ['list'], settings: settings('exit 2') },
};

/** The text without what changes from run to run. */
const same = (text: string): string =>
  text
    .replaceAll(/(?<="durationMs":)\d+|\d+(?= ms\b)/g, '0')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');

async function answer(
  file: string,
  { args, input = call, env }: Line,
  { project, env: own }: Sandbox,
) {
  const { stdout, stderr, exitCode } = await execa('node', [file, ...args], {
    cwd: project,
    env: { HOOKMACHINE_TRUST: '1', ...own, ...env },
    input,
    reject: false,
  });
  return { stdout: same(stdout), stderr: same(stderr), exitCode };
}

test('the command can be started directly', async () => {
  expect(statSync(main).mode & 0o111).toBe(0o111);
  const { stdout } = await execa(main, ['--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+$/);
});

test('the Node.js of the first folder of the path that has one is used, whatever the folder is called', async () => {
  const place = sandbox();
  const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  const chars = printable.filter((char) => char !== '/' && char !== ':');
  for (const name of [chars.join(''), ...chars.filter((char) => char !== '.')]) {
    const node = place.write(join('programs', name, 'node'), '#!/bin/sh\necho mine\n');
    chmodSync(node, 0o755);
    const { stdout } = await execa(starter, ['list'], {
      cwd: place.project,
      env: { ...place.env, PATH: `${dirname(node)}:${process.env['PATH']}` },
    });
    expect([name, stdout]).toEqual([name, 'mine']);
  }
});

/** The answer, in this process, of the modules that the bundle was made from. */
async function answerOfModules({ args, input = call, env }: Line, place: Sandbox) {
  const { stdout, stderr, exitCode } = await inProcess(
    { ...place, env: { ...place.env, ...env } },
    args,
    input,
  );
  return { stdout: same(stdout), stderr: same(stderr), exitCode };
}

describe('the bundle and the modules that it was made from', () => {
  test.each(Object.entries(lines))(
    'the bundle answers as the modules that it was made from: %s',
    async (_, line) => {
      const place = sandbox();
      if (line.settings !== undefined) place.write(place.files.project, line.settings);
      const answered = await answer(main, line, place);
      expect(answered).toEqual(await answerOfModules(line, place));
      expect(answered.stdout + answered.stderr).not.toBe('');
    },
  );
});

/** The command and its bundle, and nothing else of the package. */
function copyOfCommand({ folder }: Sandbox): string {
  for (const name of ['hookmachine.cjs', 'hookmachine-bundle.js'])
    copyFileSync(join(dirname(main), name), join(folder, name));
  return join(folder, 'hookmachine.cjs');
}

test('a plain fire needs no file except the bundle', async () => {
  const place = sandbox();
  place.write(place.files.project, settings('echo no >&2; exit 2'));
  const alone = copyOfCommand(place);
  const { stdout, stderr, exitCode } = await answer(alone, { args: fire }, place);
  expect(JSON.parse(stdout)).toMatchObject({ blocked: true, reason: 'no' });
  expect([stderr, exitCode]).toEqual(['', 2]);
});

/** A copy of the command that has not kept any compiled code yet. */
function copied() {
  const place = sandbox();
  const alone = copyOfCommand(place);
  return {
    fireWith: async (
      command: string,
      { matcher = '', env = {} }: { matcher?: string; env?: Readonly<Record<string, string>> } = {},
    ) => {
      place.write(place.files.project, settings(command, matcher));
      const { stdout, stderr, exitCode } = await answer(alone, { args: fire, env }, place);
      expect(stderr).toBe('');
      return [exitCode, (JSON.parse(stdout) as { reason: string | null }).reason];
    },
    kept: () =>
      readdirSync(place.folder)
        .filter((name) => name.startsWith('compiled-'))
        .map((name) => join(place.folder, name)),
  };
}

describe('compiled code is kept beside the bundle', () => {
  test('compiled code is kept by the first run and the first with a hook, and used by the next', async () => {
    const { fireWith, kept } = copied();
    const sizes: number[] = [];
    for (const [command, matcher, expected] of [
      ['echo no >&2; exit 2', '^other$', [0, null]],
      ['echo no >&2; exit 2', '^write_file$', [2, 'no']],
      ['echo never >&2; exit 2', '^write_file$', [2, 'never']],
      ['exit 2', '^other$', [0, null]],
    ] as const) {
      expect(await fireWith(command, { matcher })).toEqual(expected);
      expect(kept()).toHaveLength(1);
      const { size, mode } = statSync(kept()[0]!);
      expect(mode & 0o022).toBe(0);
      sizes.push(size);
    }
    const [withoutHook = 0, withHook = 0] = sizes;
    expect(withHook).toBeGreaterThan(withoutHook);
    expect(sizes).toEqual([withoutHook, withHook, withHook, withHook]);
  });

  test('compiled code is not kept if the environment forbids it', async () => {
    const { fireWith, kept } = copied();
    const off = { env: { NODE_DISABLE_COMPILE_CACHE: '1' } };
    expect(await fireWith('echo no >&2; exit 2', off)).toEqual([2, 'no']);
    expect(kept()).toEqual([]);
  });

  test.each([
    ['has another byte', (code: Buffer) => code.fill(0x55, 1_000, 1_001)],
    ['is cut off', (code: Buffer) => code.subarray(0, 100_000)],
    ['is empty', () => Buffer.alloc(0)],
    [
      'is from another V8',
      (code: Buffer) => twice(code.subarray(0, (code.length - 1) / 2).fill(0x55, 4, 8)),
    ],
  ])('compiled code is made anew when it %s', async (_, damage) => {
    const { fireWith, kept } = copied();
    await fireWith('exit 2');
    const [file = ''] = kept();
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);
    expect(await fireWith('echo no >&2; exit 2')).toEqual([2, 'no']);
    expect(readFileSync(file).equals(damaged)).toBe(false);
    expect(await fireWith('echo no >&2; exit 2')).toEqual([2, 'no']);
  });

  test('compiled code is kept for each set of flags', async () => {
    const { fireWith, kept } = copied();
    const env = { NODE_OPTIONS: '--max-old-space-size=512' };
    expect(await fireWith('echo no >&2; exit 2', { env })).toEqual([2, 'no']);
    expect(await fireWith('echo no >&2; exit 2')).toEqual([2, 'no']);
    expect(kept()).toHaveLength(2);
  });

  test('compiled code is never run for a bundle that someone has edited', async () => {
    const place = sandbox();
    const alone = copyOfCommand(place);
    place.write(place.files.project, settings('exit 2'));
    await answer(alone, { args: fire }, place);
    const bundle = join(place.folder, 'hookmachine-bundle.js');
    const edited = readFileSync(bundle, 'utf8').replaceAll('hookCount:', 'hookTally:');
    writeFileSync(bundle, edited);
    expect((await answer(alone, { args: fire }, place)).stdout).toContain('"hookTally":');
  });

  test('a hook still denies if compiled code cannot be kept', async () => {
    const { fireWith, kept } = copied();
    await fireWith('exit 2');
    const [file = ''] = kept();
    rmSync(file);
    mkdirSync(file);
    expect(await fireWith('echo no >&2; exit 2')).toEqual([2, 'no']);
    expect(kept()).toEqual([file]);
  });
});

const twice = (code: Buffer): Buffer => Buffer.concat([code, code, Buffer.of(1)]);

test.runIf(spawnSync('unshare', ['-m', 'true']).status === 0)(
  'a cold fire denies even if no folder can be made for the streams of its hook',
  async () => {
    const place = sandbox();
    place.write(place.files.project, settings('echo no >&2; exit 2'));
    const line = 'mount -t tmpfs -o ro none /dev/shm && exec "$@"';
    const { stdout, exitCode } = await execa(
      'unshare',
      ['-m', 'sh', '-c', line, 'sh', 'node', main, ...fire],
      {
        cwd: place.project,
        env: { HOOKMACHINE_TRUST: '1', ...place.env, TMPDIR: '/nowhere' },
        input: call,
        reject: false,
      },
    );
    expect([exitCode, (JSON.parse(stdout) as { reason: string }).reason]).toEqual([2, 'no']);
  },
);

test('the command does not cut off what another module does at the end of the process', async () => {
  const place = sandbox();
  place.write(place.files.project, settings('exit 2'));
  const flushing = place.write(
    'flushing.cjs',
    `process.once('beforeExit', () => setTimeout(() => process.stderr.write('flushed'), 50));`,
  );
  const { stderr, exitCode } = await execa('node', ['--require', flushing, main, ...fire], {
    cwd: place.project,
    env: { HOOKMACHINE_TRUST: '1', ...place.env },
    input: call,
    reject: false,
  });
  expect([exitCode, stderr]).toEqual([2, 'flushed']);
});

test('work that can never end is not taken for a yes', async () => {
  const place = sandbox();
  const stuck = place.write(
    'stuck.cjs',
    `const fs = require('node:fs');
     const { readSync } = fs;
     fs.readSync = (fd, ...rest) => {
       if (fd === 0) throw Object.assign(new Error(), { code: 'EAGAIN' });
       return readSync(fd, ...rest);
     };
     const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
     Object.defineProperty(process, 'stdin', { value: never });`,
  );
  const run = async (event: string) => {
    const { stdout, exitCode } = await execa('node', ['--require', stuck, main, 'fire', event], {
      cwd: place.project,
      env: place.env,
      reject: false,
    });
    return [stdout, exitCode];
  };
  expect(await run('SessionEnd')).toEqual(['', 13]);
  expect(await run('BeforeTool')).toEqual([expect.stringContaining('"decision":"deny"'), 2]);
});
