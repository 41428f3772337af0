import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEventHandler } from '../../../src/core/run/hook-event-handler.ts';
import type { AggregatedHookResult } from '../../../src/core/answers/results.ts';
import { hookEventNames, type LifecycleEvent } from '../../../src/core/protocol/events.ts';
import { inParallel, someFields, startSession } from '../../support/session.ts';

const { BeforeTool, AfterTool, BeforeModel, AfterModel, AfterAgent } = someFields;

const methods: Readonly<
  Record<
    LifecycleEvent,
    (handler: HookEventHandler, signal?: AbortSignal) => Promise<AggregatedHookResult>
  >
> = {
  BeforeTool: (handler, signal) =>
    handler.fireBeforeToolEvent(BeforeTool.tool_name, BeforeTool.tool_input, { signal }),
  AfterTool: (handler, signal) =>
    handler.fireAfterToolEvent(AfterTool.tool_name, AfterTool.tool_input, AfterTool.tool_response, {
      signal,
    }),
  BeforeAgent: (handler, signal) => handler.fireBeforeAgentEvent('Hi', { signal }),
  AfterAgent: (handler, signal) =>
    handler.fireAfterAgentEvent(AfterAgent.prompt, AfterAgent.prompt_response, false, { signal }),
  BeforeModel: (handler, signal) =>
    handler.fireBeforeModelEvent(BeforeModel.llm_request, { signal }),
  AfterModel: (handler, signal) =>
    handler.fireAfterModelEvent(AfterModel.llm_request, AfterModel.llm_response, { signal }),
  BeforeToolSelection: (handler, signal) =>
    handler.fireBeforeToolSelectionEvent(someFields.BeforeToolSelection.llm_request, { signal }),
  SessionStart: (handler, signal) =>
    handler.fireSessionStartEvent({ source: 'startup' }, { signal }),
  SessionEnd: (handler, signal) => handler.fireSessionEndEvent({ reason: 'exit' }, { signal }),
  PreCompress: (handler, signal) => handler.firePreCompressEvent({ trigger: 'manual' }, { signal }),
  Notification: (handler, signal) =>
    handler.fireNotificationEvent(someFields.Notification, { signal }),
};

describe.each(hookEventNames)('%s has its own method (DELTA-HPAY-006, HOOK-143)', (event) => {
  test("the event's fire method gives the hooks its fields and returns the aggregated result (C-92)", async () => {
    const { config, folder } = await startSession({ [event]: inParallel('cat > input; exit 2') });
    const result = await methods[event](config.getHookSystem()!.getEventHandler());
    expect(JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))).toMatchObject({
      ...someFields[event],
      hook_event_name: event,
    });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(result.allOutputs).toHaveLength(1);
  });

  test("the event's fire method can be cancelled", async () => {
    const { config } = await startSession({ [event]: inParallel('exit 2') });
    const handler = config.getHookSystem()!.getEventHandler();
    expect((await methods[event](handler, AbortSignal.abort())).plan).toBeNull();
  });
});

test('an AfterAgent hook is told if it has already sent the agent on (G-16)', async () => {
  const { config } = await startSession({
    AfterAgent: inParallel(`jq -c '{reason: (.stop_hook_active | tostring)}'`),
  });
  const handler = config.getHookSystem()!.getEventHandler();
  const said = [
    await handler.fireAfterAgentEvent('p', 'r'),
    await handler.fireAfterAgentEvent('p', 'r', true),
  ];
  expect(said.map(({ finalOutput }) => finalOutput?.reason)).toEqual(['false', 'true']);
});
