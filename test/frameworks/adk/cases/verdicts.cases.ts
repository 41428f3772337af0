import { LlmAgent, ParallelAgent, Runner } from '@google/adk';
import { Language } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { HooksPlugin } from '../../../../src/entries/adk.ts';
import {
  call,
  deny,
  expectFile,
  isAlive,
  modes,
  note,
  notes,
  print,
  projectWith,
  resultsIn,
  runIn,
  says,
  ScriptedLlm,
  setup,
  toolOf,
} from './kit.ts';

const wantsWrite = [call('write', 'a.txt')];
const done = [says('All done.')];
const stop = (stopReason: string): string => print({ continue: false, stopReason });
const context = print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } });
const ask = print({ decision: 'ask', reason: 'Is that all right?' });

describe.each(modes)("tool calls of Google's ADK, %s", (mode) => {
  test.each([
    ['no hook matches', { BeforeTool: { other: deny('no') } }],
    ['there are no hooks', {}],
  ])('a tool call runs as it is if %s', async (_, hooks) => {
    const { runner, model, ran, warnings } = setup({ hooks, script: [wantsWrite, done] });
    expect((await runIn(mode, runner, 'Go')).output).toBe('All done.');
    expect(ran).toEqual([{ name: 'write', input: { path: 'a.txt' } }]);
    expect(resultsIn(model)).toEqual({ write: { result: 'done' } });
    expect(warnings).toEqual([]);
  });

  test('a tool call denied by JSON does not run, and the next call of the same tool does', async () => {
    const guard = `input=$(cat); case "$input" in *a.txt*) ${print({ decision: 'deny', reason: 'not a' })};; esac`;
    const { runner, ran } = setup({
      hooks: { BeforeTool: guard },
      script: [wantsWrite, [call('write', 'b.txt')], done],
    });
    await runIn(mode, runner, 'Go');
    expect(ran).toEqual([{ name: 'write', input: { path: 'b.txt' } }]);
  });

  test('a tool call runs if a hook fails, and a warning says so', async () => {
    const { runner, ran, warnings } = setup({
      hooks: { BeforeTool: 'echo broken >&2; exit 1' },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, 'Go');
    expect(ran).toHaveLength(1);
    expect(warnings.join('\n')).toContain('broken');
  });

  test('a tool call is judged once, and AfterTool hooks see the rewritten arguments', async () => {
    const rewrite = print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } });
    const { runner, cwd } = setup({
      hooks: { BeforeTool: `${note('before')}; ${rewrite}`, AfterTool: note('after') },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, 'Go');
    expect(notes(cwd, 'before')).toHaveLength(1);
    expect(notes(cwd, 'after')).toMatchObject([{ tool_input: { path: 'b.txt' } }]);
  });

  test('tool calls with the same id in two simultaneous runs are told apart', async () => {
    const guard = `input=$(cat); case "$input" in *a.txt*) sleep 0.3; echo 'not a' >&2; exit 2;; esac`;
    const { runner, ran } = setup({
      hooks: { BeforeTool: guard },
      script: [
        ({ contents }) =>
          contents.length > 1 ? done : [call('write', contents[0]!.parts![0]!.text!, 'same')],
      ],
    });
    await Promise.all(['a.txt', 'b.txt'].map((path) => runIn(mode, runner, path)));
    expect(ran).toEqual([{ name: 'write', input: { path: 'b.txt' } }]);
  });

  test('context is put after a text result, and beside the fields of an object', async () => {
    const text = setup({ hooks: { AfterTool: context }, script: [wantsWrite, done] });
    await runIn(mode, text.runner, 'Go');
    expect(resultsIn(text.model)).toEqual({ write: { result: 'done\n\nMind the gap.' } });
    const { runner, model, cwd } = setup({
      hooks: { AfterTool: `${note('after')}; ${context}` },
      script: [wantsWrite, done],
      tools: [toolOf('write', () => ({ lines: 3 }))],
    });
    await runIn(mode, runner, 'Go');
    expect(resultsIn(model)).toEqual({ write: { lines: 3, hookmachine: 'Mind the gap.' } });
    expect(notes(cwd, 'after')).toMatchObject([{ tool_response: { llmContent: { lines: 3 } } }]);
  });

  test('context is put beside the error of a tool that throws', async () => {
    const { runner, model, cwd } = setup({
      hooks: { AfterTool: `${note('after')}; ${context}` },
      script: [wantsWrite, done],
      tools: [
        toolOf('write', () => {
          throw new Error('disk full');
        }),
      ],
    });
    await runIn(mode, runner, 'Go');
    const { error, hookmachine } = resultsIn(model)['write'] as Record<string, string>;
    expect([error, hookmachine]).toEqual([expect.stringContaining('disk full'), 'Mind the gap.']);
    expect(notes(cwd, 'after')).toHaveLength(1);
  });

  test('a tool call that a hook wants asked about runs in a later run, once the user has approved it', async () => {
    const { runner, ran, model } = setup({
      hooks: { BeforeTool: ask },
      dialect: 'hookmachine',
      script: [wantsWrite, done, done],
    });
    const { events, sessionId } = await runIn(mode, runner, 'Go');
    expect(ran).toEqual([]);
    const question = events
      .flatMap(({ content }) => content?.parts ?? [])
      .find(({ functionCall }) => functionCall?.name === 'adk_request_confirmation')?.functionCall;
    expect(question?.args).toMatchObject({ toolConfirmation: { hint: 'Is that all right?' } });
    const answer = {
      functionResponse: {
        id: question!.id!,
        name: 'adk_request_confirmation',
        response: { confirmed: true },
      },
    };
    await runIn(mode, runner, { role: 'user', parts: [answer] }, { sessionId });
    expect(ran).toHaveLength(1);
    expect(JSON.stringify(resultsIn(model))).toContain('done');
  });

  test.each([
    ['approves', { decision: 'allow' }, 0, { result: 'ran' }],
    ['denies', { decision: 'deny', reason: 'not here' }, 0, { error: 'not here' }],
    ['says nothing', {}, 1, { result: 'ran' }],
  ])(
    'a ToolPermission hook that %s runs before the user is asked to confirm a tool call',
    async (_, said, questions, result) => {
      const { runner, model, cwd } = setup({
        hooks: { 'tool.permission': print(said), notify: note('notified') },
        dialect: 'hookmachine',
        script: [wantsWrite, done, done],
        tools: [toolOf('write', () => 'ran', { requireConfirmation: true })],
      });
      const { events, sessionId } = await runIn(mode, runner, 'Go');
      const asked = events
        .flatMap(({ content }) => content?.parts ?? [])
        .filter(({ functionCall }) => functionCall?.name === 'adk_request_confirmation');
      expect(asked).toHaveLength(questions);
      expect(notes(cwd, 'notified')).toHaveLength(questions);
      for (const { functionCall } of asked) {
        const id = functionCall!.id!;
        const name = 'adk_request_confirmation';
        const functionResponse = { id, name, response: { confirmed: true } };
        await runIn(mode, runner, { role: 'user', parts: [{ functionResponse }] }, { sessionId });
      }
      expect(resultsIn(model)['write']).toEqual(result);
    },
  );

  test('a tool call that the user approved does not run if the hooks of another process deny it', async () => {
    const ran: object[] = [];
    const tools = [toolOf('write', (input) => void ran.push(input), { requireConfirmation: true })];
    const { runner, agent } = setup({
      hooks: { BeforeTool: 'true' },
      script: [wantsWrite, done],
      tools,
    });
    const { events, sessionId } = await runIn(mode, runner, 'Go');
    const question = events
      .flatMap(({ content }) => content?.parts ?? [])
      .find(({ functionCall }) => functionCall?.name === 'adk_request_confirmation')?.functionCall;
    const answer = {
      functionResponse: {
        id: question!.id!,
        name: 'adk_request_confirmation',
        response: { confirmed: true },
      },
    };
    const plugin = new HooksPlugin({ cwd: projectWith({ BeforeTool: deny('no') }) });
    const { sessionService } = runner;
    const other = new Runner({ agent, appName: 'test', sessionService, plugins: [plugin] });
    await runIn(mode, other, { role: 'user', parts: [answer] }, { sessionId });
    expect([question === undefined, ran]).toEqual([false, []]);
    await plugin.end();
  });
});

