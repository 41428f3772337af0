import { expect, test, vi } from 'vitest';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { runGenAIModelCall } from '../../../src/core/calls/genai-model-call.ts';
import { runModelCall } from '../../../src/core/calls/run-model-call.ts';
import type { GenAIRequest } from '../../../src/core/translate/genai-types.ts';
import { callModel } from '../../support/call-model.ts';
import { group, inParallel } from '../../support/session.ts';
import { saying } from '../../support/some-model.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A request that throws if anything reads it. */
const untouchable = () =>
  new Proxy({} as GenAIRequest, {
    get: (_, key) => {
      throw new Error(`${String(key)} was read`);
    },
  });

const hello = () => Promise.resolve(saying('Hello'));

test.each([
  [
    'hooks are off',
    { tools: { enableHooks: false }, hooks: { BeforeModel: inParallel('exit 2') } },
  ],
  ['no hook is configured', { tools: { enableHooks: true } }],
  [
    'only tools have hooks',
    { tools: { enableHooks: true }, hooks: { BeforeTool: inParallel('exit 2') } },
  ],
])('when %s, nothing is translated (HOOK-010, 011, C-23)', async (_, settings) => {
  const request = untouchable();
  const config = createConfig({ cwd: tempFolder(), settings });
  const model = vi.fn(hello);
  const call = { id: 'call-1', request };
  const { outcome, response, suppressOutput } = await runGenAIModelCall(config, call, model);
  expect(outcome.status).toBe('done');
  expect(outcome.request).toBe(request);
  expect(response).toEqual(saying('Hello'));
  expect(suppressOutput).toBe(false);
  expect(model).toHaveBeenCalledTimes(1);
});

type Actor = AnyActorRef & { _parent?: Actor; logic: { id?: string } };
const lineage = ({ id, logic, _parent }: Actor): string =>
  _parent ? `${lineage(_parent)} > ${id}` : (logic.id ?? id);

/** An observer that keeps the actors that it sees, each with its ancestors. */
function watcher() {
  const seen: string[] = [];
  const inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.actor') seen.push(lineage(event.actorRef as Actor));
  };
  return { seen, inspect };
}

test('an inspector sees the call, its hook events, their hooks and the processes', async () => {
  const { seen, inspect } = watcher();
  await callModel(
    {
      BeforeToolSelection: inParallel('true'),
      BeforeModel: [group(['true', 'exit 1'], { sequential: true })],
      AfterModel: inParallel('true'),
    },
    { config: { inspect } },
  );
  expect(seen).toEqual([
    'modelCall',
    'modelCall > selectionHooks',
    'modelCall > selectionHooks > hook.0',
    'modelCall > selectionHooks > hook.0 > process',
    'modelCall > beforeHooks',
    'modelCall > beforeHooks > hook.0',
    'modelCall > beforeHooks > hook.0 > process',
    'modelCall > beforeHooks > hook.1',
    'modelCall > beforeHooks > hook.1 > process',
    'modelCall > model',
    'modelCall > afterHooks',
    'modelCall > afterHooks > hook.0',
    'modelCall > afterHooks > hook.0 > process',
  ]);
});

test('an inspector also sees a call without hooks', async () => {
  const { seen, inspect } = watcher();
  const { response } = await callModel({}, { config: { inspect } });
  expect(seen).toEqual(['modelCall', 'modelCall > model']);
  expect(response).toEqual(saying('Hello'));
});

const broken = (): void => {
  throw new Error('a broken watcher');
};

test('an inspector that throws changes nothing', async () => {
  const { outcome, sent } = await callModel(
    { BeforeModel: inParallel('exit 2') },
    { config: { inspect: broken } },
  );
  expect(outcome.status).toBe('blocked');
  expect(sent).toEqual([]);
});

test('a model call asks once for its hooks, so that none runs for which it was not translated', async () => {
  const config = createConfig({ cwd: tempFolder(), settings: { tools: { enableHooks: true } } });
  await config.getHookSystem()!.initialize();
  const asked = vi.spyOn(config, 'getHookSystem');
  const request = { model: 'm', messages: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }] };
  const { response } = await runModelCall(config, request, async () => ({ parts: [] }));
  expect(response).toEqual({ parts: [] });
  expect(asked).toHaveBeenCalledTimes(1);
});
