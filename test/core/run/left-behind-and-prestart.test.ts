import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createConfig, executeToolWithHooks } from '../../../src/index.ts';
import { isAlive } from '../../handlers/process/run-hook.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { waitUntil } from '../../support/until.ts';

/** Makes calls with this hook before the tool; each returns what the tool returned, or why it did not run. */
function caller(hook: {
  command: string;
  leftBehind?: 'end-group' | 'end' | 'leave';
  prestart?: boolean;
}) {
  const cwd = tempFolder();
  const config = createConfig({
    cwd,
    settings: {
      tools: { enableHooks: true },
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', ...hook }] }] },
    },
  });
  const call = async (input: Record<string, unknown> = {}) => {
    const result = await executeToolWithHooks(config, 'write_file', input, async () => ({
      llmContent: 'ran',
      returnDisplay: 'ran',
    }));
    return result.returnDisplay;
  };
  return { cwd, call, dispose: () => config.getHookSystem()?.dispose() };
}

const numberIn = (file: string): number => Number(readFileSync(file, 'utf8'));
const daemon = `setsid sh -c 'echo $$ > daemon; exec sleep 100' & until [ -s daemon ]; do sleep 0.01; done;`;
const child = 'sleep 100 & echo $! > child;';

test.each([
  ['end-group', { daemon: true, child: false }],
  [undefined, { daemon: true, child: false }],
  ['end', { daemon: false, child: false }],
  ['leave', { daemon: true, child: true }],
] as const)(
  'a hook from the settings with "leftBehind": %j leaves behind only what that setting allows',
  async (leftBehind, lives) => {
    const { cwd, call } = caller({
      command: `${daemon} ${child} exit 0`,
      ...(leftBehind && { leftBehind }),
    });
    expect(await call()).toBe('ran');
    const found = { daemon: numberIn(join(cwd, 'daemon')), child: numberIn(join(cwd, 'child')) };
    for (const pid of Object.values(found))
      onTestFinished(() => {
        if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      });
    expect({ daemon: isAlive(found.daemon), child: isAlive(found.child) }).toEqual(lives);
  },
);

test('a hook from the settings with "prestart" runs in a waiting process from its second event on, and judges each event by its own input', async () => {
  const { cwd, call } = caller({
    command: `echo $$ >> started; input=$(cat); case $input in *'"n":2'*) echo no >&2; exit 2;; esac`,
    prestart: true,
  });
  const starts = (): number => readFileSync(join(cwd, 'started'), 'utf8').trim().split('\n').length;
  expect(await call({ n: 1 })).toBe('ran');
  await waitUntil(() => starts() === 2);
  expect(await call({ n: 2 })).toContain('no');
  await waitUntil(() => starts() === 3);
  expect(await call({ n: 3 })).toBe('ran');
});

test('a hook with "prestart" that has lost trust does not run, although a process for it is waiting', async () => {
  const cwd = tempFolder();
  let trusted = true;
  const config = createConfig({
    cwd,
    checkTrust: () => (trusted ? { trusted } : { trusted: false, why: 'it changed', fix: 'look' }),
    settings: {
      tools: { enableHooks: true },
      hooks: {
        BeforeTool: [
          {
            hooks: [
              {
                type: 'command',
                command: 'echo x >> started; cat > /dev/null; echo x >> ran',
                prestart: true,
              },
            ],
          },
        ],
      },
    },
  });
  const call = () =>
    executeToolWithHooks(config, 'write_file', {}, async () => ({
      llmContent: 'ran',
      returnDisplay: 'ran',
    }));
  await call();
  await waitUntil(() => readFileSync(join(cwd, 'started'), 'utf8') === 'x\nx\n');
  trusted = false;
  await call();
  await sleep(100);
  expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('x\n');
});

test('a process that waits for a hook ends with its hook system', async () => {
  const { cwd, call, dispose } = caller({
    command: 'echo $$ > waiting; cat > /dev/null',
    prestart: true,
  });
  await call();
  const first = numberIn(join(cwd, 'waiting'));
  await waitUntil(() => numberIn(join(cwd, 'waiting')) !== first);
  const pid = numberIn(join(cwd, 'waiting'));
  expect(isAlive(pid)).toBe(true);
  dispose();
  await waitUntil(() => !isAlive(pid));
});
