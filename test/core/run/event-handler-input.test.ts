import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookEventNames, type HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import { inParallel, someFields, startSession } from '../../support/session.ts';

/** Returns what a hook of this event reads on its stdin. */
async function received<Event extends HookEventName>(event: Event, fields: HookEventFields[Event]) {
  const session = await startSession({ [event]: inParallel('cat > input') }, { sessionId: 's-1' });
  await session.fire(event, fields);
  const text = readFileSync(join(session.folder, 'input'), 'utf8');
  return { text, input: JSON.parse(text) as Record<string, unknown>, folder: session.folder };
}

test.each(hookEventNames)(
  "hooks at %s receive the five base fields and the event's own (HOOK-015, HOOK-026, HOOK-062, HOOK-215, I13)",
  async (event) => {
    const { input, folder } = await received(event, someFields[event]);
    expect(input).toEqual({
      ...someFields[event],
      session_id: 's-1',
      transcript_path: '',
      cwd: folder,
      hook_event_name: event,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  },
);

test('the base fields are ours, whatever the caller gives (C-95)', async () => {
  const { input, folder } = await received('BeforeTool', {
    ...someFields.BeforeTool,
    cwd: '/',
    session_id: 'other',
    hook_event_name: 'AfterTool',
  } as HookEventFields['BeforeTool']);
  expect(input).toMatchObject({ cwd: folder, session_id: 's-1', hook_event_name: 'BeforeTool' });
});

test('megabytes of input, all of Unicode and NUL arrive intact (T6, C-36)', async () => {
  const content = `${'äöü 漢字 🦊 \u0000 \u2028 \\ " \u{10FFFF} '.repeat(60_000)}end`;
  const { input, text } = await received('BeforeTool', {
    tool_name: 'write_file',
    tool_input: { content, lone: '\uD800' },
  });
  expect(text.length).toBeGreaterThan(1_500_000);
  expect(input['tool_input']).toEqual({ content, lone: '\uD800' });
});

test('hooks side by side read the same input (G-05)', async () => {
  const session = await startSession({ BeforeTool: inParallel('cat > one', 'cat > two') });
  await session.fire('BeforeTool', someFields.BeforeTool);
  const [one, two] = ['one', 'two'].map((name) => readFileSync(join(session.folder, name), 'utf8'));
  expect(one).toBe(two);
});

const ask = async <Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
  filter: string,
) => {
  const session = await startSession({ [event]: inParallel(`jq -r '${filter}' > found`) });
  await session.fire(event, fields);
  return readFileSync(join(session.folder, 'found'), 'utf8').trimEnd();
};

const call = (tool_input: Record<string, unknown>) => ({ tool_name: 'some_tool', tool_input });

describe('jq finds what the documents promise (T7)', () => {
  const path = '.tool_input.file_path // .tool_input.absolute_path // .tool_input.path // empty';

  test('jq finds the documented fields of a tool call', async () => {
    expect(await ask('BeforeTool', call({}), '.tool_name')).toBe('some_tool');
    expect(await ask('BeforeTool', call({ absolute_path: '/a' }), path)).toBe('/a');
    expect(await ask('BeforeTool', call({ path: '/b' }), path)).toBe('/b');
    expect(await ask('BeforeTool', call({ command: 'ls -l' }), '.tool_input.command')).toBe(
      'ls -l',
    );
  });

  test('jq finds the documented fields of a tool result', async () => {
    const filter = '.tool_response.error == null';
    expect(await ask('AfterTool', someFields.AfterTool, filter)).toBe('true');
    const failed = { ...someFields.AfterTool, tool_response: { error: { message: 'no' } } };
    expect(await ask('AfterTool', failed, filter)).toBe('false');
  });

  test('jq finds the documented fields of a model call', async () => {
    const fields = {
      llm_request: {
        model: 'some-model',
        messages: [
          { role: 'user', content: 'one' },
          { role: 'model', content: 'two' },
          { role: 'user', content: 'three' },
        ],
      },
    } as const;
    expect(await ask('BeforeModel', fields, '.llm_request.model')).toBe('some-model');
    expect(await ask('BeforeModel', fields, '.llm_request.messages | length')).toBe('3');
    expect(
      await ask(
        'BeforeModel',
        fields,
        '[.llm_request.messages[] | select(.role == "user")] | last | .content',
      ),
    ).toBe('three');
    expect(await ask('AfterModel', someFields.AfterModel, '.llm_response.text')).toBe('Hello');
    expect(
      await ask('AfterModel', someFields.AfterModel, '.llm_response.candidates[0].finishReason'),
    ).toBe('STOP');
  });
});
