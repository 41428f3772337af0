import { readFileSync } from 'node:fs';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createAgent, createMiddleware, providerStrategy, toolStrategy } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hooksMiddleware } from '../../../../src/entries/langchain.ts';
import {
  prints,
  projectWith,
  run,
  say,
  ScriptedChat,
  toldTo,
  ways,
  write,
  writeTool,
} from './kit.ts';

const textsIn = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text);

const answering = (text: string) =>
  prints({
    hookSpecificOutput: {
      llm_response: { candidates: [{ content: { role: 'model', parts: [text] } }] },
    },
  });

describe.each(ways)('a model call of an agent of LangChain, by %s', (how) => {
  test('a model call sends what a hook made of it, with the tool calls of its history and the system message', async () => {
    const model = new ScriptedChat([
      { text: 'I look.', calls: [write('a.txt')] },
      { text: 'Done.' },
    ]);
    const cwd = projectWith({
      BeforeModel: `
case "$input" in *Done*) exit 0;; esac
printf '%s' "$input" | node -e '
  const { llm_request } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const messages = llm_request.messages.map((m) => ({ ...m, content: m.content.replace("Jane", "[name]") }));
  console.log(JSON.stringify({ systemMessage: "Be brief.", hookSpecificOutput: { llm_request: { messages, config: { temperature: 0 } } } }));'`,
    });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      systemPrompt: 'You are kind.',
      middleware: [hooksMiddleware({ cwd })],
    });
    const { messages } = await run(agent, how, say('Write to Jane.'));
    const [first, second] = model.asked;
    expect(textsIn(first!.messages)).toEqual(['You are kind.Be brief.', 'Write to [name].']);
    expect(first!.options['temperature']).toBe(0);
    expect(second!.messages.map(({ type }) => type)).toEqual(['system', 'human', 'ai', 'tool']);
    expect((second!.messages[2] as AIMessage).tool_calls?.[0]?.id).toBe('call_1');
    expect(messages[0]?.text).toBe('Write to Jane.');
    expect(toldTo(cwd, 'BeforeModel')[0]).toMatchObject({
      llm_request: { model: 'scripted', messages: [{ role: 'user', content: 'Write to Jane.' }] },
    });
  });

  test('a hook answers a model call, or denies it without an answer', async () => {
    for (const [script, last] of [
      [
        answering('From the hook.').replace(
          '"hookSpecificOutput"',
          '"decision":"deny","hookSpecificOutput"',
        ),
        'From the hook.',
      ],
      ['echo not now >&2; exit 2', 'not now'],
    ] as const) {
      const model = new ScriptedChat([]);
      const agent = createAgent({
        model,
        tools: [writeTool([])],
        middleware: [hooksMiddleware({ cwd: projectWith({ BeforeModel: script }) })],
      });
      expect((await run(agent, how, say('Hi'))).last).toBe(last);
      expect(model.asked).toEqual([]);
    }
  });

  test('an answer is redacted before any piece of it is shown, and keeps its tool calls', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { text: 'The key is hunter2.', calls: [write('a.txt')] },
      { text: 'It was hunter2.' },
    ]);
    const cwd = projectWith({ AfterModel: answering('The key is ***.') });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [hooksMiddleware({ cwd })],
    });
    const { shown, last, messages, pieces } = await run(agent, how, say('What is the key?'));
    expect(shown).not.toContain('hunter');
    expect(pieces.join('|')).not.toMatch(/hunt|er2/);
    expect(ran).toHaveLength(1);
    expect(messages[1]?.text).toBe('The key is ***.');
    expect(last).toBe('The key is ***.');
    expect(textsIn(model.asked[1]!.messages).join()).not.toContain('hunter');
  });

  test('a redacted answer is hidden in every other way that LangChain has to watch it', async () => {
    const model = new ScriptedChat(() => ({ text: 'The key is hunter2.' }));
    const cwd = projectWith({ AfterModel: answering('***') });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    const seen: unknown[] = [];
    for await (const event of agent.streamEvents(say('Hi'), { version: 'v2' })) seen.push(event);
    const heard = {
      handleLLMNewToken: (token: string) => void seen.push(token),
      handleLLMEnd: (output: unknown) => void seen.push(output),
    };
    await agent.invoke(say('Hi'), { callbacks: [heard] });
    expect(seen.length).toBeGreaterThan(3);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  test('text is shown as it arrives if there is no AfterModel hook', async () => {
    const model = new ScriptedChat([{ text: 'One two three four.' }]);
    const cwd = projectWith({ BeforeTool: 'exit 0', BeforeModel: 'exit 0' });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    const { pieces, last } = await run(agent, how, say('Count.'));
    expect(last).toBe('One two three four.');
    if (how === 'stream') expect(pieces).toEqual(['One tw', 'o thre', 'e four', '.']);
  });

  test('the model is offered the tools that hooks leave, or none if they want none, and any other one is refused', async () => {
    const seen: unknown[] = [];
    const ran: unknown[] = [];
    for (const config of [{ mode: 'ANY', allowedFunctionNames: ['read'] }, { mode: 'NONE' }]) {
      const model = new ScriptedChat((messages) =>
        messages.at(-1)?.type === 'tool'
          ? { text: messages.at(-1)!.text }
          : { calls: [write('a.txt')] },
      );
      const cwd = projectWith({
        BeforeToolSelection: prints({ hookSpecificOutput: { toolConfig: config } }),
      });
      const read = Object.assign(writeTool(ran), { name: 'read' });
      const agent = createAgent({
        model,
        tools: [writeTool(ran), read],
        middleware: [hooksMiddleware({ cwd })],
      });
      const { last } = await run(agent, how, say('Write.'));
      const { tools, tool_choice: choice } = model.asked[0]!.options;
      seen.push([(tools as { name: string }[]).map(({ name }) => name), choice]);
      expect(last).toContain('was not run');
    }
    expect(ran).toEqual([]);
    expect(seen).toEqual([
      [['read'], 'required'],
      [[], undefined],
    ]);
  });

  test('a hook stops the run before or after a model call', async () => {
    for (const event of ['BeforeModel', 'AfterModel']) {
      const ran: unknown[] = [];
      const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
      const cwd = projectWith({ [event]: prints({ continue: false, stopReason: 'enough' }) });
      const agent = createAgent({
        model,
        tools: [writeTool(ran)],
        middleware: [hooksMiddleware({ cwd })],
      });
      const { last, messages } = await run(agent, how, say('Write.'));
      expect([last, messages.length, ran]).toEqual(['enough', 2, []]);
    }
  });

  test('a model call that fails throws as without hooks, and its turn begins once if another middleware tries again', async () => {
    const model = new ScriptedChat([{ error: new Error('no network') }, { text: 'Done.' }]);
    const cwd = projectWith({ BeforeAgent: 'exit 0', AfterModel: 'exit 0' });
    const again = createMiddleware({
      name: 'again',
      wrapModelCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch {
          return handler(request);
        }
      },
    });
    const guarded = hooksMiddleware({ cwd });
    const agent = createAgent({ model, tools: [writeTool([])], middleware: [guarded, again] });
    expect((await run(agent, how, say('Hi'))).last).toBe('Done.');
    expect(toldTo(cwd, 'BeforeAgent')).toHaveLength(1);
    expect(toldTo(cwd, 'AfterModel')).toHaveLength(1);
    const failing = new ScriptedChat([{ error: new Error('no network') }]);
    const alone = createAgent({
      model: failing,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    await expect(run(alone, how, say('Hi'))).rejects.toThrow('no network');
  });

  test('the answer of a model that another middleware substituted is changed too', async () => {
    const other = new ScriptedChat([{ text: 'The key is hunter2.' }]);
    const swap = createMiddleware({
      name: 'swap',
      wrapModelCall: (request, handler) => handler({ ...request, model: other }),
    });
    const cwd = projectWith({ AfterModel: answering('***') });
    const agent = createAgent({
      model: new ScriptedChat([]),
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd }), swap],
    });
    expect((await run(agent, how, say('Hi'))).last).toBe('***');
  });

  test('a model call that another middleware answers with a command continues as the command says', async () => {
    const commands = createMiddleware({
      name: 'commands',
      wrapModelCall: async () => new Command({ update: { messages: [new AIMessage('As said.')] } }),
    });
    for (const cwd of [
      projectWith({ AfterModel: 'exit 0' }),
      projectWith({ BeforeTool: 'exit 2' }, { BeforeTool: 'other' }),
    ]) {
      const guarded = hooksMiddleware({ cwd });
      const agent = createAgent({
        model: new ScriptedChat([]),
        tools: [writeTool([])],
        middleware: [guarded, commands],
      });
      expect((await run(agent, how, say('Hi'))).last).toBe('As said.');
    }
  });

  test('one warning names the tools that the provider ran in a model call that hooks leave alone', async () => {
    const warnings: string[] = [];
    const searched = createMiddleware({
      name: 'searched',
      wrapModelCall: async () =>
        new AIMessage({
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'text', text: 'Found.' },
          ],
        }),
    });
    const guarded = hooksMiddleware({
      cwd: projectWith({ BeforeTool: 'exit 2' }, { BeforeTool: 'other' }),
      onWarning: (line) => warnings.push(line),
    });
    const agent = createAgent({
      model: new ScriptedChat([]),
      tools: [writeTool([])],
      middleware: [guarded, searched],
    });
    for (let runs = 0; runs < 2; runs++) await run(agent, how, say('Hi'));
    expect(warnings).toEqual([
      expect.stringContaining('the tool web_search is run by the provider'),
    ]);
  });

  test('a model call returns its structured output, and no hook runs on the call that represents it', async () => {
    const schema = z.object({ city: z.string() });
    const cwd = projectWith({ BeforeTool: 'exit 2', AfterModel: 'exit 0' });
    const strategy = toolStrategy(schema);
    const name = (strategy as unknown as { name: string }[])[0]?.name ?? 'extract-1';
    const named = new ScriptedChat(() => ({
      calls: [{ id: 'call_9', name, args: { city: 'Rome' } }],
    }));
    const agent = createAgent({
      model: named,
      tools: [writeTool([])],
      responseFormat: strategy,
      middleware: [hooksMiddleware({ cwd })],
    });
    expect((await run(agent, how, say('Where?'))).state['structuredResponse']).toEqual({
      city: 'Rome',
    });
    expect(toldTo(cwd, 'BeforeTool')).toEqual([]);
    const native = createAgent({
      model: new ScriptedChat([{ text: '{"city":"Rome"}' }]),
      tools: [writeTool([])],
      responseFormat: providerStrategy(schema),
      middleware: [
        hooksMiddleware({ cwd: projectWith({ AfterModel: answering('Not for you.') }) }),
      ],
    });
    const redacted = await run(native, how, say('Where?'));
    expect(redacted.last).toBe('Not for you.');
    expect(redacted.state['structuredResponse']).toBeUndefined();
  });
});

