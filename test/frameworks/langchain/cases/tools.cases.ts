import { AIMessage, type ToolMessage } from '@langchain/core/messages';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware, tool } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hooksMiddleware } from '../../../../src/entries/langchain.ts';
import { untilWritten, isAlive } from '../../../support/until.ts';
import {
  human,
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

const resultsIn = (messages: readonly { type: string }[]) =>
  messages.filter((message): message is ToolMessage => message.type === 'tool');

/** Runs an agent, and approves whatever it asks. */
async function approving(
  agent: {
    readonly graph: {
      getState(
        config: object,
      ): Promise<{ readonly tasks: readonly { readonly interrupts: readonly unknown[] }[] }>;
    };
  },
  how: (typeof ways)[number],
) {
  const config = { configurable: { thread_id: 'one' } };
  let ran = await run(agent, how, say('Write.'), config);
  for (let asked = 0; ; asked++) {
    const { tasks } = await agent.graph.getState(config);
    if (!tasks.some(({ interrupts }) => interrupts.length > 0)) return { ...ran, asked };
    ran = await run(
      agent,
      how,
      new Command({ resume: { decisions: [{ type: 'approve' }] } }),
      config,
    );
  }
}

describe.each(ways)('a tool call of an agent of LangChain, by %s', (how) => {
  test('a tool call is the same as without the middleware if no hook matches or there is none', async () => {
    const runs = [];
    for (const middleware of [
      [],
      [hooksMiddleware({ cwd: projectWith({}) })],
      [hooksMiddleware({ cwd: projectWith({ BeforeTool: 'exit 2' }, { BeforeTool: 'other' }) })],
    ]) {
      const ran: unknown[] = [];
      const model = new ScriptedChat([
        { text: 'I write.', calls: [write('a.txt')] },
        { calls: [write('b.txt', 'x', 'call_2')] },
        { text: 'Done.' },
      ]);
      const throwing = writeTool(ran, ({ path }) => {
        if (path === 'b.txt') throw new Error('the disk is full');
        return { path };
      });
      const agent = createAgent({ model, tools: [throwing], middleware });
      const { messages, pieces } = await run(agent, how, say('Write.'));
      runs.push({ ran, pieces, messages: messages.map(({ type, content }) => [type, content]) });
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  test('a tool call is denied by JSON, while the call beside it and the next call of the same tool run', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { calls: [write('no.txt'), write('yes.txt', 'x', 'call_2')] },
      { calls: [write('more.txt', 'x', 'call_3')] },
      { text: 'Done.' },
    ]);
    const blocked: unknown[] = [];
    const cwd = projectWith({
      BeforeTool: `case "$input" in *no.txt*) ${prints({ decision: 'deny', reason: 'not that one' })};; esac`,
    });
    const guarded = hooksMiddleware({ cwd, onBlocked: (block) => blocked.push(block) });
    const agent = createAgent({ model, tools: [writeTool(ran)], middleware: [guarded] });
    const { messages } = await run(agent, how, say('Write.'));
    expect(ran).toEqual([
      { path: 'yes.txt', text: 'x' },
      { path: 'more.txt', text: 'x' },
    ]);
    expect(resultsIn(messages).map(({ content }) => content)).toEqual([
      'not that one',
      'written',
      'written',
    ]);
    expect(blocked).toEqual([{ tool: 'write', reason: 'not that one' }]);
  });

  test('a tool call runs if a hook fails, and a warning says so', async () => {
    const ran: unknown[] = [];
    const warnings: string[] = [];
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const guarded = hooksMiddleware({
      cwd: projectWith({ BeforeTool: 'exit 1' }),
      onWarning: (line) => void warnings.push(line),
    });
    const agent = createAgent({ model, tools: [writeTool(ran)], middleware: [guarded] });
    await run(agent, how, say('Write.'));
    expect(ran).toHaveLength(1);
    expect(warnings.join('\n')).toContain('BeforeTool.sh');
  });

  test('a tool call has its rewritten arguments in AfterTool, in the history and in what is shown, and context after its result', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { text: 'I write.', calls: [write('old.txt')] },
      { text: 'Done.' },
    ]);
    const cwd = projectWith({
      BeforeTool: prints({ hookSpecificOutput: { tool_input: { path: 'new.txt', text: 'x' } } }),
      AfterTool: prints({ hookSpecificOutput: { additionalContext: 'Mind the format.' } }),
    });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [hooksMiddleware({ cwd })],
    });
    const { messages, shown, pieces } = await run(agent, how, say('Write.'));
    expect(ran).toEqual([{ path: 'new.txt', text: 'x' }]);
    expect(toldTo(cwd, 'AfterTool')[0]).toMatchObject({ tool_input: { path: 'new.txt' } });
    expect((messages[1] as AIMessage).tool_calls?.[0]?.args).toEqual({
      path: 'new.txt',
      text: 'x',
    });
    expect(resultsIn(messages)[0]?.content).toBe('written\n\nMind the format.');
    expect(resultsIn(model.asked[1]!.messages)[0]?.content).toBe('written\n\nMind the format.');
    expect(shown).not.toContain('old.txt');
    // Text streams at once: only tool calls are held back.
    if (how === 'stream') expect(pieces.slice(0, 2)).toEqual(['I writ', 'e.']);
  });

  test('a run continues after a tool throws; hooks see the error, and the model reads it with their context', async () => {
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const cwd = projectWith({
      AfterTool: prints({ hookSpecificOutput: { additionalContext: 'Try later.' } }),
    });
    const throwing = writeTool([], () => {
      throw new Error('the disk is full');
    });
    const agent = createAgent({ model, tools: [throwing], middleware: [hooksMiddleware({ cwd })] });
    const { messages } = await run(agent, how, say('Write.'));
    expect(resultsIn(messages)[0]).toMatchObject({
      content: 'Error: the disk is full\n Please fix your mistakes.\n\nTry later.',
      status: 'error',
    });
    expect(toldTo(cwd, 'AfterTool')[0]).toMatchObject({
      tool_response: { error: { message: 'the disk is full' } },
    });
  });

  test('a tool call keeps the artifact of its result', async () => {
    const model = new ScriptedChat([
      { calls: [{ id: 'call_1', name: 'look', args: {} }] },
      { text: 'Done.' },
    ]);
    const look = tool(() => ['seen', { rows: 3 }], {
      name: 'look',
      description: 'Looks',
      schema: z.object({}),
      responseFormat: 'content_and_artifact',
    });
    const cwd = projectWith({
      AfterTool: prints({ hookSpecificOutput: { additionalContext: 'Three.' } }),
    });
    const agent = createAgent({ model, tools: [look], middleware: [hooksMiddleware({ cwd })] });
    const { messages } = await run(agent, how, say('Look.'));
    expect(resultsIn(messages)[0]).toMatchObject({
      content: 'seen\n\nThree.',
      artifact: { rows: 3 },
    });
  });

  test.each(['BeforeTool', 'AfterTool'])(
    'a hook stops the run at %s, and the next run is unaffected',
    async (event) => {
      const ran: unknown[] = [];
      const stops: string[] = [];
      const model = new ScriptedChat((messages) =>
        messages.at(-1)?.type === 'tool'
          ? { text: 'Done.' }
          : { calls: [write(`${messages.at(-1)!.text}.txt`)] },
      );
      const cwd = projectWith({
        [event]: `case "$input" in *halt.txt*) ${prints({ continue: false, stopReason: 'enough' })};; esac`,
      });
      const guarded = hooksMiddleware({ cwd, onStop: (reason) => stops.push(reason) });
      const agent = createAgent({ model, tools: [writeTool(ran)], middleware: [guarded] });
      const [stopped, other] = await Promise.all([
        run(agent, how, say('halt')),
        run(agent, how, say('go')),
      ]);
      expect(stopped.last).toBe('enough');
      expect(other.last).toBe('Done.');
      expect(stops).toEqual(['enough']);
      expect(ran).toHaveLength(event === 'BeforeTool' ? 1 : 2);
      expect((await run(agent, how, say('again'))).last).toBe('Done.');
    },
  );

  test('the human-in-the-loop middleware asks about a call with its rewritten arguments, and not about a denied call', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { calls: [write('old.txt'), write('no.txt', 'x', 'call_2')] },
      { text: 'Done.' },
    ]);
    const guarded = hooksMiddleware({
      cwd: projectWith({
        BeforeTool: `case "$input" in *no.txt*) echo no >&2; exit 2;; *old*) ${prints({
          hookSpecificOutput: { tool_input: { path: 'new.txt', text: 'x' } },
        })};; esac`,
      }),
    });
    const asking = human({
      write: { allowedDecisions: ['approve', 'edit'], when: guarded.mayRun },
    });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [guarded, asking],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'one' } };
    const asked = await run(agent, how, say('Write.'), config);
    const question = JSON.stringify(
      asked.state['__interrupt__'] ?? (await agent.graph.getState(config)),
    );
    expect(question).toContain('new.txt');
    expect(question.match(/"actionName"/g)).toHaveLength(1);
    expect(ran).toEqual([]);
    const resume = new Command({ resume: { decisions: [{ type: 'approve' }] } });
    const { messages } = await run(agent, how, resume, config);
    expect(ran).toEqual([{ path: 'new.txt', text: 'x' }]);
    expect(resultsIn(messages).map(({ content }) => content)).toEqual(
      expect.arrayContaining(['written', 'no']),
    );
  });

  test.each([
    { said: { decision: 'allow' }, questions: 0, notified: 0, result: 'written' },
    {
      said: { decision: 'deny', reason: 'not here' },
      questions: 0,
      notified: 0,
      result: 'not here',
    },
    { said: {}, questions: 1, notified: 1, result: 'written' },
  ])(
    'the human-in-the-loop middleware obeys ToolPermission hooks that said $said',
    async ({ said, questions, notified, result }) => {
      const cwd = projectWith({ 'tool.permission': prints(said), notify: 'exit 0' });
      const guarded = hooksMiddleware({ cwd });
      const asking = human({ write: { allowedDecisions: ['approve'], when: guarded.mayRun } });
      const agent = createAgent({
        model: new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]),
        tools: [writeTool([])],
        middleware: [guarded, asking],
        checkpointer: new MemorySaver(),
      });
      const { messages, asked } = await approving(agent, how);
      expect(asked).toBe(questions);
      expect(resultsIn(messages)[0]?.content).toBe(result);
      expect(toldTo(cwd, 'notify')).toHaveLength(notified);
    },
  );

  test('a call that a hook wants asked about is asked about once, even if the human-in-the-loop middleware asks too', async () => {
    const guarded = hooksMiddleware({
      cwd: projectWith({ BeforeTool: prints({ decision: 'ask', reason: 'Sure?' }) }),
    });
    const asking = human({ write: { allowedDecisions: ['approve'], when: guarded.mayRun } });
    const agent = createAgent({
      model: new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]),
      tools: [writeTool([])],
      middleware: [guarded, asking],
      checkpointer: new MemorySaver(),
    });
    const { messages, asked } = await approving(agent, how);
    expect([asked, resultsIn(messages)[0]?.content]).toEqual([1, 'written']);
  });

  test('a tool call that the user edited is judged again', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const guarded = hooksMiddleware({
      cwd: projectWith({ BeforeTool: 'case "$input" in *secret*) echo no >&2; exit 2;; esac' }),
    });
    const asking = human({ write: true });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [guarded, asking],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'one' } };
    await run(agent, how, say('Write.'), config);
    const editedAction = { name: 'write', args: { path: 'secret.txt', text: 'x' } };
    const resume = new Command({ resume: { decisions: [{ type: 'edit', editedAction }] } });
    const { messages } = await run(agent, how, resume, config);
    expect(ran).toEqual([]);
    expect(resultsIn(messages)[0]?.content).toBe('no');
  });

  test.each([
    { answer: { decisions: [{ type: 'approve' }] }, results: ['written'], runs: 1 },
    {
      answer: { decisions: [{ type: 'reject' }] },
      results: [expect.stringContaining('did not let')],
      runs: 0,
    },
    {
      answer: { decisions: [{ type: 'reject', message: 'Not on a Monday.' }] },
      results: [expect.stringContaining('Not on a Monday.')],
      runs: 0,
    },
  ])(
    'a call that a hook wants asked about interrupts the graph, and the answer $answer.decisions.0.type is obeyed',
    async ({ answer, results, runs }) => {
      const ran: unknown[] = [];
      const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
      const cwd = projectWith({
        BeforeTool: prints({
          hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'Sure?' },
          decision: 'ask',
          reason: 'Sure?',
        }),
      });
      const agent = createAgent({
        model,
        tools: [writeTool(ran)],
        middleware: [hooksMiddleware({ cwd })],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: 'one' } };
      const asked = await run(agent, how, say('Write.'), config);
      expect(ran).toEqual([]);
      expect(
        JSON.stringify(asked.state['__interrupt__'] ?? (await agent.graph.getState(config))),
      ).toContain('Sure?');
      const { messages } = await run(agent, how, new Command({ resume: answer }), config);
      expect(ran).toHaveLength(runs);
      expect(resultsIn(messages).map(({ content }) => content)).toEqual(results);
      expect(toldTo(cwd, 'BeforeTool')).toHaveLength(1);
    },
  );

  test('a call that a hook wants asked about is denied if the graph cannot wait', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const cwd = projectWith({ BeforeTool: prints({ decision: 'ask', reason: 'Sure?' }) });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [hooksMiddleware({ cwd })],
    });
    const { messages } = await run(agent, how, say('Write.'));
    expect(ran).toEqual([]);
    expect(resultsIn(messages)[0]?.content).toContain('Sure?');
  });

  test('a tool call approved here and resumed elsewhere is judged by the hooks there, and a denial wins', async () => {
    const ran: unknown[] = [];
    const checkpointer = new MemorySaver();
    const make = (script: string) => {
      const model = new ScriptedChat((messages) =>
        messages.at(-1)?.type === 'tool' ? { text: 'Done.' } : { calls: [write('a.txt')] },
      );
      return createAgent({
        model,
        tools: [writeTool(ran)],
        middleware: [
          hooksMiddleware({ cwd: projectWith({ BeforeTool: script }) }),
          human({ write: true }),
        ],
        checkpointer,
      });
    };
    const config = { configurable: { thread_id: 'one' } };
    await run(make('exit 0'), how, say('Write.'), config);
    const resume = new Command({ resume: { decisions: [{ type: 'approve' }] } });
    const { messages, last } = await run(make('echo never >&2; exit 2'), how, resume, config);
    expect(ran).toEqual([]);
    expect(resultsIn(messages)[0]?.content).toBe('never');
    expect(last).toBe('Done.');
  });

  test('a tool call that interrupts its graph is not a failure, is judged once, and continues when resumed', async () => {
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const cwd = projectWith({ BeforeTool: 'exit 0', AfterTool: 'exit 0' });
    const asking = writeTool([], () => `the user says ${String(interrupt('which one?'))}`);
    const agent = createAgent({
      model,
      tools: [asking],
      middleware: [hooksMiddleware({ cwd })],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'one' } };
    await run(agent, how, say('Write.'), config);
    expect(toldTo(cwd, 'AfterTool')).toEqual([]);
    const { messages } = await run(agent, how, new Command({ resume: 'this' }), config);
    expect(resultsIn(messages)[0]?.content).toBe('the user says this');
    expect(toldTo(cwd, 'BeforeTool')).toHaveLength(1);
    expect(toldTo(cwd, 'AfterTool')).toHaveLength(1);
  });

  test('tool calls with the same id in two runs are told apart', async () => {
    const model = new ScriptedChat((messages) =>
      messages.at(-1)?.type === 'tool'
        ? { text: messages.at(-1)!.text }
        : { calls: [write(`${messages.at(-1)!.text}.txt`)] },
    );
    const cwd = projectWith({
      BeforeTool: 'case "$input" in *one.txt*) echo no >&2; exit 2;; esac',
    });
    const agent = createAgent({
      model,
      tools: [writeTool([], ({ path }) => `wrote ${path}`)],
      middleware: [hooksMiddleware({ cwd })],
    });
    const runs = await Promise.all(['one', 'two'].map((text) => run(agent, how, say(text))));
    expect(runs.map(({ last }) => last)).toEqual(['no', 'wrote two.txt']);
  });

  test('a tool call that is aborted while its hook runs leaves no process', async () => {
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const cwd = projectWith({ BeforeTool: 'echo $$ > pid; exec sleep 600' });
    const agent = createAgent({
      model,
      tools: [writeTool([])],
      middleware: [hooksMiddleware({ cwd })],
    });
    const abort = new AbortController();
    const running = run(agent, how, say('Write.'), { signal: abort.signal });
    const failed = expect(running).rejects.toThrow();
    const pid = Number(await untilWritten(`${cwd}/pid`));
    abort.abort();
    await failed;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('a tool call that another middleware puts into the answer is judged when it runs', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const changing = createMiddleware({
      name: 'changing',
      wrapModelCall: async (request, handler) => {
        const answer = await handler(request);
        if (!AIMessage.isInstance(answer)) return answer;
        const calls = answer.tool_calls?.map((call) => ({
          ...call,
          args: { path: 'secret', text: 'x' },
        }));
        return new AIMessage({ content: answer.content, tool_calls: calls ?? [] });
      },
    });
    const cwd = projectWith({
      BeforeTool: 'case "$input" in *secret*) echo no >&2; exit 2;; esac',
    });
    const agent = createAgent({
      model,
      tools: [writeTool(ran)],
      middleware: [hooksMiddleware({ cwd }), changing],
    });
    await run(agent, how, say('Write.'));
    expect(ran).toEqual([]);
  });
});
