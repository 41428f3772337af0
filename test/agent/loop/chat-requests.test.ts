import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everything, last, shown, startChat } from '../../support/chat.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

describe('messages of hooks for the model', () => {
  test('an injected message stays in its request, so that they do not pile up (G-11, recipe 9)', async () => {
    const inject = `jq -c '{hookSpecificOutput: {llm_request: (.llm_request | .messages = [{role: "system", content: "On branch main."}] + .messages)}}'`;
    const { run, chat, model } = await startChat(
      [saying(wanting('write', { path: 'a' })), 'One', 'Two'],
      { hooks: { BeforeModel: inParallel(inject) }, tools: [someTool('write')] },
    );
    await run('A');
    await run('B');
    expect(model.requests.length).toBe(3);
    for (const request of model.requests)
      expect(everything(request).split('On branch main.').length).toBe(2);
    expect(everything(chat.history)).not.toContain('On branch');
    expect(everything(model.requests[1]?.contents)).toContain('functionResponse');
  });

  test('a BeforeModel message goes with this request, an AfterModel message only with the next (HOOK-159, C-61)', async () => {
    const { run, chat, model } = await startChat(['One', 'Two', 'Three'], {
      hooks: {
        BeforeModel: inParallel('test -e spoken || { touch spoken; echo "Now."; }'),
        AfterModel: inParallel('test -e after || { touch after; echo "Next."; }'),
      },
    });
    const events = [...(await run()), ...(await run()), ...(await run())];
    const instructions = model.requests.map(({ config }) => config?.systemInstruction);
    expect(instructions).toEqual(['Now.', 'Next.', undefined]);
    expect(everything(chat.history)).not.toMatch(/Now\.|Next\./);
    expect(shown(events)).toBe('OneTwoThree');
  });

  test('a message for the model is not lost when a call fails or is blocked', async () => {
    let tries = 0;
    const { run, model } = await startChat(
      [
        'One',
        () => {
          if (++tries === 1) throw new Error('down');
          return saying('Three');
        },
      ],
      {
        hooks: {
          AfterModel: inParallel('test -e after || { touch after; echo "Next."; }'),
          BeforeModel: inParallel(
            `n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >n; test $n != 2 || ${print({ decision: 'block', systemMessage: 'Blocked.' })}`,
          ),
        },
      },
    );
    for (const prompt of ['A', 'fails', 'is blocked', 'B', 'C']) await run(prompt);
    expect(model.requests.map(({ config }) => config?.systemInstruction)).toEqual([
      undefined,
      'Next.',
      'Next.\n\nBlocked.',
      undefined,
    ]);
  });

  test('a message about a tool is in its result (HOOK-027, 030)', async () => {
    const { run, chat } = await startChat([saying(wanting('write', { path: 'a' })), 'Done.'], {
      hooks: { AfterTool: inParallel('echo Careful.') },
      tools: [someTool('write')],
    });
    await run();
    expect(chat.history[2]?.parts?.[0]?.functionResponse?.response).toEqual({
      output: 'wrote a\n\n[System] Careful.',
    });
  });
});

/** A hook that adds a message after the others. */
const addMessage = `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages + [{role: "user", content: "Added"}])}}}'`;

const setTemperature = (temperature: number) =>
  print({ hookSpecificOutput: { llm_request: { config: { temperature } } } });

/** A turn with these BeforeModel hooks, and the request that was sent. */
const sent = async (hooks: ReturnType<typeof inParallel>) => {
  const chat = await startChat(['Hello'], { hooks: { BeforeModel: hooks } });
  await chat.run();
  return { ...chat, request: chat.model.requests[0]! };
};

describe('several hooks on a request', () => {
  test.each([
    ['in sequence (UB1)', inSequence],
    ['in parallel (UB2)', inParallel],
  ])('the changes of all hooks count, %s', async (_, arrange) => {
    const { request, chat } = await sent(arrange(addMessage, setTemperature(0.1)));
    expect(everything(request.contents)).toContain('Added');
    expect(request.config?.temperature).toBe(0.1);
    expect(everything(chat.history)).not.toContain('Added');
  });

  test('if several hooks set the same field, the last one wins (U1)', async () => {
    const { request } = await sent(inParallel(setTemperature(0), setTemperature(1)));
    expect(request.config?.temperature).toBe(1);
  });

  test('in a sequence, a cost control sees the request as the hook before it enlarged it (U3)', async () => {
    const { folder } = await sent(
      inSequence(addMessage, 'jq ".llm_request.messages | length" >count.txt'),
    );
    expect(readFileSync(join(folder, 'count.txt'), 'utf8').trim()).toBe('2');
  });

  test('in a sequence, no hook runs after one that blocks (U3)', async () => {
    const { folder, run } = await startChat(['Hello'], {
      hooks: { BeforeModel: inSequence('exit 2', 'touch second-ran') },
    });
    await run();
    expect(existsSync(join(folder, 'second-ran'))).toBe(false);
  });

  test('in a sequence, a hook can limit what another added (recipe 17)', async () => {
    const inject = `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages + [{role: "system", content: "Injected"}])}}}'`;
    const limit = `jq -c '.llm_request.messages as $m | if ($m | length) > 4 then {hookSpecificOutput: {llm_request: {messages: ([$m[0]] + $m[-3:])}}} else {} end'`;
    const chat = await startChat(['One', 'Two', 'Three'], {
      hooks: { BeforeModel: inSequence(inject, limit) },
    });
    for (const prompt of ['A', 'B', 'C']) await chat.run(prompt);
    const texts = chat.model.requests.map(({ contents }) =>
      (contents as { parts: { text: string }[] }[]).map(({ parts }) => parts[0]?.text),
    );
    expect(texts).toEqual([['A'], ['A', 'One', 'B'], ['A', 'Two', 'C']]);
    for (const { config } of chat.model.requests)
      expect(config?.systemInstruction).toContain('Injected');
    expect(chat.chat.history.length).toBe(6);
  });
});

test('an answer can come from a cache: the second time, the model is not called and AfterModel does not fire (recipe 12)', async () => {
  const hash = `key=$(printf '%s' "$input" | jq -c .llm_request.messages | sha256sum | cut -c1-16)`;
  const lookUp = `input=$(cat); ${hash}; if [ -e "cache-$key" ]; then jq -c '{decision: "block", reason: "cached", hookSpecificOutput: {llm_response: .}}' "cache-$key"; else echo '{}'; fi`;
  const keep = `input=$(cat); ${hash}; printf '%s' "$input" | jq -c .llm_response >"cache-$key"; echo ran >>after.txt; echo '{}'`;
  const hooks = { BeforeModel: inParallel(lookUp), AfterModel: inParallel(keep) };
  const first = await startChat(['From the model'], { hooks });
  expect(shown(await first.run('What?'))).toBe('From the model');
  const second = await startChat(['Not asked'], { hooks, config: { cwd: first.folder } });
  const events = await second.run('What?');
  expect(shown(events)).toBe('From the model');
  expect(last(events)).toEqual({ type: 'finalAnswer', text: 'From the model', steps: 1 });
  expect(second.model.requests).toEqual([]);
  expect(readFileSync(join(first.folder, 'after.txt'), 'utf8')).toBe('ran\n');
});
