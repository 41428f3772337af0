import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ChatLoop } from '../../src/agent/loop/chat-loop.ts';
import { checkInput } from '../../src/agent/loop/tool-parameters.ts';
import { ToolScheduler } from '../../src/agent/loop/tool-scheduler.ts';
import { CommandFailure } from '../../src/hosts/relay/failure.ts';
import { HookmachineError, isError, isHookmachineError } from '../../src/base/errors.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { startInspector } from '../../src/watch/inspector/start-inspector.ts';
import { readRecording } from '../../src/watch/journal/read-recording.ts';
import { createModel } from '../../src/agent/models/create-model.ts';
import { openSettings } from '../../src/settings/files/edit-settings.ts';
import { loadStately } from '../../src/watch/stately/stately-package.ts';
import { recordTrust } from '../../src/settings/trust/write-trust.ts';
import { someModel } from '../support/some-model.ts';
import { someTool } from '../support/some-tool.ts';
import { tempFolder } from '../support/temp-folder.ts';

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
const config = () =>
  createConfig({ cwd: tempFolder(), settings: { tools: { enableHooks: true } } });

test.each([
  ['HOOK_SYSTEM_NOT_INITIALIZED', () => config().getHookSystem()!.getRegistry()],
  ['MODEL_ERROR', () => createModel('nothing')],
  ['RECORDING_INVALID', () => readRecording('/dev/null/no').next()],
  ['STATELY_UNAVAILABLE', () => loadStately('@statelyai/no-such-package')],
  [
    'PORT_UNAVAILABLE',
    async () => {
      const first = await startInspector(config());
      try {
        await startInspector(config(), { port: Number(new URL(first.url).port) });
      } finally {
        await first.close();
      }
    },
  ],
  ['SETTINGS_NOT_EDITABLE', () => openSettings(tempFolder()).disable('a')],
  ['TOOL_SCHEMA', () => checkInput('a', { type: 'object', $ref: 'https://example.com' }, {})],
  ['TRUST_NOT_RECORDED', () => recordTrust('/dev/null/trust.json', '/p', undefined)],
  [
    'TURN_RUNNING',
    () => {
      const loop = new ChatLoop({ config: config(), model: someModel('a'), tools: new Map() });
      loop.run('a');
      loop.run('b');
    },
  ],
  [
    'BATCH_RUNNING',
    async () => {
      const tool = someTool('a');
      const scheduler = new ToolScheduler({ config: config(), tools: new Map([['a', tool]]) });
      await Promise.all([scheduler.schedule([]), scheduler.schedule([])]);
    },
  ],
  [
    'COMMAND_FAILED',
    () => {
      throw new CommandFailure('no');
    },
  ],
] as const)('an error of ours has its code: %s', async (code, work) => {
  const error = await thrownBy(work);
  expect(isHookmachineError(error)).toBe(true);
  expect(isHookmachineError(error, code)).toBe(true);
  expect(isHookmachineError(error, 'REGEX_UNDECIDED')).toBe(false);
  expect(error).toBeInstanceOf(HookmachineError);
  expect((error as HookmachineError).code).toBe(code);
});

test('an error of ours keeps its cause', async () => {
  const error = await thrownBy(() => recordTrust('/dev/null/trust.json', '/p', undefined));
  expect((error as HookmachineError).cause).toMatchObject({ syscall: 'mkdir' });
});

test.each([
  ['an error', new Error('a'), true],
  ['an error of another realm', runInNewContext('new TypeError("a")'), true],
  ['the reason of an abort', AbortSignal.abort().reason, true],
  ['a text', 'a', false],
  [
    'something that looks like an error',
    { name: 'Error', message: 'a', code: 'MODEL_ERROR' },
    false,
  ],
  ['nothing', undefined, false],
  ['null', null, false],
  [
    'a revoked proxy',
    (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
    false,
  ],
])('isError says correctly whether %s is an error', (_, thrown, expected) => {
  expect(isError(thrown)).toBe(expected);
  expect(isHookmachineError(thrown)).toBe(false);
});

test('no code uses instanceof, since two copies of the package have two of each class', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const found = ['src', 'machines'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        readFileSync(`${root}${folder}/${file}`, 'utf8')
          .split('\n')
          .filter((line) => /\binstanceof\b/.test(line) && !/^\s*(?:\/\*|\*|\/\/)/.test(line))
          .map((line) => `${folder}/${file}: ${line.trim()}`),
      ),
  );
  expect(found).toEqual([]);
});
