import { expect, test } from 'vitest';
import { defineHook } from '../../src/entries/hook.ts';

const write = { tool_name: 'write_file', tool_input: { file_path: '.env' } };

test('a hook is called with its event and answers with its helpers', async () => {
  const hook = defineHook('BeforeTool', ({ tool_input }, { deny }) =>
    tool_input['file_path'] === '.env' ? deny('Secrets stay as they are.') : undefined,
  );
  expect(await hook(write)).toEqual({ decision: 'deny', reason: 'Secrets stay as they are.' });
  expect(await hook({ ...write, tool_input: {} })).toBeUndefined();
});

test.each([
  ['ask', { decision: 'ask', reason: 'why' }],
  ['allow', { decision: 'allow', reason: 'why' }],
  ['stop', { continue: false, stopReason: 'why' }],
  ['addContext', { hookSpecificOutput: { hookEventName: 'BeforeTool', additionalContext: 'why' } }],
] as const)(
  'the helper "%s" returns the answer that a command would print',
  async (name, answer) => {
    const hook = defineHook('BeforeTool', (_, helpers) => helpers[name]('why'));
    expect(await hook(write)).toEqual(answer);
  },
);

test('several answers are merged into one', async () => {
  const hook = defineHook('BeforeTool', async ({ tool_input }, { addContext, rewrite, allow }) => [
    allow(),
    rewrite({ ...tool_input, content: '' }),
    addContext('It was emptied.'),
  ]);
  expect(await hook(write)).toEqual({
    decision: 'allow',
    hookSpecificOutput: {
      hookEventName: 'BeforeTool',
      tool_input: { file_path: '.env', content: '' },
      additionalContext: 'It was emptied.',
    },
  });
});

test('several decisions in one answer are a failure, so that no denial gets lost', async () => {
  const hook = defineHook('BeforeTool', (_, { allow, deny }) => [deny('no'), allow()]);
  await expect(hook(write)).rejects.toThrow('several decisions');
});

test('a hook that is called for another event fails', async () => {
  const hook = defineHook('AfterAgent', () => undefined);
  const input = { prompt: '', prompt_response: '', stop_hook_active: false };
  await expect(hook({ ...input, hook_event_name: 'BeforeAgent' })).rejects.toThrow(
    'this hook is for AfterAgent, and was called for BeforeAgent; fix the settings',
  );
});

test("a hook's signal is aborted when nobody waits for it any more", async () => {
  const hook = defineHook('BeforeTool', (_, { signal, deny }) => deny(`${signal.aborted}`));
  expect(await hook(write)).toMatchObject({ reason: 'false' });
  expect(await hook(write, { signal: AbortSignal.abort() })).toMatchObject({ reason: 'true' });
});
