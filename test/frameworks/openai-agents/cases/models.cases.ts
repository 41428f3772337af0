import { Runner, type AgentInputItem } from '@openai/agents';
import { modelError, modelStreamResponder, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { withHooks } from '../../../../src/entries/openai-agents.ts';
import {
  call,
  deny,
  expectFile,
  isAlive,
  modes,
  note,
  notes,
  print,
  resultsIn,
  runIn,
  says,
  setup,
  shown,
  toolOf,
} from './kit.ts';

const wantsWrite = [call('write', 'a.txt')];
const done = [says('Done.')];
const stop = (stopReason: string): string => print({ continue: false, stopReason });

describe.each(modes)('model calls of the OpenAI Agents SDK, %s', (mode) => {
  test.each([
    ['before a tool', 'BeforeTool', 0],
    ['after a tool', 'AfterTool', 1],
  ] as const)(
    'model calls are not made once a hook stops the run %s; the next run is unaffected',
    async (_, event, runs) => {
      const { runner, agent, model, ran, stops } = setup({
        hooks: {
          [event]: `input=$(cat); case "$input" in *a.txt*) ${stop('that is enough')};; esac`,
        },
        script: [wantsWrite, done],
      });
      const { output, events } = await runIn(mode, runner, agent, 'Go');
      expect(output).toBe('that is enough');
      expect(ran).toHaveLength(runs);
      expect(model.calls).toHaveLength(1);
      expect(stops).toEqual(['that is enough']);
      if (mode === 'streamed') expect(shown(events)).toContain('that is enough');
      expect((await runIn(mode, runner, agent, 'Again')).output).toBe('Done.');
    },
  );

  test('a hook stops the run before or after the model', async () => {
    const before = setup({ hooks: { BeforeModel: stop('not now') }, script: [done] });
    expect((await runIn(mode, before.runner, before.agent, 'Go')).output).toBe('not now');
    expect(before.model.calls).toHaveLength(0);
    const after = setup({ hooks: { AfterModel: stop('no more') }, script: [wantsWrite, done] });
    expect((await runIn(mode, after.runner, after.agent, 'Go')).output).toBe('no more');
    expect(after.ran).toEqual([]);
    expect([before.stops, after.stops]).toEqual([['not now'], ['no more']]);
  });

  test('a hook stops one of two simultaneous runs', async () => {
    const { runner, agent, model } = setup({
      hooks: { BeforeTool: `input=$(cat); case "$input" in *a.txt*) ${stop('enough')};; esac` },
      script: [],
    });
    const runOne = (input: string) =>
      runIn(
        mode,
        runner,
        agent.clone({ model: new ScriptedModel([[call('write', input)], done]) }),
        input,
      );
    const both = await Promise.all([runOne('a.txt'), runOne('b.txt')]);
    expect(both.map(({ output }) => output)).toEqual(['enough', 'Done.']);
    expect(model.calls).toHaveLength(0);
  });

  test('hooks change model calls, and the tool calls in the history stay', async () => {
    const change = `input=$(cat); jq -c '{hookSpecificOutput:{llm_request:{messages:[.llm_request.messages[]|.content|=sub("secret";"[cut]")],config:{temperature:0.5,maxOutputTokens:99}}}}' <<< "$input"`;
    const { runner, agent, model } = setup({
      hooks: { BeforeModel: change },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'The secret');
    const { input, modelSettings } = model.calls[1]!.request;
    expect(JSON.stringify(input)).not.toContain('secret');
    expect((input as AgentInputItem[]).map((item) => item.type ?? 'message')).toEqual([
      'message',
      'function_call',
      'function_call_result',
    ]);
    expect(modelSettings).toMatchObject({ temperature: 0.5, maxTokens: 99 });
  });

  test('model calls show hooks the name of a model, whether the agent names one or not', async () => {
    const { runner, cwd } = setup({ hooks: { BeforeModel: note('before') }, script: [] });
    const provider = { getModel: async () => new ScriptedModel([done]) };
    const own = withHooks(new Runner({ modelProvider: provider }), { cwd });
    const { agent } = setup({ script: [], agent: { model: undefined } });
    await runIn(mode, own, agent, 'Go');
    await runIn(mode, own, agent.clone({ model: 'gpt-x' }), 'Go');
    await own.end();
    await runner.end();
    const names = notes<{ llm_request: { model: string } }>(cwd, 'before');
    expect(names.map(({ llm_request }) => llm_request.model)).toEqual(['default', 'gpt-x']);
  });

  test('hooks answer model calls in place of the model', async () => {
    const answer = {
      decision: 'block',
      reason: 'cached',
      hookSpecificOutput: {
        llm_response: { candidates: [{ content: { role: 'model', parts: ['From the cache.'] } }] },
      },
    };
    const { runner, agent, model } = setup({ hooks: { BeforeModel: print(answer) }, script: [] });
    const { output, events } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('From the cache.');
    expect(model.calls).toHaveLength(0);
    if (mode === 'streamed') expect(shown(events)).toContain('"delta":"From the cache."');
  });

  test('a model call that is blocked without an answer has the reason as its answer', async () => {
    const { runner, agent, model, blocked } = setup({
      hooks: { BeforeModel: deny('over budget') },
      script: [],
    });
    expect((await runIn(mode, runner, agent, 'Go')).output).toBe('over budget');
    expect(model.calls).toHaveLength(0);
    expect(blocked).toEqual([{ reason: 'over budget' }]);
  });

  test('no piece of an answer that a hook redacts is ever shown, and its tool calls stay', async () => {
    const redact = `input=$(cat); jq -c '{hookSpecificOutput:{llm_response:{candidates:[{content:{role:"model",parts:[.llm_response.text|sub("secret";"[cut]")]}}]}}}' <<< "$input"`;
    const { runner, agent, ran } = setup({
      hooks: { AfterModel: redact },
      script: [[says('The secret is out.'), ...wantsWrite], [says('The secret stays.')]],
    });
    const { output, events, result } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('The [cut] stays.');
    expect(ran).toHaveLength(1);
    expect(shown(events) + JSON.stringify([result.history, result.rawResponses])).not.toContain(
      'secret',
    );
    if (mode === 'streamed') expect(shown(events)).toContain('"delta":"The [cut] stays."');
  });

  test('model calls offer fewer tools if hooks say so, and a call of another tool is refused', async () => {
    const { runner, agent, model, ran } = setup({
      hooks: {
        BeforeToolSelection: print({
          hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
        }),
      },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'Go');
    const { tools, modelSettings } = model.calls[0]!.request;
    expect(tools.map(({ name }) => name)).toEqual(['read']);
    expect(modelSettings.toolChoice).toBe('required');
    expect(ran).toEqual([]);
    expect(resultsIn(model)['call_1']).toContain('write was not run');
  });

  test('model calls offer no tool if hooks say NONE', async () => {
    const { runner, agent, model, ran } = setup({
      hooks: {
        BeforeToolSelection: print({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }),
      },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'Go');
    const { tools, modelSettings } = model.calls[0]!.request;
    expect([tools, modelSettings.toolChoice]).toEqual([[], 'none']);
    expect(ran).toEqual([]);
  });

  test('model calls are within a turn and a session, whose events come in order with one id', async () => {
    const events = [
      'SessionStart',
      'BeforeAgent',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'BeforeTool',
      'AfterTool',
      'AfterAgent',
      'SessionEnd',
    ];
    const { runner, agent, cwd } = setup({
      hooks: Object.fromEntries(events.map((event) => [event, note('all')])),
      script: [wantsWrite, done, done],
    });
    await runIn(mode, runner, agent, 'Go');
    await runIn(mode, runner, agent, 'Again');
    await runner.end();
    const all = notes<{ hook_event_name: string; session_id: string }>(cwd, 'all');
    expect(all.map(({ hook_event_name }) => hook_event_name)).toEqual([
      'SessionStart',
      'BeforeAgent',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'BeforeTool',
      'AfterTool',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'AfterAgent',
      'BeforeAgent',
      'BeforeToolSelection',
      'BeforeModel',
      'AfterModel',
      'AfterAgent',
      'SessionEnd',
    ]);
    expect(new Set(all.map(({ session_id }) => session_id)).size).toBe(1);
    expect(all[1]).toMatchObject({ prompt: 'Go' });
    expect(all[10]).toMatchObject({ prompt_response: 'Done.' });
  });

  test('model calls have the context of BeforeAgent hooks in every request of the turn', async () => {
    const { runner, agent, model } = setup({
      hooks: { BeforeAgent: print({ hookSpecificOutput: { additionalContext: 'It is Monday.' } }) },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'Go');
    for (const { request } of model.calls)
      expect(JSON.stringify(request.input).split('It is Monday.')).toHaveLength(2);
  });

  test('another model call is made if an AfterAgent hook makes the agent continue', async () => {
    const once = `test -e sent || { touch sent; ${print({ decision: 'block', reason: 'Also say bye.' })}; }`;
    const { runner, agent, model } = setup({
      hooks: { AfterAgent: once },
      script: [done, [says('Bye.')]],
    });
    const { output } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('Bye.');
    expect(JSON.stringify(model.calls[1]!.request.input)).toContain('Also say bye.');
  });

  test('model calls that fail reject as they do without hooks, and a retry does not begin a second turn', async () => {
    const { runner, agent, cwd } = setup({
      hooks: { BeforeAgent: note('turns') },
      script: [modelError(new Error('down'), { suggested: true, replaySafety: 'safe' }), done],
      agent: {
        modelSettings: {
          retry: { maxRetries: 1, policy: () => true, backoff: { initialDelayMs: 1 } },
        },
      },
    });
    expect((await runIn(mode, runner, agent, 'Go')).output).toBe('Done.');
    expect(notes(cwd, 'turns')).toHaveLength(1);
    await expect(runIn(mode, runner, agent, 'Again')).rejects.toThrow();
  });

  test('a model call that is aborted while a hook runs ends the hook’s process', async () => {
    const { runner, agent, cwd } = setup({
      hooks: { BeforeModel: 'echo $$ > pid; exec sleep 30' },
      script: [done],
    });
    const abort = new AbortController();
    const ended = runIn(mode, runner, agent, 'Go', { signal: abort.signal }).catch(
      (error: unknown) => error,
    );
    const pid = await expectFile(cwd, 'pid');
    abort.abort();
    await ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test.each(['', '^other$'])(
    'one warning names a tool that the provider runs, if hooks match "%s"',
    async (matcher) => {
      const hosted = {
        type: 'hosted_tool_call' as const,
        name: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
      };
      const { runner, agent, warnings } = setup({
        hooks: { BeforeTool: { [matcher]: 'true' } },
        script: [
          [hosted, ...done],
          [hosted, ...done],
        ],
      });
      await runIn(mode, runner, agent, 'Go');
      await runIn(mode, runner, agent, 'Again');
      expect(warnings.filter((line) => line.includes('web_search_call'))).toHaveLength(1);
    },
  );
});

const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const textEvents = (text: string) => [
  { type: 'output_text_delta' as const, delta: text },
  { type: 'model' as const, event: { type: 'response.output_text.delta', delta: text } },
];

const chunk = (call_: object) => ({
  choices: [{ delta: { tool_calls: [{ index: 0, ...call_ }] } }],
});

const calling = (events: readonly object[]) =>
  modelStreamResponder(async function* () {
    yield { type: 'response_started' as const };
    yield* textEvents('Now.');
    for (const event of events) yield { type: 'model' as const, event };
    yield {
      type: 'response_done' as const,
      response: { id: 'r', usage, output: [says('Now.'), call('write', 'a.txt')] },
    };
  });

describe('streams of the OpenAI Agents SDK', () => {
  test('a stream shows text as it arrives if there is no AfterModel hook', async () => {
    let release!: () => void;
    const seen = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { runner, agent } = setup({
      hooks: { BeforeTool: 'true', AfterTool: 'true' },
      script: [
        modelStreamResponder(async function* () {
          yield { type: 'response_started' as const };
          yield* textEvents('Hel');
          // Continues only once the first piece was shown.
          await seen;
          yield* textEvents('lo.');
          yield {
            type: 'response_done' as const,
            response: { id: 'r', usage, output: [says('Hello.')] },
          };
        }),
      ],
    });
    const result = await runner.run(agent, 'Go', { stream: true });
    const texts: string[] = [];
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
        texts.push(event.data.delta);
        release();
      }
    }
    expect(texts).toEqual(['Hel', 'lo.']);
  });

  const responses = [
    {
      type: 'response.output_item.added',
      item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'write', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"path":' },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '"a.txt"}' },
    {
      type: 'response.function_call_arguments.done',
      item_id: 'fc_1',
      arguments: '{"path":"a.txt"}',
    },
    {
      type: 'response.output_item.done',
      item: {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'write',
        arguments: '{"path":"a.txt"}',
      },
    },
  ];
  const completions = [
    chunk({ id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } }),
    chunk({ function: { arguments: '{"path":' } }),
    chunk({ function: { arguments: '"a.txt"}' } }),
  ];
  test.each([
    ['the Responses API', responses],
    ['Chat Completions', completions],
  ])('a stream shows only the rewritten arguments in the events of %s', async (_, events) => {
    const { runner, agent } = setup({
      hooks: { BeforeTool: print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } }) },
      script: [calling(events), done],
    });
    const { events: all } = await runIn('streamed', runner, agent, 'Go');
    expect(shown(all)).not.toContain('a.txt');
    const raw = all.flatMap((event) =>
      event.type === 'raw_model_stream_event' && event.data.type === 'model'
        ? [JSON.stringify(event.data.event)]
        : [],
    );
    const deltas = raw.filter((line) => line.includes('b.txt') && line.includes('delta'));
    expect(deltas).toHaveLength(1);
  });

  test('a stream shows the arguments as they came if no hook changes them', async () => {
    const { runner, agent } = setup({
      hooks: { BeforeTool: 'true' },
      script: [calling(responses), done],
    });
    const { events } = await runIn('streamed', runner, agent, 'Go');
    const raw = events.flatMap((event) =>
      event.type === 'raw_model_stream_event' && event.data.type === 'model'
        ? [event.data.event]
        : [],
    );
    expect(raw.slice(-responses.length)).toEqual(responses);
  });

  test('a stream shows nothing of a redacted answer in the events of the provider', async () => {
    const redact = `input=$(cat); jq -c '{hookSpecificOutput:{llm_response:{candidates:[{content:{role:"model",parts:["[cut]"]}}]}}}' <<< "$input"`;
    const { runner, agent } = setup({
      hooks: { AfterModel: redact },
      script: [
        modelStreamResponder(async function* () {
          yield { type: 'response_started' as const };
          yield* textEvents('secret');
          yield {
            type: 'response_done' as const,
            response: { id: 'r', usage, output: [says('secret')], providerData: { raw: 'secret' } },
          };
        }),
      ],
    });
    const { events, output } = await runIn('streamed', runner, agent, 'Go');
    expect(output).toBe('[cut]');
    expect(shown(events)).not.toContain('secret');
  });

  test('a stream may be left by its reader, and the model is not asked again', async () => {
    const { runner, agent } = setup({
      hooks: { BeforeTool: 'true' },
      script: [calling(responses), done],
      tools: [toolOf('write')],
    });
    const result = await runner.run(agent, 'Go', { stream: true });
    for await (const _ of result) break;
    await result.completed.catch(() => undefined);
  });
});
