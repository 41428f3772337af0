import { describe, expect, test } from 'vitest';
import { everything, kinds, last, shown, startChat } from '../../support/chat.ts';
import { inParallel, print, quoted } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

/** Redacts text that looks like a social security number, as recipe 4 does. */
const redactor = `jq -c ${quoted(
  `(.llm_response.text | gsub("[0-9]{3}-[0-9]{2}-[0-9]{4}"; "[SSN REDACTED]")) as $text
  | if $text == .llm_response.text then {} else {hookSpecificOutput: {llm_response: (.llm_response
    | .text = $text | .candidates[0].content.parts = [$text])}} end`,
)}`;
const secret = 'It is 123-45-6789 I think';
const redacted = 'It is [SSN REDACTED] I think';

describe('a response that AfterModel hooks redact (recipe 4)', () => {
  test('a redacted response is shown, kept and emitted only in redacted form', async () => {
    const { run, chat, model } = await startChat([secret, 'Bye'], {
      hooks: { AfterModel: inParallel(redactor) },
    });
    const events = await run();
    expect(kinds(events)).toEqual(['AfterModel', 'text', 'finalAnswer']);
    expect(shown(events)).toBe(redacted);
    expect(last(events)).toMatchObject({ text: redacted });
    await run('And now?');
    for (const kept of [events, chat.history, model.requests])
      expect(everything(kept)).not.toContain('123-45');
  });

  test('the live display shows the response as it streams, but keeps the redacted one (HOOK-173)', async () => {
    const { run, chat } = await startChat([secret], {
      hooks: { AfterModel: inParallel(redactor) },
      display: 'live',
    });
    const events = await run();
    expect(shown(events)).toBe(secret);
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: redacted });
    expect(chat.history[1]?.parts).toEqual([{ text: redacted }]);
  });

  test('held text does not leak when the call fails after some text', async () => {
    const { run, chat } = await startChat(
      [
        (_request, { onText }) => {
          onText?.(secret);
          throw new Error('the stream broke off');
        },
      ],
      { hooks: { AfterModel: inParallel(redactor) } },
    );
    expect(await run()).toEqual([{ type: 'error', message: 'the stream broke off' }]);
    expect(everything(chat.history)).not.toContain('123-45');
  });

  test('the whole response is shown if there is nothing to redact, or if the redactor fails (HOOK-052)', async () => {
    for (const hook of [redactor, 'exit 1']) {
      const { run } = await startChat(['Hello dear user'], {
        hooks: { AfterModel: inParallel(hook) },
      });
      expect(shown(await run())).toBe('Hello dear user');
    }
  });
});

test('a hidden response is not shown, but the agent continues with it (HOOK-049)', async () => {
  const write = someTool('write');
  const { run, chat } = await startChat(
    [saying('Hidden. ', wanting('write', { path: 'a' })), 'Hidden too.'],
    { hooks: { AfterModel: inParallel(print({ suppressOutput: true })) }, tools: [write] },
  );
  const events = await run();
  expect(shown(events)).toBe('');
  expect(last(events)).toEqual({ type: 'finalAnswer', text: '', steps: 2 });
  expect(write.runs.length).toBe(1);
  expect(everything(chat.history)).toContain('Hidden too.');
});

test('a tool call survives a hook that adds a footer to text answers (recipe 18)', async () => {
  const footer = `jq -c 'if (.llm_response.text // "") != "" then {hookSpecificOutput: {llm_response: {text: (.llm_response.text + " -- checked")}}} else {} end'`;
  const write = someTool('write');
  const { run } = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
    hooks: { AfterModel: inParallel(footer) },
    tools: [write],
  });
  expect(last(await run())).toMatchObject({ text: 'Done. -- checked' });
  expect(write.runs.length).toBe(1);
});
