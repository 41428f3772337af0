import { AIMessage, ToolMessage } from '@langchain/core/messages';
import {
  Command,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { guardModel, guardTool, withHooks } from '../../../../src/entries/langchain.ts';
import { group, project } from '../../../support/project.ts';
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

const answering = (text: string) =>
  prints({
    hookSpecificOutput: {
      llm_response: { candidates: [{ content: { role: 'model', parts: [text] } }] },
    },
  });

/** A graph as people write it. */
function graphOf(
  model: ScriptedChat,
  tools: ReturnType<typeof writeTool>[],
  checkpointer?: MemorySaver,
) {
  const bound = model.bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => {
      const last = messages.at(-1);
      return AIMessage.isInstance(last) && last.tool_calls?.length ? 'tools' : END;
    })
    .addEdge('tools', 'agent')
    .compile({ ...(checkpointer && { checkpointer }) });
}

describe.each(ways)('a graph of LangGraph without createAgent, by %s', (how) => {
  test("calls are judged once with the model's answer, rewritten ones are shown, and the model reads denials", async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { text: 'I write.', calls: [write('old.txt'), write('no.txt', 'x', 'call_2')] },
      { text: 'Done.' },
    ]);
    const cwd = projectWith({
      BeforeTool: `case "$input" in *no.txt*) echo no >&2; exit 2;; *) ${prints({
        hookSpecificOutput: { tool_input: { path: 'new.txt', text: 'x' } },
      })};; esac`,
      AfterTool: prints({ hookSpecificOutput: { additionalContext: 'Mind it.' } }),
    });
    const guarded = withHooks({ model, tools: [writeTool(ran)], cwd });
    const graph = graphOf(guarded.model, [...guarded.tools]);
    const { messages, shown, pieces } = await run(graph, how, say('Write.'));
    expect(ran).toEqual([{ path: 'new.txt', text: 'x' }]);
    expect(
      messages.filter((message) => ToolMessage.isInstance(message)).map(({ content }) => content),
    ).toEqual(['written\n\nMind it.', 'no']);
    expect(shown).not.toContain('old.txt');
    expect(toldTo(cwd, 'BeforeTool')).toHaveLength(2);
    if (how === 'stream') expect(pieces.slice(0, 2)).toEqual(['I writ', 'e.']);
  });

  test.each([
    ['hookmachine', [], 'Really?'],
    ['llxprt', [{ path: 'a.txt', text: 'hello' }], 'written'],
  ])(
    'if nobody can be asked, a question is treated as the dialect %s defines it',
    async (dialect, runs, result) => {
      const ran: unknown[] = [];
      const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
      const hooks = { BeforeTool: [group(prints({ decision: 'ask', reason: 'Really?' }))] };
      const settings = { tools: { enableHooks: true }, hooks };
      const cwd = project({ [`.${dialect}/settings.json`]: settings });
      const guarded = withHooks({ model, tools: [writeTool(ran)], cwd });
      const graph = graphOf(guarded.model, [...guarded.tools]);
      const { messages } = await run(graph, how, say('Write.'));
      expect(ran).toEqual(runs);
      const said = messages.find((message) => ToolMessage.isInstance(message));
      expect(said?.content).toContain(result);
    },
  );

  test.each(['approve', 'reject'])(
    'the user is asked if hooks want it and the graph keeps its state, and the answer %s is obeyed',
    async (type) => {
      const ran: unknown[] = [];
      const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
      const cwd = projectWith({ BeforeTool: prints({ decision: 'ask', reason: 'Really?' }) });
      const guarded = withHooks({ model, tools: [writeTool(ran)], cwd });
      const graph = graphOf(guarded.model, [...guarded.tools], new MemorySaver());
      const config = { configurable: { thread_id: 'one' } };
      await run(graph, how, say('Write.'), config);
      expect(ran).toEqual([]);
      const { tasks } = await graph.getState(config);
      expect(tasks.flatMap(({ interrupts }) => interrupts)).toHaveLength(1);
      await run(graph, how, new Command({ resume: { decisions: [{ type }] } }) as never, config);
      expect(ran).toHaveLength(type === 'approve' ? 1 : 0);
    },
  );

  test('hooks redact answers, stop runs, narrow tools and make the agent continue', async () => {
    const cases = [
      [{ AfterModel: answering('***') }, '***'],
      [{ BeforeTool: prints({ continue: false, stopReason: 'enough' }) }, 'enough'],
      [
        { BeforeToolSelection: prints({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }) },
        'secret',
      ],
      [{ BeforeAgent: 'echo not today >&2; exit 2' }, 'not today'],
    ] as const;
    for (const [hooks, last] of cases) {
      const ran: unknown[] = [];
      const model = new ScriptedChat((messages) =>
        messages.at(-1)?.type === 'tool' ? { text: 'secret' } : { calls: [write('a.txt')] },
      );
      const guarded = withHooks({ model, tools: [writeTool(ran)], cwd: projectWith(hooks) });
      const { last: said, pieces } = await run(
        graphOf(guarded.model, [...guarded.tools]),
        how,
        say('Hi'),
      );
      expect(said).toBe(last);
      if ('AfterModel' in hooks) expect(pieces.join()).not.toContain('secret');
      if ('BeforeToolSelection' in hooks) {
        expect(model.asked[0]!.options['tools']).toBeUndefined();
        expect(ran).toEqual([]);
      }
    }
    const model = new ScriptedChat([{ text: 'Done.' }, { text: 'Tested.' }]);
    const cwd = projectWith({
      AfterAgent: `case "$input" in *Tested*) exit 0;; esac; ${prints({ decision: 'block', reason: 'Test.' })}`,
    });
    const guarded = withHooks({ model, tools: [writeTool([])], cwd });
    const { messages } = await run(graphOf(guarded.model, [...guarded.tools]), how, say('Hi'));
    expect(messages.map(({ text }) => text)).toEqual(['Hi', 'Tested.']);
  });

  test('a guarded graph without hooks behaves like an unguarded one', async () => {
    const runs = [];
    for (const isGuarded of [false, true]) {
      const model = new ScriptedChat([
        { text: 'I write.', calls: [write('a.txt')] },
        { text: 'Done.' },
      ]);
      const tools = [writeTool([])];
      const guarded = isGuarded
        ? withHooks({ model, tools, cwd: projectWith({}) })
        : { model, tools };
      const { messages, pieces } = await run(
        graphOf(guarded.model, [...guarded.tools]),
        how,
        say('Write.'),
      );
      runs.push([messages.map(({ type, content }) => [type, content]), pieces]);
    }
    expect(runs[1]).toEqual(runs[0]);
  });

  test('the graph of the prebuilt agent is guarded too', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([{ calls: [write('a.txt')] }, { text: 'Done.' }]);
    const options = { cwd: projectWith({ BeforeTool: 'echo no >&2; exit 2' }) };
    const agent = createReactAgent({
      llm: guardModel(model, options),
      tools: [guardTool(writeTool(ran), options)],
    });
    const { messages } = await run(agent, how, say('Write.'));
    expect(ran).toEqual([]);
    expect(messages[2]?.content).toBe('no');
  });
});

test('a guarded tool that a program calls returns its result, and throws what a hook denied', async () => {
  const cwd = projectWith({
    BeforeTool: 'case "$input" in *no.txt*) echo never >&2; exit 2;; esac',
  });
  const tool = guardTool(writeTool([]), { cwd });
  expect(await tool.invoke({ path: 'a.txt', text: 'x' })).toBe('written');
  await expect(tool.invoke({ path: 'no.txt', text: 'x' })).rejects.toThrow('never');
});

test('guarded models and tools keep their types', () => {
  const tool = writeTool([]);
  const guarded = guardTool(tool, {});
  expectTypeOf(guarded).toEqualTypeOf(tool);
  const model = new ScriptedChat([]);
  expectTypeOf(guardModel(model, {})).toEqualTypeOf(model);
});
