import { Agent, Runner, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withHooks } from '../../../../src/entries/openai-agents.ts';
import {
  call,
  deny,
  modes,
  note,
  notes,
  print,
  projectWith,
  resultsIn,
  runIn,
  says,
  setup,
  shown,
  toolOf,
} from './kit.ts';

const wantsWrite = [call('write', 'a.txt')];
const done = [says('Done.')];
const rewrite = print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } });

const fails = () => {
  throw new Error('disk full');
};
const errorFunction = (_: unknown, error: unknown): string => `failed: ${String(error)}`;

describe.each(modes)('tool calls of the OpenAI Agents SDK, %s', (mode) => {
  test.each([
    ['no hook matches', { BeforeTool: { other: deny('no') } }],
    ['there are no hooks', {}],
  ])('a tool call runs as it is if %s', async (_, hooks) => {
    const { runner, agent, model, ran, warnings } = setup({ hooks, script: [wantsWrite, done] });
    const { output } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('Done.');
    expect(ran).toEqual([{ name: 'write', input: { path: 'a.txt' } }]);
    expect(resultsIn(model)).toEqual({ call_1: 'done' });
    expect(warnings).toEqual([]);
  });

  test('a tool call denied by JSON does not run, and the next call of the same tool does', async () => {
    const guard = `input=$(cat); case "$input" in *a.txt*) ${print({ decision: 'deny', reason: 'not a' })};; esac`;
    const { runner, agent, model, ran } = setup({
      hooks: { BeforeTool: guard },
      script: [wantsWrite, [call('write', 'b.txt', 'call_2')], done],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toEqual([{ name: 'write', input: { path: 'b.txt' } }]);
    expect(resultsIn(model)).toEqual({ call_1: 'not a', call_2: 'done' });
  });

  test('a tool call runs if a hook fails, and a warning says so', async () => {
    const { runner, agent, ran, warnings } = setup({
      hooks: { BeforeTool: 'echo broken >&2; exit 1' },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toHaveLength(1);
    expect(warnings.join('\n')).toContain('broken');
  });

  test('AfterTool hooks see the rewritten arguments, and so does the user in every event', async () => {
    const { runner, agent, cwd } = setup({
      hooks: { BeforeTool: rewrite, AfterTool: note('after') },
      script: [wantsWrite, done],
    });
    const { result, events } = await runIn(mode, runner, agent, 'Go');
    expect(notes(cwd, 'after')).toMatchObject([
      { tool_name: 'write', tool_input: { path: 'b.txt' } },
    ]);
    expect(JSON.stringify(result.rawResponses) + shown(events)).not.toContain('a.txt');
  });

  test('tool calls with the same id in two simultaneous runs are told apart', async () => {
    const guard = `input=$(cat); case "$input" in *a.txt*) sleep 0.3; echo 'not a' >&2; exit 2;; esac`;
    const { runner, cwd } = setup({ hooks: { BeforeTool: guard }, script: [] });
    const ran: string[] = [];
    const runOne = async (path: string) => {
      const model = new ScriptedModel([[call('write', path)], done]);
      const tools = [toolOf('write', (input) => void ran.push(input.path))];
      await runIn(mode, runner, new Agent({ name: path, model, tools }), 'Go');
      return resultsIn(model)['call_1'];
    };
    expect(await Promise.all(['a.txt', 'b.txt'].map(runOne))).toEqual(['not a', 'undefined']);
    expect(ran).toEqual(['b.txt']);
    expect(cwd).toBeTruthy();
  });

  test('context follows a text result', async () => {
    const { runner, agent, model } = setup({
      hooks: { AfterTool: print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } }) },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(resultsIn(model)).toEqual({ call_1: 'done\n\nMind the gap.' });
  });

  test('context is put beside an object, which stays as it is for the program', async () => {
    const { runner, agent, model, cwd } = setup({
      hooks: {
        AfterTool:
          `tee -a after; ${print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } })}`.replace(
            'tee -a after',
            'tee -a after > /dev/null; echo >> after',
          ),
      },
      script: [wantsWrite, done],
      tools: [toolOf('write', () => ({ lines: 3 }))],
    });
    const { result } = await runIn(mode, runner, agent, 'Go');
    expect(JSON.parse(resultsIn(model)['call_1']!)).toEqual({
      lines: 3,
      hookmachine: 'Mind the gap.',
    });
    const output = result.newItems.find(({ type }) => type === 'tool_call_output_item');
    expect(output).toMatchObject({ output: { lines: 3 } });
    expect(output && 'output' in output && output.output).toEqual({ lines: 3 });
    expect(notes(cwd, 'after')[0]).toMatchObject({ tool_response: { llmContent: { lines: 3 } } });
  });

  test('context follows structured content', async () => {
    const { runner, agent, model } = setup({
      hooks: { AfterTool: print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } }) },
      script: [wantsWrite, done],
      tools: [toolOf('write', () => ({ type: 'text', text: 'written' }))],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(resultsIn(model)).toEqual({ call_1: 'written|Mind the gap.' });
  });

  test('a tool that throws behaves as it does without hooks', async () => {
    const { runner, agent, model, cwd } = setup({
      hooks: { AfterTool: note('after') },
      script: [wantsWrite, done],
      tools: [toolOf('write', fails, { errorFunction })],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(resultsIn(model)['call_1']).toContain('disk full');
    expect(notes(cwd, 'after')).toHaveLength(1);
    const bare = setup({
      hooks: { AfterTool: 'true' },
      script: [wantsWrite],
      tools: [toolOf('write', fails, { errorFunction: null })],
    });
    await expect(runIn(mode, bare.runner, bare.agent, 'Go')).rejects.toThrow('disk full');
  });

  test('calls of a tool that MCP or another list provides at run time are guarded', async () => {
    const { runner, agent, ran, model } = setup({
      hooks: { BeforeTool: { late: deny('not late') } },
      script: [[call('late', 'a.txt')], done],
    });
    agent.tools.push(toolOf('late', (input) => void ran.push({ name: 'late', input })));
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toEqual([]);
    expect(resultsIn(model)).toEqual({ call_1: 'not late' });
  });

  test('calls of a tool that hooks know by another name are guarded under that name', async () => {
    const { runner, agent, model } = setup({
      hooks: { BeforeTool: { '^write_file$': deny('no') } },
      script: [wantsWrite, done],
      options: { tools: { alias: { write: 'write_file' } } },
    });
    await runIn(mode, runner, agent, 'Go');
    expect(resultsIn(model)).toEqual({ call_1: 'no' });
  });

  test('calls of an agent used as a tool are guarded like those of the agent that has it, and so are those of its own agents', async () => {
    const ran: string[] = [];
    const inner = new Agent({
      name: 'Inner',
      model: new ScriptedModel([[call('write', 'a.txt', 'inner_1')], [says('Inner is done.')]]),
      tools: [toolOf('write', ({ path }) => void ran.push(path))],
    });
    const { runner, agent, model, cwd } = setup({
      hooks: { BeforeTool: { write: `${note('before')}; echo 'no' >&2; exit 2`, inner: 'true' } },
      script: [[functionCall('inner', { input: 'Write' }, { callId: 'call_1' })], done],
      tools: [inner.asTool({ toolName: 'inner', toolDescription: 'Writes' })],
    });
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toEqual([]);
    expect(resultsIn(model)).toEqual({ call_1: 'Inner is done.' });
    expect(resultsIn(inner.model as ScriptedModel)).toEqual({ inner_1: 'no' });
    expect(notes(cwd, 'before')).toMatchObject([{ tool_name: 'write' }]);
  });

  test('calls of an agent that was handed off to are guarded', async () => {
    const ran: string[] = [];
    const model = new ScriptedModel([
      [functionCall('transfer_to_Other', {}, { callId: 'call_1' })],
      [call('write', 'a.txt', 'call_2')],
      done,
    ]);
    const other = new Agent({
      name: 'Other',
      model,
      tools: [toolOf('write', ({ path }) => void ran.push(path))],
    });
    const { runner, agent } = setup({
      hooks: { BeforeTool: { write: deny('no') } },
      script: [],
      agent: { model, handoffs: [other] },
    });
    const { result } = await runIn(mode, runner, agent, 'Go');
    expect(ran).toEqual([]);
    expect(result.lastAgent?.name).toBe('Other');
    expect(resultsIn(model)).toMatchObject({ call_2: 'no' });
  });

  test('a handoff to another agent is judged: a denied one leaves the current agent in charge, and the model reads why', async () => {
    const other = new Agent({ name: 'Other', model: new ScriptedModel([]) });
    const { runner, agent, model } = setup({
      hooks: { BeforeTool: { transfer_to_Other: deny('stay') } },
      script: [[functionCall('transfer_to_Other', {}, { callId: 'call_1' })], done],
      agent: { handoffs: [other] },
    });
    const { result, output } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('Done.');
    expect(result.lastAgent?.name).toBe('A');
    expect(resultsIn(model)).toEqual({ call_1: 'stay' });
  });

  test('calls of a copy of an agent are guarded', async () => {
    const { runner, agent, ran, model } = setup({
      hooks: { BeforeTool: deny('no') },
      script: [wantsWrite, done],
    });
    await runIn(mode, runner, agent.clone({ name: 'Copy' }), 'Go');
    expect(ran).toEqual([]);
    expect(resultsIn(model)).toEqual({ call_1: 'no' });
  });

  test('calls of an agent that was wrapped by itself are guarded, no matter who runs it', async () => {
    const cwd = projectWith({ BeforeTool: deny('no'), SessionEnd: note('end') });
    const ran: unknown[] = [];
    const model = new ScriptedModel([wantsWrite, done]);
    const agent = withHooks(
      new Agent({ name: 'A', model, tools: [toolOf('write', (input) => void ran.push(input))] }),
      { cwd },
    );
    await runIn(mode, new Runner(), agent, 'Go');
    await agent.end();
    expect(ran).toEqual([]);
    expect(resultsIn(model)).toEqual({ call_1: 'no' });
    expect(notes(cwd, 'end')).toMatchObject([{ reason: 'exit' }]);
  });
});

test('tools and agents keep their types', () => {
  const typed = tool({
    name: 'typed',
    description: 'typed',
    parameters: z.object({ path: z.string() }),
    execute: async ({ path }) => path.length,
  });
  const agent = new Agent({
    name: 'A',
    outputType: z.object({ size: z.number() }),
    tools: [typed],
  });
  const guarded: typeof agent = withHooks(agent, { cwd: '/' });
  const runner: Runner = withHooks(new Runner(), { agents: [agent, guarded] });
  const check = async (): Promise<number | undefined> =>
    (await runner.run(guarded, 'Go')).finalOutput?.size;
  expect([guarded, typeof check]).toEqual([agent, 'function']);
  expect(assistantMessage('x').role).toBe('assistant');
});
