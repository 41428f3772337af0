import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { execa } from 'execa';
import { guardedEvents, type GuardedEvent } from '../../support/host-events.ts';
import { installed, main } from '../../support/main.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { unjudgedInputs } from '../../support/unjudged-input.ts';

/*
 * The built command denies what it cannot judge, in the form of each host: a part of the table here, all of it
 * in `npm run package`.
 */

/** Every nth, so that each host and each fault has its turn. */
const some = <Row>(rows: readonly Row[], step: number): readonly Row[] =>
  installed === undefined ? rows.filter((_, index) => index % step === 0) : rows;

/** The command and its bundle, which nobody has run yet: the first run compiles it. */
let command: string;

beforeAll(() => {
  const folder = tempFolder();
  command = join(folder, 'hookmachine.cjs');
  for (const name of ['hookmachine.cjs', 'hookmachine-bundle.js'])
    copyFileSync(join(dirname(main), name), join(folder, name));
});

const hook = (script: string, more = {}) => ({
  hooks: Object.fromEntries(
    ['tool.before', 'tool.permission', 'model.before', 'prompt.submit'].map((point) => [
      point,
      [{ hooks: [{ type: 'command', command: script, ...more }] }],
    ]),
  ),
});

/** Settings that must make no difference. */
const policies: readonly object[] = [
  {},
  { defaultOnFailure: 'block' },
  { defaultOnFailure: 'allow' },
  hook('exit 0', { onFailure: 'block' }),
  hook('exit 0', { onFailure: 'allow' }),
];

interface Run {
  readonly input?: string | Buffer;
  readonly settings?: object;
  /** Code that runs in the command before it does anything. */
  readonly fault?: string;
  readonly redirection?: string;
}

async function relay(
  { host, event, isNamed, given }: GuardedEvent,
  { input = JSON.stringify(given), settings = {}, fault = '', redirection = '' }: Run,
) {
  const box = sandbox();
  box.write(box.own.project, settings);
  const preload = box.write('fault.cjs', fault);
  const args = ['--require', preload, command, 'relay', host, ...(isNamed ? [event] : [])];
  const { stdout, stderr, exitCode } = await execa(
    'sh',
    ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, ...args],
    {
      cwd: box.project,
      env: { ...box.env, HOOKMACHINE_TRUST: '1', CLAUDE_PROJECT_DIR: '' },
      input,
      reject: false,
    },
  );
  return { answer: stdout === '' ? undefined : (JSON.parse(stdout) as unknown), stderr, exitCode };
}

test.each(some(unjudgedInputs, 59))(
  '$name is denied (S-33, S-34)',
  async ({ event, input, why }) => {
    const settings =
      policies[unjudgedInputs.findIndex((one) => one.input === input) % policies.length]!;
    const { answer, stderr, exitCode } = await relay(event, { input, settings });
    expect(answer).toEqual(event.denial(expect.stringMatching(why)));
    expect(stderr).toMatch(why);
    expect(exitCode).toBe(0);
  },
);

test('an input that is too large is denied, and read to its end (S-34)', async () => {
  const { given, ...event } = guardedEvents[0]!;
  const text = JSON.stringify(given).slice(0, -1);
  const input = Buffer.concat([
    Buffer.from(`${text},"x":"`),
    Buffer.alloc(64 * 1024 * 1024, 'x'),
    Buffer.from('"}'),
  ]);
  const { answer } = await relay({ given, ...event }, { input });
  expect(answer).toEqual(event.denial(expect.stringContaining('larger than 64 MiB')));
});

describe('what can be judged is judged', () => {
  const deniedBy = hook('echo "not here" >&2; exit 2');
  const inputs: readonly (readonly [string, (text: string) => string])[] = [
    ['a byte order mark', (text) => `\uFEFF${text}`],
    ['a key that is there twice', (text) => `{"session_id":"t",${text.slice(1)}`],
    ['a surrogate alone', (text) => `${text.slice(0, -1)},"z":"\\ud800"}`],
    ['998 levels', (text) => `${text.slice(0, -1)},"z":${'['.repeat(998)}${']'.repeat(998)}}`],
  ];
  const rows = guardedEvents.flatMap((event) =>
    inputs.map(([name, make]) => ({ name, make, event })),
  );

  test.each(some(rows, 31))('$event.host $event.event: $name', async ({ make, event }) => {
    const input = make(JSON.stringify(event.given));
    const { answer } = await relay(event, { input, settings: deniedBy });
    expect(answer).toEqual(event.denial('not here'));
  });
});

/** Faults while a hook runs, as code and as the reason of the denial. */
const faults: readonly (readonly [name: string, code: string, why: string])[] = [
  ['something throws where nobody waits', 'throw new TypeError("boom")', 'boom'],
  ['a promise is rejected', 'Promise.reject(new Error("boom"))', 'boom'],
  ['something is thrown that is no error', 'throw undefined', 'hookmachine'],
  ['a library ends the process', 'process.exit(0)', 'hookmachine ended before it had judged it'],
];