describe.each(modes)("model calls of Google's ADK, %s", (mode) => {
  test.each([
    ['before a tool', 'BeforeTool', 0],
    ['after a tool', 'AfterTool', 1],
  ] as const)(
    'model calls are not made once a hook stops the run %s; the next run is unaffected',
    async (_, event, runs) => {
      const { runner, model, ran, stops } = setup({
        hooks: { [event]: stop('that is enough') },
        script: [wantsWrite, done],
      });
      const { output, sessionId } = await runIn(mode, runner, 'Go');
      expect(output).toBe('that is enough');
      expect(ran).toHaveLength(runs);
      expect(model.requests).toHaveLength(1);
      expect(stops).toEqual(['that is enough']);
      expect((await runIn(mode, runner, 'Again', { sessionId })).output).toBe('All done.');
    },
  );

  test.each([
    ['hooks match the others', { BeforeTool: 'true', AfterTool: stop('enough') }, ['write']],
    ['no hook matches the others', { BeforeTool: { write: stop('enough') } }, []],
  ])(
    'no further tool of an answer runs once a hook stopped the run at one of them, if %s',
    async (_, hooks, runs) => {
      const { runner, model, ran } = setup({
        hooks,
        script: [[call('write', 'a.txt'), call('read', 'b.txt')], done],
      });
      expect((await runIn(mode, runner, 'Go')).output).toBe('enough');
      expect(ran.map(({ name }) => name)).toEqual(runs);
      expect(model.requests).toHaveLength(1);
    },
  );

  test('a hook stops the run before or after the model', async () => {
    const before = setup({ hooks: { BeforeModel: stop('not now') }, script: [done] });
    expect((await runIn(mode, before.runner, 'Go')).output).toBe('not now');
    expect(before.model.requests).toEqual([]);
    const after = setup({ hooks: { AfterModel: stop('no more') }, script: [wantsWrite, done] });
    expect((await runIn(mode, after.runner, 'Go')).output).toBe('no more');
    expect(after.ran).toEqual([]);
  });

  test('a hook stops one of two simultaneous runs', async () => {
    const { runner } = setup({
      hooks: { BeforeModel: `input=$(cat); case "$input" in *one*) ${stop('enough')};; esac` },
      script: [done],
    });
    const both = await Promise.all(['one', 'two'].map((message) => runIn(mode, runner, message)));
    expect(both.map(({ output }) => output)).toEqual(['enough', 'All done.']);
  });

  test('hooks change model calls, and the tool calls in the history stay', async () => {
    const change = `input=$(cat); jq -c '{hookSpecificOutput:{llm_request:{messages:[.llm_request.messages[]|.content|=sub("secret";"[cut]")],config:{temperature:0.5}}}}' <<< "$input"`;
    const { runner, model } = setup({ hooks: { BeforeModel: change }, script: [wantsWrite, done] });
    await runIn(mode, runner, 'The secret');
    const { contents, config } = model.requests[1]!;
    expect(JSON.stringify(contents)).not.toContain('secret');
    expect(contents.map(({ parts }) => Object.keys(parts![0]!)[0])).toEqual([
      'text',
      'functionCall',
      'functionResponse',
    ]);
    expect(config?.temperature).toBe(0.5);
  });

  test('hooks answer model calls or block them', async () => {
    const answer = {
      decision: 'block',
      reason: 'cached',
      hookSpecificOutput: {
        llm_response: { candidates: [{ content: { role: 'model', parts: ['From the cache.'] } }] },
      },
    };
    const answered = setup({ hooks: { BeforeModel: print(answer) } });
    expect((await runIn(mode, answered.runner, 'Go')).output).toBe('From the cache.');
    const blocked = setup({ hooks: { BeforeModel: deny('over budget') } });
    expect((await runIn(mode, blocked.runner, 'Go')).output).toBe('over budget');
    expect(blocked.blocked).toEqual([{ reason: 'over budget' }]);
  });

  test('no piece of an answer that a hook redacts is ever shown, and its tool calls stay', async () => {
    const redact = `input=$(cat); jq -c '{hookSpecificOutput:{llm_response:{candidates:[{content:{role:"model",parts:[.llm_response.text|sub("secret";"[cut]")]}}]}}}' <<< "$input"`;
    const { runner, ran } = setup({
      hooks: { AfterModel: redact },
      script: [[says('The secret is out.'), ...wantsWrite], [says('The secret stays.')]],
    });
    const { output, events } = await runIn(mode, runner, 'Go');
    expect(output).toBe('The [cut] stays.');
    expect(ran).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('model calls offer fewer tools if hooks say so, and a call of another tool is refused', async () => {
    const { runner, model, ran } = setup({
      hooks: {
        BeforeToolSelection: print({
          hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
        }),
      },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, 'Go');
    const { config } = model.requests[0]!;
    expect(JSON.stringify(config?.tools)).not.toContain('write');
    expect(config?.toolConfig).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
    });
    expect(ran).toEqual([]);
    const none = setup({
      hooks: {
        BeforeToolSelection: print({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }),
      },
      script: [wantsWrite, done],
    });
    await runIn(mode, none.runner, 'Go');
    expect(none.model.requests[0]!.config?.tools).toEqual([]);
    expect(none.ran).toEqual([]);
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
    const { runner, plugin, cwd } = setup({
      hooks: Object.fromEntries(events.map((event) => [event, note('all')])),
      script: [wantsWrite, done, done],
    });
    const { sessionId } = await runIn(mode, runner, 'Go');
    await runIn(mode, runner, 'Again', { sessionId });
    await plugin.end();
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
    expect(new Set(all.map(({ session_id }) => session_id))).toEqual(new Set([sessionId]));
    expect([all[1], all[10]]).toMatchObject([{ prompt: 'Go' }, { prompt_response: 'All done.' }]);
  });

  test('agents that work in parallel, or that were transferred to, share one turn of the user', async () => {
    const { runner, cwd, ran } = setup({
      hooks: { BeforeAgent: note('turns'), BeforeTool: { write: `${note('before')}; exit 2` } },
      script: [[{ functionCall: { name: 'transfer_to_agent', args: { agentName: 'Both' } } }]],
      agent: {
        subAgents: [
          new ParallelAgent({
            name: 'Both',
            subAgents: ['B', 'C'].map(
              (name) =>
                new LlmAgent({
                  name,
                  model: new ScriptedLlm([wantsWrite, done]),
                  tools: [toolOf('write', (input) => void ran.push({ name, input }))],
                }),
            ),
          }),
        ],
      },
    });
    await runIn(mode, runner, 'Go');
    expect(ran).toEqual([]);
    expect(notes(cwd, 'turns')).toHaveLength(1);
    expect(notes(cwd, 'before')).toHaveLength(2);
  });

  test('model calls have the context of BeforeAgent hooks, and the run continues if an AfterAgent hook wants it', async () => {
    const once = `test -e sent || { touch sent; ${print({ decision: 'block', reason: 'Also say bye.' })}; }`;
    const { runner, model } = setup({
      hooks: {
        BeforeAgent: print({ hookSpecificOutput: { additionalContext: 'It is Monday.' } }),
        AfterAgent: once,
      },
      script: [wantsWrite, done, [says('Bye.')]],
    });
    expect((await runIn(mode, runner, 'Go')).output).toBe('Bye.');
    for (const { contents } of model.requests)
      expect(JSON.stringify(contents).split('It is Monday.')).toHaveLength(2);
    expect(JSON.stringify(model.requests[2]!.contents)).toContain('Also say bye.');
  });

  test.each(['', '^other$'])(
    'one warning names what the provider ran, if hooks match "%s"',
    async (matcher) => {
      const ranCode = { executableCode: { code: '1', language: Language.PYTHON } };
      const { runner, warnings } = setup({
        hooks: { BeforeTool: { [matcher]: 'true' } },
        script: [
          [ranCode, ...done],
          [ranCode, ...done],
        ],
      });
      for (let runs = 0; runs < 2; runs++) await runIn(mode, runner, 'Go');
      expect(warnings.filter((line) => line.includes('code_execution'))).toHaveLength(1);
    },
  );

  test('model calls that fail are reported as they are without hooks', async () => {
    const { runner } = setup({ hooks: { AfterModel: 'true' }, script: [new Error('down')] });
    const { events } = await runIn(mode, runner, 'Go');
    expect(events.at(-1)).toMatchObject({ errorMessage: expect.stringContaining('down') });
  });

  test('a model call that is aborted while a hook runs ends the hook’s process', async () => {
    const { runner, cwd } = setup({
      hooks: { BeforeModel: 'echo $$ > pid; exec sleep 30' },
      script: [done],
    });
    const abort = new AbortController();
    const ended = runIn(mode, runner, 'Go', { abortSignal: abort.signal }).catch(() => undefined);
    const pid = await expectFile(cwd, 'pid');
    abort.abort();
    await ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

test('a stream of ADK shows text as it arrives if there is no AfterModel hook', async () => {
  const { runner, model } = setup({ hooks: { BeforeTool: 'true' }, script: [done] });
  let release!: () => void;
  model.pause = new Promise((resolve) => {
    release = resolve;
  });
  const session = await runner.sessionService.createSession({ appName: 'test', userId: 'u' });
  const { StreamingMode } = await import('@google/adk');
  const pieces: unknown[] = [];
  for await (const { partial, content } of runner.runAsync({
    userId: 'u',
    sessionId: session.id,
    newMessage: { role: 'user', parts: [{ text: 'Go' }] },
    runConfig: { streamingMode: StreamingMode.SSE },
  })) {
    pieces.push([partial, content?.parts?.[0]?.text]);
    // The model continues only once its first piece was shown.
    release();
  }
  expect(pieces).toEqual([
    [true, 'All '],
    [true, 'done.'],
    [undefined, 'All done.'],
  ]);
});
