import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as zod from 'zod';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hooksOf, type MastraOptions, withHooks } from '../../../src/entries/mastra.ts';
import { gate } from '../../support/gate.ts';
import { argumentAttacks } from '../../support/argument-attacks.ts';
import { group, projectWithHooks } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { redacting, secret } from '../../support/text-hooks.ts';
import { deny, resultsIn } from '../ai-sdk/agent.ts';
import type { Fields } from '../ai-sdk/sdk.ts';
import { model, type Said } from './model.ts';

/** The parts of the package that tests use; a type test checks the adapter against the real types. */
interface Agent {
  generate(prompt: string, options?: object): Promise<Ended>;
  stream(prompt: string, options?: object): Promise<Streaming>;
  approveToolCall(options: object): Promise<Streaming>;
  declineToolCall(options: object): Promise<Streaming>;
  resumeStream(data: object, options: object): Promise<Streaming>;
}
interface Suspendable {
  readonly resumeData?: unknown;
  suspend(payload: object): Promise<unknown>;
}
interface Ended {
  readonly text: string;
}
interface Streaming {
  readonly runId: string;
  readonly fullStream: AsyncIterable<{ readonly type: string; readonly payload: Fields }>;
  readonly text: PromiseLike<string>;
}

type ToolRun = (input: never, context: never) => unknown;

const require = createRequire(import.meta.url);
const load = async <Module>(name: string): Promise<Module> =>
  (await import(pathToFileURL(require.resolve(name)).href)) as Module;

/** The parts of its modules that tests use. */
interface Modules {
  readonly Agent: new (config: object) => Agent;
  readonly createTool: (tool: object) => object;
  readonly Mastra: new (config: object) => object;
  readonly InMemoryStore: new () => object;
  readonly noopLogger: object;
}

type Mode = 'generated' | 'streamed';

interface Options {
  readonly hooks?: object;
  readonly files?: Readonly<Record<string, string | object>>;
  readonly answers:
    | readonly Said[]
    | ((asked: { readonly prompt: readonly { content: unknown }[] }) => Said);
  readonly tools?: Readonly<Record<string, ToolRun | Fields>>;
  readonly options?: MastraOptions;
  readonly more?: object;
  readonly cwd?: string;
}

