import { spawn } from 'node:child_process';
import { withoutStamp } from '../../hosts/relay/last-seen.ts';
import type { Finding } from './finding.ts';

/** How long a command may take, in ms; agents wait for up to a minute, but nobody likes that. */
const patience = 15_000;

/** Starts an entry's command as its agent would, with a harmless event, and returns what is wrong with it. */
export async function startCommand(
  command: string,
  event: object,
  cwd: string,
  within = patience,
): Promise<Pick<Finding, 'code' | 'level' | 'message' | 'fix'> | undefined> {
  const { status, stderr, isLate } = await run(command, event, cwd, within);
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const off = { level: 'off', fix: reinstall } as const;
  if (isLate)
    return {
      ...off,
      code: 'command-hangs',
      message: `does not answer within ${within / 1_000} s: ${command}`,
    };
  if (
    [126, 127].includes(status ?? 0) &&
    /\bnode\b.*(?:not found|No such file)|node could not be/i.test(said)
  )
    return {
      ...off,
      code: 'node-gone',
      message: `Node.js is not on the PATH there, which ${command} needs (${said})`,
      fix: 'have Node.js on the PATH where the agent runs',
    };
  if (status === 1 && /^SyntaxError|ERR_UNKNOWN_BUILTIN|Unsupported engine|node:\w+/m.test(stderr))
    return {
      ...off,
      code: 'node-wrong',
      message: `Node.js is too old there for ${command} (${said})`,
      fix: 'have Node.js 20.19 or newer first on the PATH where the agent runs',
    };
  if (status === 127)
    return { ...off, code: 'command-gone', message: `its command is gone: ${command} (${said})` };
  if (status === 126)
    return {
      ...off,
      code: 'command-not-executable',
      message: `its command is not executable: ${command} (${said})`,
    };
  return status === 0
    ? undefined
    : {
        ...off,
        code: 'command-fails',
        message: `its command ends with status ${status} at a harmless event: ${command} (${said})`,
      };
}

const reinstall = 'install hookmachine where the agent runs, then install the entries again';

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
  readonly isLate: boolean;
}

const run = (command: string, event: object, cwd: string, within: number): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      detached: true,
      env: { ...process.env, [withoutStamp]: '1' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }, within);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4_000);
    });
    child.stdin.on('error', () => undefined).end(JSON.stringify(event));
    child.on('error', () => resolve({ status: 127, stderr, isLate }));
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ status, stderr, isLate });
    });
  });