describe.each(ways)('the turns of an agent of LangChain, by %s', (how) => {
  const events = [
    'SessionStart',
    'BeforeAgent',
    'BeforeModel',
    'AfterModel',
    'BeforeTool',
    'AfterTool',
    'AfterAgent',
    'SessionEnd',
  ];

  test('a turn fires its events in order, once each, with one session id', async () => {
    const model = new ScriptedChat((messages) =>
      messages.at(-1)?.type === 'tool' ? { text: 'Done.' } : { calls: [write('a.txt')] },
    );
    const cwd = projectWith(
      Object.fromEntries(events.map((event) => [event, `echo ${event} >> all.log`])),
    );
    const guarded = hooksMiddleware({ cwd, sessionId: 'session-1' });
    const agent = createAgent({ model, tools: [writeTool([])], middleware: [guarded] });
    const first = await run(agent, how, say('Write.'));
    await run(agent, how, { messages: [...first.messages, new HumanMessage('Again.')] });
    await guarded.end();
    const turn = [
      'BeforeAgent',
      'BeforeModel',
      'AfterModel',
      'BeforeTool',
      'AfterTool',
      'BeforeModel',
      'AfterModel',
      'AfterAgent',
    ];
    expect(readFileSync(`${cwd}/all.log`, 'utf8').trim().split('\n')).toEqual([
      'SessionStart',
      ...turn,
      ...turn,
      'SessionEnd',
    ]);
    const ids = events.flatMap((event) => toldTo(cwd, event).map(({ session_id }) => session_id));
    expect(new Set(ids)).toEqual(new Set(['session-1']));
    expect(toldTo(cwd, 'AfterAgent')[0]).toMatchObject({
      prompt: 'Write.',
      prompt_response: 'Done.',
    });
  });

  test('a turn has the context of its prompt in every request, and none of it in the history', async () => {
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const cwd = projectWith({
      BeforeAgent: prints({ hookSpecificOutput: { additionalContext: 'It is Monday.' } }),
    });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    const { messages } = await run(agent, how, say('Write.'));
    expect(model.asked.map(({ messages: [prompt] }) => prompt?.text)).toEqual([
      'Write.\n\nIt is Monday.',
      'Write.\n\nIt is Monday.',
    ]);
    expect(messages[0]?.text).toBe('Write.');
  });

  test('a turn does not begin if a hook denies the prompt', async () => {
    const model = new ScriptedChat([]);
    const cwd = projectWith({ BeforeAgent: 'echo not today >&2; exit 2' });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    expect((await run(agent, how, say('Hi'))).last).toBe('not today');
    expect(model.asked).toEqual([]);
  });

  test('a turn continues if a hook wants it, up to maxRejections times', async () => {
    const warnings: string[] = [];
    const model = new ScriptedChat(() => ({ text: 'Done.' }));
    const cwd = projectWith({
      AfterAgent: prints({ decision: 'block', reason: 'Run the tests.' }),
    });
    const guarded = hooksMiddleware({
      cwd,
      maxRejections: 2,
      onWarning: (line) => void warnings.push(line),
    });
    const agent = createAgent({ model, tools: [writeTool([])], middleware: [guarded] });
    expect((await run(agent, how, say('Hi'))).last).toBe('Done.');
    expect(model.asked.map(({ messages }) => textsIn(messages))).toEqual([
      ['Hi'],
      ['Hi', 'Done.', 'Run the tests.'],
      ['Hi', 'Done.', 'Run the tests.', 'Done.', 'Run the tests.'],
    ]);
    expect(warnings.join()).toContain('more than 2 times');
  });
});
