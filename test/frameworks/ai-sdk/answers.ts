import { expect, test, vi } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { deny, done, resultsIn, wantsWrite, type Suite } from './agent.ts';

const redact = print({
  hookSpecificOutput: {
    llm_response: { candidates: [{ content: { role: 'model', parts: ['It is hidden.'] } }] },
  },
});

const select = (toolConfig: object): object => ({
  BeforeToolSelection: [group(print({ hookSpecificOutput: { toolConfig } }))],
});
const tools = { read: () => 'read', write: () => 'written' };

/** What hooks do to requests and answers. */
export function answers({ version, mode, agent }: Suite): void {
  test('the model is asked with the settings and messages that hooks left', async () => {
    const change = `jq -c '{hookSpecificOutput: {llm_request: {config: {temperature: 0}, messages: [.llm_request.messages[] | if .content == "Go" then .content = "Go slowly" else . end]}}}'`;
    const made = await agent({
      hooks: { BeforeModel: [group(change)] },
      answers: [wantsWrite, done],
      tools: { write: () => 'written' },
    });
    await made.run('Go', { system: 'You are terse.', temperature: 1 });
    for (const { prompt, temperature } of made.asked()) {
      expect(temperature).toBe(0);
      expect(prompt[0]).toMatchObject({ role: 'system', content: 'You are terse.' });
      expect(prompt[1]).toMatchObject({ role: 'user', content: [{ text: 'Go slowly' }] });
    }
    const [, second] = made.asked();
    expect(second!.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(resultsIn(second!)).toEqual([{ type: 'text', value: 'written' }]);
  });

  test('a hook answers in place of the model', async () => {
    const answer = {
      decision: 'block',
      hookSpecificOutput: {
        llm_response: { candidates: [{ content: { role: 'model', parts: ['From a hook.'] } }] },
      },
    };
    const made = await agent({ hooks: { BeforeModel: [group(print(answer))] }, answers: [] });
    const { text, finishReason } = await made.run('Go');
    expect([text, finishReason]).toEqual(['From a hook.', 'stop']);
    expect(made.asked()).toEqual([]);
  });

  test('the answer is the reason if a hook blocks the model and has no answer', async () => {
    const made = await agent({
      hooks: { BeforeModel: [group(deny('not today'))] },
      answers: [],
    });
    expect((await made.run('Go')).text).toBe('not today');
    expect(made.blocked).toEqual([{ reason: 'not today' }]);
  });

  test('no piece of an answer that a hook redacted is shown', async () => {
    const write = vi.fn((_input: object) => 'written');
    const secret = { type: 'raw', rawValue: { delta: 'the secret' } };
    const { run, asked } = await agent({
      hooks: { AfterModel: [group(redact)] },
      answers: [
        { text: 'This is the secret.', calls: [['c1', 'write', {}]], streamed: [secret] },
        { text: 'And again the secret.', streamed: [secret] },
      ],
      tools: { write },
    });
    const { text, parts, messages, steps } = await run('Go', { includeRawChunks: true });
    expect(text).toBe('It is hidden.');
    expect(steps[0]!.text).toBe('It is hidden.');
    expect(write).toHaveBeenCalledOnce();
    expect(JSON.stringify([parts, messages, asked()[1]!.prompt])).not.toContain('secret');
  });

  test('text is shown as it arrives if there is no AfterModel hook', async () => {
    if (mode === 'generated') return;
    const { run } = await agent({
      hooks: { BeforeTool: [group('true')] },
      answers: [wantsWrite, { text: 'One two three.' }],
      tools: { write: () => 'written' },
    });
    const { parts } = await run('Go');
    const deltas = parts.filter(({ type }) => type === 'text-delta');
    expect(deltas.map(({ text, delta }) => text ?? delta)).toEqual([
      'I ',
      'write.',
      'One ',
      'two ',
      'three.',
    ]);
  });

  test('the model is offered the tools that a hook left, and the others are refused', async () => {
    const write = vi.fn();
    const { run, asked } = await agent({
      hooks: select({ mode: 'ANY', allowedFunctionNames: ['read'] }),
      answers: [wantsWrite, done],
      tools: { ...tools, write },
    });
    await run('Go');
    expect(asked()[0]!.tools!.map(({ name }) => name)).toEqual(['read']);
    expect(asked()[0]!.toolChoice).toEqual({ type: 'required' });
    expect(write).not.toHaveBeenCalled();
    expect(JSON.stringify(resultsIn(asked()[1]!))).toContain('may be called now');
  });

  test('the model is offered no tool if a hook says NONE', async () => {
    const { run, asked } = await agent({
      hooks: select({ mode: 'NONE' }),
      answers: [done],
      tools,
    });
    await run('Go');
    expect(asked()[0]!.tools).toBeUndefined();
    expect(asked()[0]!.toolChoice).toBeUndefined();
  });

  test.each(['', '^other$'])(
    'one warning names a tool that the provider runs, if hooks match "%s"',
    async (matcher) => {
      const search = {
        type: 'tool-call',
        toolCallId: 's1',
        toolName: 'web_search',
        input: '{}',
        providerExecuted: true,
        ...(version > 5 && { dynamic: true }),
      };
      const found = {
        type: 'tool-result',
        toolCallId: 's1',
        toolName: 'web_search',
        result: { found: 1 },
        providerExecuted: true,
        ...(version > 5 && { dynamic: true }),
      };
      const { run, warnings } = await agent({
        hooks: { BeforeTool: [group('true', {}, matcher)] },
        answers: () => ({ text: 'Found.', more: [search, found] }),
        tools: { web_search: {} },
      });
      await run('Go').catch(() => undefined);
      await run('Go').catch(() => undefined);
      expect(warnings.filter((line) => line.includes('web_search'))).toHaveLength(1);
    },
  );
}