/** Runs code as soon as a hook has been started. */
const onceAHookRuns = (code: string): string => `
  const child = require('node:child_process');
  const { spawn } = child;
  child.spawn = (...args) => {
    setImmediate(() => { ${code} });
    return spawn(...args);
  };`;

describe('a relay in which something breaks (S-33)', () => {
  const rows = guardedEvents.flatMap((event) => faults.map(([name, code, why]) => ({ name, code, why, event }))); // prettier-ignore

  test.each(some(rows, 23))('$event.host $event.event: $name', async ({ code, why, event }) => {
    const { answer, stderr, exitCode } = await relay(event, {
      fault: onceAHookRuns(code),
      settings: hook('sleep 5'),
    });
    expect([answer, exitCode]).toEqual([event.denial(expect.stringContaining(why)), 0]);
    expect(stderr).toContain(why);
  });

  test('a host reads an exit status if not even the denial can be written', async () => {
    const fault = `const { stringify } = JSON;
      JSON.stringify = (value, ...rest) => {
        if (value.hookSpecificOutput) throw new RangeError('Invalid string length');
        return stringify(value, ...rest);
      };`;
    const { answer, stderr, exitCode } = await relay(guardedEvents[0]!, {
      fault,
      settings: hook('exit 2'),
    });
    expect([answer, exitCode]).toEqual([undefined, 2]);
    expect(stderr).toContain('Invalid string length');
  });
});

describe('an answer that cannot be written (S-33)', () => {
  const ways: readonly (readonly [name: string, redirection: string])[] = [
    ['nobody reads', '| true'],
    ['the disk is full', '> /dev/full'],
  ];
  const rows = guardedEvents.flatMap((event) => ways.map(([name, redirection]) => ({ name, redirection, event }))); // prettier-ignore

  test.each(some(rows, 25))('$event.host $event.event: $name', async ({ redirection, event }) => {
    const settings = hook('echo "not here" >&2; exit 2');
    const box = sandbox();
    box.write(box.own.project, settings);
    const { host, isNamed, given } = event;
    const line = `printf '%s' "$INPUT" | "$0" "$@" ${redirection}; echo "\${PIPESTATUS[1]}" > status`;
    const { stderr } = await execa(
      'bash',
      ['-c', line, process.execPath, command, 'relay', host, ...(isNamed ? [event.event] : [])],
      {
        cwd: box.project,
        env: { ...box.env, HOOKMACHINE_TRUST: '1', CLAUDE_PROJECT_DIR: '', INPUT: JSON.stringify(given) }, // prettier-ignore
        reject: false,
      },
    );
    expect(readFileSync(join(box.project, 'status'), 'utf8')).toBe('2\n');
    expect(stderr).toContain('not here (its answer could not be written');
  });
});

/** Relays an event in a folder that is gone; PROJECT stands for the folder of the project. */
const relayWithoutFolder = async (
  host: string,
  given: object,
  env: Readonly<Record<string, string>>,
) => {
  const box = sandbox();
  box.write(box.own.project, hook('echo "not here" >&2; exit 2'));
  mkdirSync(join(box.folder, 'gone'));
  const { stdout } = await execa(
    'sh',
    ['-c', 'cd gone && rmdir ../gone && exec "$0" "$@"', process.execPath, command, 'relay', host], // prettier-ignore
    {
      cwd: box.folder,
      env: {
        ...box.env,
        HOOKMACHINE_TRUST: '1',
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('PROJECT', box.project)])), // prettier-ignore
      },
      input: JSON.stringify(given).replaceAll('PROJECT', box.project),
      reject: false,
    },
  );
  return JSON.parse(stdout) as unknown;
};

const eventOf = (host: string) => guardedEvents.find((one) => one.host === host)!;

describe('a relay whose own folder is gone (S-33)', () => {
  const naming: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['claude-code', { CLAUDE_PROJECT_DIR: 'PROJECT' }],
    ['gemini-cli', { GEMINI_PROJECT_DIR: 'PROJECT' }],
    ['cursor', {}],
    ['kodelet', {}],
  ];

  test.each(some(naming, 2))('%s is judged in the folder that it names', async (host, env) => {
    const event = eventOf(host);
    const given = { ...event.given, cwd: 'PROJECT', workspace_roots: ['PROJECT'] };
    expect(await relayWithoutFolder(host, given, { CLAUDE_PROJECT_DIR: '', ...env })).toEqual(
      event.denial('not here'),
    );
  });

  test.each(some(['claude-code', 'codex'], 2))('%s is denied if it names none', async (host) => {
    const event = eventOf(host);
    expect(await relayWithoutFolder(host, event.given, { CLAUDE_PROJECT_DIR: '' })).toEqual(
      event.denial(expect.stringContaining('the current folder is gone')),
    );
  });
});
