import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allow, deny, denyByCode, type Fault } from './fault.ts';

/** Makes this process's signals to hooks fail, as if the hooks were another user's, or have no effect. */
const signalsThat = (fail: () => true) => (): (() => void) => {
  const kill = process.kill.bind(process);
  process.kill = fail;
  return () => (process.kill = kill);
};

const notPermitted = (): never => {
  throw Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' });
};

/** Variables that change what shells and programs do. */
const hostile: Readonly<Record<string, string>> = {
  BASH_ENV: '/no/such/file',
  SHELLOPTS: 'noexec',
  IFS: 'e',
  'BASH_FUNC_grep%%': '() { return 1; }',
  'BASH_FUNC_exit%%': '() { builtin exit 0; }',
  PATH: '/no/such/folder',
};

const hostileEnvironment = (): (() => void) => {
  const before = { ...process.env };
  Object.assign(process.env, hostile);
  return () => {
    for (const name of Object.keys(hostile))
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  };
};

const userSettings = (home: string, text: string): void => {
  mkdirSync(join(home, '.llxprt'), { recursive: true });
  writeFileSync(join(home, '.llxprt', 'settings.json'), text);
};

const script = '#!/bin/sh\necho no >&2\nexit 2\n';

/** Faults that would disable a guard: attacks, and processes out of reach. */
export const guardFaults: readonly Fault[] = [
  {
    name: 'belongs to another user (kill fails, injected)',
    expected: 'failure',
    command: 'exec sleep 100',
    timeout: 1_500,
    isUnkillable: true,
    during: signalsThat(notPermitted),
  },
  {
    name: 'is held by the kernel (kill does nothing, injected)',
    expected: 'failure',
    command: 'exec sleep 100',
    timeout: 1_500,
    isDeaf: true,
    isUnkillable: true,
    during: signalsThat(() => true),
  },
  {
    name: 'denies and leaves a process of another user (kill fails, injected)',
    expected: 'denial',
    command: `sleep 100 > /dev/null 2>&1 & sleep 0.5; ${denyByCode}`,
    isUnkillable: true,
    during: signalsThat(notPermitted),
  },
  {
    name: 'script swapped after the plan was made',
    expected: 'failure',
    command: './guard.sh',
    files: { 'guard.sh': script },
    trust: 'swapped',
    before: (folder) => writeFileSync(join(folder, 'guard.sh'), '#!/bin/sh\nexit 0\n'),
  },
  {
    name: "an administrator's hook in a hostile environment",
    expected: 'denial',
    command: `grep -q tool_input && { ${denyByCode}; }`,
    source: 'system',
    before: hostileEnvironment,
  },
  {
    name: "an administrator's hook next to a prepared program on the PATH",
    expected: 'denial',
    command: `grep -q tool_input && { ${deny}; }`,
    source: 'system',
    files: { 'bin/grep': '#!/bin/sh\nexit 1\n', 'bin/bash': '#!/bin/sh\nexit 0\n' },
    before: (folder) => {
      const { PATH } = process.env;
      process.env['PATH'] = `${join(folder, 'bin')}:${PATH}`;
      return () => (process.env['PATH'] = PATH);
    },
  },
  {
    name: 'an answer with a misspelt field',
    expected: 'failure',
    command: `echo '{"descision":"deny","reason":"no"}'`,
  },
  {
    name: "an answer in another host's words",
    expected: 'failure',
    command: `echo '{"permissionDecision":"deny","permissionDecisionReason":"no"}'`,
  },
  {
    name: "the user's settings cannot be read",
    expected: 'denial',
    command: denyByCode,
    fromFile: true,
    setUp: (home) => void mkdirSync(join(home, '.llxprt', 'settings.json'), { recursive: true }),
  },
  {
    name: "the user's settings are a link to /proc/kmsg",
    expected: 'denial',
    command: denyByCode,
    fromFile: true,
    setUp: (home) => {
      mkdirSync(join(home, '.llxprt'), { recursive: true });
      symlinkSync('/proc/kmsg', join(home, '.llxprt', 'settings.json'));
    },
  },
  {
    name: "the user's settings cannot be parsed",
    expected: 'denial',
    command: denyByCode,
    fromFile: true,
    setUp: (home) => userSettings(home, '{ "hooks": '),
  },
  {
    name: "the administrator's settings cannot be parsed, and nothing else denies",
    expected: 'denial',
    command: allow,
    fromFile: true,
    systemSettings: '{ "hooks": ',
  },
  {
    name: 'the user has four hundred matchers that take for ever',
    expected: 'denial',
    command: denyByCode,
    fromFile: true,
    setUp: (home) => {
      const slow = Array.from({ length: 400 }, (_, index) => ({
        matcher: `^(\\w+\\s?)*${index}!$`,
        hooks: [{ type: 'command', command: 'true' }],
      }));
      userSettings(home, JSON.stringify({ enableHooks: true, hooks: { BeforeTool: slow } }));
    },
  },
];
