import childProcess from 'node:child_process';
import fs, { rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { deny, denyByCode, type Fault } from './fault.ts';

const slowDenial = 'sleep 0.5; echo no >&2; exit 2';

/** The system's error when it has run out of something. */
const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -1 });

/** Replaces a function of Node for everyone in this process; returns a function that restores it. */
function replace<Name extends string>(
  module: Record<Name, unknown>,
  name: Name,
  replacement: unknown,
): () => void {
  const original = module[name];
  module[name] = replacement;
  syncBuiltinESMExports();
  return () => {
    module[name] = original;
    syncBuiltinESMExports();
  };
}

const failingSpawn = (code: string) => () =>
  replace(childProcess as never, 'spawn', () => {
    throw systemError(code, 'spawn');
  });

function exhaustDescriptors(): () => void {
  const open: number[] = [];
  try {
    for (;;) open.push(fs.openSync('/dev/null', 'r'));
  } catch {
    return () => open.forEach((fd) => fs.closeSync(fd));
  }
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const realNow = Date.now.bind(Date);

/** Timers must not depend on the time of day, which can be set. */
const jumpingClock = (ms: number) => (): void => {
  Date.now = () => realNow() + ms;
};

const settingsFile = (folder: string): string => join(folder, '.llxprt', 'settings.json');

/** Faults of the host, the system and the settings. */
export const surroundingFaults: readonly Fault[] = [
  {
    name: 'EMFILE: no descriptor is free',
    expected: 'denial or failure',
    command: denyByCode,
    before: exhaustDescriptors,
  },
  {
    name: 'EMFILE at the first event of all',
    expected: 'denial or failure',
    command: denyByCode,
    before: exhaustDescriptors,
    isFirst: true,
  },
  {
    name: 'EMFILE while the hook hangs',
    expected: 'failure',
    command: 'sleep 100',
    timeout: 400,
    during: exhaustDescriptors,
  },
  {
    name: 'EMFILE while the hook hangs in a child',
    expected: 'failure',
    command: 'sh -c "sleep 100; echo never"; echo never',
    timeout: 400,
    during: exhaustDescriptors,
  },
  {
    name: 'EMFILE while the hook ignores SIGTERM',
    expected: 'failure',
    command: `trap '' TERM; sleep 100; sleep 100`,
    timeout: 400,
    isDeaf: true,
    during: exhaustDescriptors,
  },
  {
    name: 'EMFILE before the hook answers',
    expected: 'denial',
    command: slowDenial,
    during: exhaustDescriptors,
  },
  {
    name: 'EMFILE before the hook answers and leaves a child',
    expected: 'denial',
    command: `sleep 100 & ${slowDenial}`,
    leaves: 'group',
    during: exhaustDescriptors,
  },
  {
    name: 'ENOMEM on spawn (injected)',
    expected: 'denial or failure',
    command: denyByCode,
    before: failingSpawn('ENOMEM'),
  },
  {
    name: 'EAGAIN on spawn (injected)',
    expected: 'denial or failure',
    command: denyByCode,
    before: failingSpawn('EAGAIN'),
  },
  {
    name: 'E2BIG on spawn: the environment is too large',
    expected: 'denial or failure',
    command: denyByCode,
    before: () => {
      process.env['TOO_LARGE'] = 'x'.repeat(3_000_000);
      return () => delete process.env['TOO_LARGE'];
    },
  },
  {
    name: 'ENOSPC for the input (injected)',
    expected: 'denial or failure',
    command: `grep -q tool_input && { ${denyByCode}; }`,
    before: () =>
      replace(fs as never, 'writeFileSync', () => {
        throw systemError('ENOSPC', 'write');
      }),
  },
  {
    name: 'unwritable folder',
    expected: 'failure',
    command: `echo x > a-file-of-mine && { ${denyByCode}; }`,
    cwd: () => '/proc',
  },
  {
    name: 'deleted folder',
    expected: 'failure',
    command: denyByCode,
    before: (folder) => rmSync(folder, { recursive: true }),
  },
  {
    name: 'folder deleted while the hook runs',
    expected: 'denial',
    command: slowDenial,
    during: (folder) => rmSync(folder, { recursive: true }),
  },
  {
    name: 'folder is a file',
    expected: 'failure',
    command: denyByCode,
    before: (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, 'x');
    },
  },
  {
    name: 'clock jumps an hour ahead',
    expected: 'denial',
    command: slowDenial,
    during: jumpingClock(3_600_000),
  },
  {
    name: 'clock jumps a day back',
    expected: 'denial',
    command: slowDenial,
    during: jumpingClock(-86_400_000),
  },
  {
    name: 'clock jumps back while the hook hangs',
    expected: 'failure',
    command: 'sleep 100',
    timeout: 400,
    during: jumpingClock(-86_400_000),
  },
  {
    name: 'busy host: the answer is read late',
    expected: 'denial',
    command: 'sleep 0.2; echo no >&2; exit 2',
    timeout: 700,
    hostIsBusyFor: 1_200,
    during: () => block(1_200),
  },
  {
    name: 'settings replaced while the hook runs',
    expected: 'denial',
    command: slowDenial,
    fromFile: true,
    during: (folder) => writeFileSync(settingsFile(folder), '{"tools":{"enableHooks":false}}'),
  },
  {
    name: 'settings broken while the hook runs',
    expected: 'denial',
    command: slowDenial,
    fromFile: true,
    during: (folder) => writeFileSync(settingsFile(folder), '{"hooks":{"BeforeTool":'),
  },
  {
    name: 'settings deleted while the hook runs',
    expected: 'denial',
    command: slowDenial,
    fromFile: true,
    during: (folder) => rmSync(settingsFile(folder)),
  },
  {
    name: 'PATH without a shell',
    expected: 'denial',
    command: 'echo no >&2; exit 2',
    before: () => {
      const { PATH } = process.env;
      process.env['PATH'] = '/proc/no-folder';
      return () => (process.env['PATH'] = PATH);
    },
  },
  {
    name: 'folder for temporary files is gone',
    expected: 'denial',
    command: deny,
    before: () => {
      process.env['TMPDIR'] = '/proc/no-folder';
    },
    // The hook would not see what has happened to it.
  },
  {
    name: 'input that has no JSON form',
    expected: 'denial',
    command: denyByCode,
    toolInput: () => ({ big: 1n }),
  },
  {
    name: 'folder is not trusted',
    expected: 'failure',
    command: denyByCode,
    trust: 'none',
  },
  {
    name: 'trust lost after the plan was made',
    expected: 'failure',
    command: denyByCode,
    trust: 'lost',
  },
  {
    name: 'connections to its inspector that are half open',
    expected: 'denial',
    command: denyByCode,
    isHalfInspected: true,
  },
];
