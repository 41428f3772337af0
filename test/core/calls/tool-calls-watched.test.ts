import { expect, test } from 'vitest';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { callTool, someInput, written } from '../../support/call-tool.ts';
import { group, inParallel } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** An observer that keeps the actors that it sees, each with its ancestors. */
function watcher() {
  const seen: string[] = [];
  const inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.actor') seen.push(lineage(event.actorRef as Actor));
  };
  return { seen, inspect };
}

type Actor = AnyActorRef & { _parent?: Actor; logic: { id?: string } };

const lineage = ({ id, logic, _parent }: Actor): string =>
  _parent ? `${lineage(_parent)} > ${id}` : (logic.id ?? id);

test('an inspector sees the call, its hook events, their hooks and the processes', async () => {
  const { seen, inspect } = watcher();
  await callTool(
    {
      BeforeTool: [group(['true', 'exit 1'])],
      AfterTool: [group(['true'], { sequential: true })],
    },
    { config: { inspect } },
  );
  expect(seen).toEqual([
    'toolCall',
    'toolCall > beforeHooks',
    'toolCall > beforeHooks > hook.0',
    'toolCall > beforeHooks > hook.0 > process',
    'toolCall > beforeHooks > hook.1',
    'toolCall > beforeHooks > hook.1 > process',
    'toolCall > tool',
    'toolCall > afterHooks',
    'toolCall > afterHooks > hook.0',
    'toolCall > afterHooks > hook.0 > process',
  ]);
});

const off = { tools: { enableHooks: false }, hooks: { BeforeTool: inParallel('exit 2') } };

test.each([
  ['without hooks', {}],
  ['with hooks off', { settings: off }],
])('an inspector also sees a call %s', async (_, options) => {
  const { seen, inspect } = watcher();
  const config = createConfig({ cwd: tempFolder(), settings: {}, ...options, inspect });
  const request = { id: 'call-1', name: 'write_file', input: someInput };
  const { toolResult } = await runToolCall(config, request, () => Promise.resolve(written));
  expect(toolResult).toEqual(written);
  expect(seen).toEqual(['toolCall', 'toolCall > tool']);
  expect(config.getHookSystem()).toBeUndefined();
});

const broken = (): void => {
  throw new Error('a broken watcher');
};

test('a denial counts even if the inspector throws', async () => {
  const { outcome, ran, toolResult } = await callTool(
    { BeforeTool: inParallel('echo no >&2; exit 2') },
    { config: { inspect: broken } },
  );
  expect(outcome.status).toBe('blocked');
  expect(ran).toEqual([]);
  expect(toolResult.llmContent).toBe('no');
});

test('an inspector can tell which call it is', async () => {
  const contexts: unknown[] = [];
  const inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.snapshot' && event.actorRef.sessionId === event.rootId)
      contexts.push((event.snapshot as unknown as { context: object }).context);
  };
  await callTool({}, { config: { inspect } });
  expect(contexts[0]).toMatchObject({ id: 'call-1', toolName: 'write_file' });
});