const readAll = async (streaming: Streaming, onText?: () => void) => {
  const chunks: { readonly type: string; readonly payload: Fields }[] = [];
  for await (const chunk of streaming.fullStream) {
    chunks.push(chunk);
    if (chunk.type === 'text-delta') onText?.();
  }
  return { text: await streaming.text, chunks, runId: streaming.runId };
};
async function agentOf(
  mode: Mode,
  { hooks = {}, files = {}, answers, tools = {}, options = {}, more = {}, cwd }: Options,
) {
  const { Agent } = await load<Modules>('@mastra/core/agent');
  const { createTool } = await load<Modules>('@mastra/core/tools');
  const { Mastra } = await load<Modules>('@mastra/core/mastra');
  const { InMemoryStore } = await load<Modules>('@mastra/core/storage');
  const { noopLogger } = await load<Modules>('@mastra/core/logger');
  const { z } = await load<typeof zod>('zod');
  const folder = cwd ?? projectWithHooks(hooks, files);
  const some = model(answers);
  const warnings: string[] = [];
  const stops: string[] = [];
  const config = withHooks(
    {
      id: 'some-agent',
      name: 'some agent',
      instructions: 'You are terse.',
      model: some,
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, tool]) => [
          name,
          createTool({
            id: name,
            description: name,
            inputSchema: z.object({ path: z.string() }),
            ...(typeof tool === 'function' ? { execute: tool } : tool),
          }),
        ]),
      ),
      ...more,
    },
    {
      cwd: folder,
      isTrustedFolder: () => true,
      onWarning: (line) => void warnings.push(line),
      onStop: (reason) => void stops.push(reason),
      ...options,
    },
  );
  onTestFinished(() => hooksOf(config).end());
  const agent = new Agent(config);
  void new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: noopLogger });
  const run = async (prompt: string, given: object = {}) => {
    if (mode === 'streamed') return readAll(await agent.stream(prompt, given));
    return { text: (await agent.generate(prompt, given)).text, chunks: [], runId: '' };
  };
  return {
    agent,
    run,
    read: readAll,
    warnings,
    stops,
    asked: some.asked,
    left: (file: string): string => {
      const path = join(folder, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
  };
}

const wantsWrite: Said = { text: 'I write.', calls: [['c1', 'write', { path: 'a.txt' }]] };
const done: Said = { text: 'Done.' };
const stop = print({ continue: false, stopReason: 'enough' });
const context = print({ hookSpecificOutput: { additionalContext: 'It was formatted.' } });

/** A tool that is given for a single call. */
const toolsets = async (execute: ToolRun) => {
  const { createTool } = await load<Modules>('@mastra/core/tools');
  return { toolsets: { more: { write: createTool({ id: 'write', description: 'w', execute }) } } };
};

export function cases(): void {
  describe.each(['generated', 'streamed'] as const)('an agent of Mastra, %s', (mode) => {
    argumentAttacks(async (cwd, calls, run) => {
      const { z } = await load<typeof zod>('zod');
      const tools = calls.map(({ name }) => [
        name,
        { inputSchema: z.looseObject({}), execute: (args: never) => run({ name, args }) },
      ]);
      const some = await agentOf(mode, {
        cwd,
        answers: [{ calls: calls.map(({ id, name, args }) => [id, name, args]) }, done],
        tools: Object.fromEntries(tools) as Record<string, Fields>,
      });
      await some.run('Go');
    });

    test('a call runs as it is if no hook matches', async () => {
      const write = vi.fn(async () => 'written');
      const { run, asked } = await agentOf(mode, {
        hooks: { BeforeTool: [group(deny('no'), {}, 'other')] },
        answers: [wantsWrite, done],
        tools: { write },
      });
      expect((await run('Go')).text).toContain('Done.');
      expect(write).toHaveBeenCalledOnce();
      expect(resultsIn(asked[1]!)).toEqual([{ type: 'text', value: 'written' }]);
    });

    test('a denied call does not run, and the model reads why', async () => {
      const write = vi.fn();
      const { run, asked } = await agentOf(mode, {
        hooks: { BeforeTool: [group(deny('not here'))] },
        answers: [wantsWrite, done],
        tools: { write },
      });
      expect((await run('Go')).text).toContain('Done.');
      expect(write).not.toHaveBeenCalled();
      expect(JSON.stringify(resultsIn(asked[1]!))).toContain('not here');
    });

    test('rewritten arguments reach the tool, AfterTool, the history and what is shown', async () => {
      const write = vi.fn(async (_input: object) => 'written');
      const { run, asked, left } = await agentOf(mode, {
        hooks: {
          BeforeTool: [group(print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } }))],
          AfterTool: [group('jq -c .tool_input > after.json')],
        },
        answers: [wantsWrite, done],
        tools: { write },
      });
      const { chunks } = await run('Go');
      expect(write.mock.calls[0]![0]).toEqual({ path: 'b.txt' });
      expect(JSON.parse(left('after.json'))).toEqual({ path: 'b.txt' });
      expect(
        JSON.stringify([asked[1]!.prompt, chunks.map(({ payload }) => payload)]),
      ).not.toContain('a.txt');
    });

    test('the model reads context after a text, and beside an object', async () => {
      const output = { lines: 3 };
      const { run, asked } = await agentOf(mode, {
        hooks: { AfterTool: [group(context)] },
        answers: [wantsWrite, { calls: [['c2', 'read', { path: 'a.txt' }]] }, done],
        tools: { write: async () => 'written', read: async () => output },
      });
      await run('Go');
      const [text, object] = resultsIn(asked[2]!);
      expect(text).toEqual({ type: 'text', value: 'written\n\nIt was formatted.' });
      expect(object).toMatchObject({
        type: 'content',
        value: [{ text: '{"lines":3}' }, { text: 'It was formatted.' }],
      });
    });

    test.each([
      ['before a tool', 'BeforeTool', 0, 1],
      ['after a tool', 'AfterTool', 1, 1],
      ['before the model', 'BeforeModel', 0, 0],
      ['after the model', 'AfterModel', 0, 1],
    ])('a run ends if a hook stops it %s', async (_, event, ran, count) => {
      const write = vi.fn(async () => 'written');
      const { run, asked, stops } = await agentOf(mode, {
        hooks: { [event]: [group(stop)] },
        answers: [wantsWrite, done],
        tools: { write },
      });
      expect((await run('Go')).text).toContain('enough');
      expect(write).toHaveBeenCalledTimes(ran);
      expect(asked).toHaveLength(count);
      expect(stops).toEqual(['enough']);
    });

    test('no piece of an answer that a hook redacted is shown', async () => {
      const redact = print({
        hookSpecificOutput: {
          llm_response: { candidates: [{ content: { role: 'model', parts: ['It is hidden.'] } }] },
        },
      });
      const { run } = await agentOf(mode, {
        hooks: { AfterModel: [group(redact)] },
        answers: [{ text: 'This is the secret.' }],
      });
      const { text, chunks } = await run('Go');
      expect(text).toBe('It is hidden.');
      expect(JSON.stringify(chunks.map(({ payload }) => payload))).not.toContain('secret');
    });

    test('text is shown as streaming hooks let it through', async () => {
      const seen = gate();
      const { agent, run } = await agentOf(mode, {
        ...redacting,
        answers: [{ text: `It is a long way to ${secret} from here.`, until: seen.opened }],
      });
      const { text, chunks } =
        mode === 'streamed' ? await readAll(await agent.stream('Go'), seen.open) : await run('Go');
      expect(text).toBe('It is a long way to [key] from here.');
      const deltas = chunks.filter(({ type }) => type === 'text-delta');
      expect(deltas.map(({ payload }) => payload['text']).join('')).toBe(
        mode === 'streamed' ? text : '',
      );
    });

    test('the answer of a model that is known only with the request is redacted', async () => {
      const redact = print({ hookSpecificOutput: { llm_response: { text: 'It is hidden.' } } });
      const some = model([wantsWrite, { text: 'This is the secret.' }]);
      const { run } = await agentOf(mode, {
        hooks: { AfterModel: [group(redact)] },
        answers: [],
        more: { model: () => some },
        tools: { write: async () => 'written' },
      });
      const { text, chunks } = await run('Go');
      expect(text).toContain('It is hidden.');
      expect(text).not.toContain('secret');
      expect(JSON.stringify(chunks.map(({ payload }) => payload))).not.toContain('secret');
    });

    test('the model is offered the tools that a hook left', async () => {
      const toolConfig = { allowedFunctionNames: ['read'] };
      const { run, asked } = await agentOf(mode, {
        hooks: { BeforeToolSelection: [group(print({ hookSpecificOutput: { toolConfig } }))] },
        answers: [done],
        tools: { read: async () => 'read', write: async () => 'written' },
      });
      await run('Go');
      expect(asked[0]!.tools!.map(({ name }) => name)).toEqual(['read']);
    });

    test('session and turn events come in order', async () => {
      const events = ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent'];
      const note = group('jq -r .hook_event_name >> events');
      const { run, left } = await agentOf(mode, {
        hooks: Object.fromEntries(events.map((event) => [event, [note]])),
        answers: [wantsWrite, done],
        tools: { write: async () => 'written' },
      });
      await run('Go');
      expect(left('events').trim().split('\n')).toEqual(events);
    });

    test('a model that is known only with the request is guarded, and so are tools given for one call', async () => {
      const some = model([wantsWrite, done]);
      const write = vi.fn();
      const { run, left } = await agentOf(mode, {
        hooks: {
          BeforeTool: [group(deny('not here'))],
          BeforeModel: [group('jq -r .hook_event_name >> events')],
        },
        answers: [],
        more: { model: () => some },
      });
      const { createTool } = await load<Modules>('@mastra/core/tools');
      const tool = createTool({ id: 'write', description: 'w', execute: write });
      await run('Go', { toolsets: { more: { write: tool } } });
      expect(left('events')).toContain('BeforeModel');
      expect(write).not.toHaveBeenCalled();
      expect(JSON.stringify(resultsIn(some.asked[1]!))).toContain('not here');
    });
  });

  describe('a tool that is given with a call', () => {
    const ask = print({ decision: 'ask', reason: 'May it write?' });

    test('a tool given for one call is asked about, runs once approved, and has its result annotated', async () => {
      const own = { hooks: { 'tool.before': [group(ask)], 'tool.after': [group(context)] } };
      const write = vi.fn(async () => 'written');
      const given = await toolsets(write);
      const { run, read, agent, asked } = await agentOf('streamed', {
        files: { '.hookmachine/settings.json': own },
        answers: [wantsWrite, done],
      });
      const { chunks, runId } = await run('Go', given);
      expect(chunks.map(({ type }) => type)).toContain('tool-call-approval');
      expect(write).not.toHaveBeenCalled();
      await read(await agent.approveToolCall({ runId, toolCallId: 'c1', ...given }));
      expect(resultsIn(asked[1]!)).toEqual([
        { type: 'text', value: 'written\n\nIt was formatted.' },
      ]);
    });

    test('a tool given for one call may return an object, and the model reads the context beside it', async () => {
      const { run, asked } = await agentOf('generated', {
        hooks: { AfterTool: [group(context)] },
        answers: [wantsWrite, done],
      });
      await run('Go', await toolsets(async () => ({ lines: 3 })));
      expect(resultsIn(asked[1]!)).toMatchObject([
        { type: 'content', value: [{ text: '{"lines":3}' }, { text: 'It was formatted.' }] },
      ]);
    });

    test.each([
      ['hooks', { hooks: { beforeToolCall: () => undefined } }],
      ['processors', { inputProcessors: [] }],
    ])(
      'a tool given for one call does not run against hooks if the call has %s of its own',
      async (_, more) => {
        const write = vi.fn();
        const { run } = await agentOf('generated', {
          files: { '.hookmachine/settings.json': { hooks: { 'tool.before': [group(ask)] } } },
          answers: [wantsWrite, done],
        });
        await run('Go', { ...(await toolsets(write)), ...more });
        expect(write).not.toHaveBeenCalled();
      },
    );

    test('a call of a client tool does not reach the client if hooks deny it', async () => {
      const { createTool } = await load<Modules>('@mastra/core/tools');
      const { run } = await agentOf('streamed', {
        hooks: { BeforeTool: [group(deny('not here'))] },
        answers: [{ calls: [['c1', 'write', { path: 'a.txt' }]] }],
      });
      const page = createTool({ id: 'write', description: 'w' });
      const { text, chunks } = await run('Go', { clientTools: { write: page } });
      expect(text).toBe('not here');
      expect(chunks.map(({ type }) => type)).not.toContain('tool-call');
    });
  });

  test.each([
    ['no hook matches', {}],
    ['hooks match', { 'tool.before': [group('true')] }],
  ])(
    'the user is asked about each call that the caller wants asked about, if %s',
    async (_, hooks) => {
      const write = vi.fn();
      const { run } = await agentOf('streamed', {
        files: { '.hookmachine/settings.json': { hooks } },
        answers: [wantsWrite],
        tools: { write },
      });
      const { chunks } = await run('Go', { requireToolApproval: true });
      expect(chunks.map(({ type }) => type)).toContain('tool-call-approval');
      expect(write).not.toHaveBeenCalled();
    },
  );

  test('hooks see the result of a tool that suspended its call once it is there', async () => {
    const { run, read, agent, left } = await agentOf('streamed', {
      hooks: {
        BeforeTool: [group('echo before >> events')],
        AfterTool: [group('jq -r .tool_response.llmContent >> events')],
      },
      answers: [wantsWrite, done],
      tools: {
        write: async (_: never, { agent: call }: { readonly agent: Suspendable }) =>
          call.resumeData ? 'written' : call.suspend({ really: true }),
      },
    });
    const { runId } = await run('Go');
    expect(left('events')).toBe('before\n');
    const { text } = await read(
      await agent.resumeStream({ yes: true }, { runId, toolCallId: 'c1' }),
    );
    expect(text).toContain('Done.');
    expect(left('events')).toBe('before\nwritten\n');
  });

  test('nobody is asked about a denied call', async () => {
    const own = { hooks: { 'tool.before': [group(deny('not here'))] } };
    const write = vi.fn(async () => 'written');
    const { run, asked } = await agentOf('streamed', {
      files: { '.hookmachine/settings.json': own },
      answers: [wantsWrite, done],
      tools: { write: { execute: write, requireApproval: true } },
    });
    const { chunks, text } = await run('Go');
    expect(chunks.map(({ type }) => type)).not.toContain('tool-call-approval');
    expect(text).toContain('Done.');
    expect(write).not.toHaveBeenCalled();
    expect(JSON.stringify(resultsIn(asked[1]!))).toContain('not here');
  });

  test.each([
    ['approves', { decision: 'allow' }, 'written'],
    ['denies', { decision: 'deny', reason: 'not here' }, 'not here'],
  ])('nobody is asked about a call that a ToolPermission hook %s', async (_, said, result) => {
    const own = { hooks: { 'tool.permission': [group(print(said))] } };
    const { run, asked } = await agentOf('streamed', {
      files: { '.hookmachine/settings.json': own },
      answers: [wantsWrite, done],
      tools: { write: { execute: async () => 'written', requireApproval: true } },
    });
    const { chunks } = await run('Go');
    expect(chunks.map(({ type }) => type)).not.toContain('tool-call-approval');
    expect(JSON.stringify(resultsIn(asked[1]!))).toContain(result);
  });

  test('the user is asked what a hook wants asked', async () => {
    const ask = print({ decision: 'ask', reason: 'May it write?' });
    const own = { hooks: { 'tool.before': [group(ask)] } };
    const write = vi.fn(async () => 'written');
    const { run, read, agent, asked } = await agentOf('streamed', {
      files: { '.hookmachine/settings.json': own },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { chunks, runId } = await run('Go');
    expect(chunks.map(({ type }) => type)).toContain('tool-call-approval');
    expect(write).not.toHaveBeenCalled();
    const { text } = await read(await agent.approveToolCall({ runId, toolCallId: 'c1' }));
    expect(write).toHaveBeenCalledOnce();
    expect(text).toContain('Done.');
    expect(resultsIn(asked[1]!)).toEqual([{ type: 'text', value: 'written' }]);
  });
}
