import { Agent, applyPatchTool, Runner, RunState, shellTool } from '@openai/agents';
import { ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { withHooks } from '../../../../src/entries/openai-agents.ts';
import {
  type AnyAgent,
  call,
  deny,
  type Hooks,
  modes,
  note,
  notes,
  print,
  projectWith,
  resultsIn,
  runIn,
  says,
  setup,
  toolOf,
} from './kit.ts';

const wantsWrite = [call('write', 'a.txt')];
const done = [says('Done.')];
const rewrite = print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } });
/** A hook that wants the user to be asked. */
const ask = print({ decision: 'ask', reason: 'Is that all right?' });

const writing = (ran: unknown[], needsApproval: boolean) =>
  toolOf('write', (input) => void ran.push(input), { needsApproval });

function elsewhere(hooks: Hooks, dialect?: 'hookmachine') {
  const ran: unknown[] = [];
  const cwd = projectWith(hooks, dialect);
  const model = new ScriptedModel([done]);
  const agent = new Agent({ name: 'A', model, tools: [writing(ran, true)] });
  return { ran, cwd, model, agent };
}

function tools() {
  const ran: object[] = [];
  const edit = async (operation: object) => {
    ran.push(operation);
    return { output: 'edited' };
  };
  const shell = shellTool({
    shell: {
      run: async (action) => {
        ran.push(action);
        return {
          output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }],
        };
      },
    },
  });
  const patch = applyPatchTool({
    editor: { createFile: edit, updateFile: edit, deleteFile: edit },
  });
  return { ran, tools: [shell, patch] };
}

const outputOf = (model: ScriptedModel): string =>
  JSON.stringify((model.calls.at(-1)!.request.input as unknown[]).at(-1));

describe.each(modes)('approvals of the OpenAI Agents SDK, %s', (mode) => {
  test('approvals are about the rewritten arguments, with which an approved call runs, judged once', async () => {
    const ran: unknown[] = [];
    const { runner, agent, cwd, model } = setup({
      hooks: { BeforeTool: `${note('before')}; ${rewrite}`, AfterTool: note('after') },
      script: [wantsWrite, done],
      tools: [writing(ran, true)],
    });
    const { result } = await runIn(mode, runner, agent, 'Go');
    expect(result.interruptions.map((item) => item.arguments)).toEqual(['{"path":"b.txt"}']);
    expect(ran).toEqual([]);
    result.state.approve(result.interruptions[0]!);
    const resumed = await runIn(mode, runner, agent, result.state);
    expect(resumed.output).toBe('Done.');
    expect(ran).toEqual([{ path: 'b.txt' }]);
    expect(notes(cwd, 'before')).toHaveLength(1);
    expect(notes(cwd, 'after')).toMatchObject([{ tool_input: { path: 'b.txt' } }]);
    expect(resultsIn(model)).toHaveProperty('call_1');
  });

  test('no approval is asked for a call that hooks deny', async () => {
    const ran: unknown[] = [];
    const { runner, agent, model } = setup({
      hooks: { BeforeTool: deny('no') },
      script: [wantsWrite, done],
      tools: [writing(ran, true)],
    });
    const { output } = await runIn(mode, runner, agent, 'Go');
    expect([output, ran]).toEqual(['Done.', []]);
    expect(resultsIn(model)).toEqual({ call_1: 'no' });
  });

  test.each([true, false])(
    'approval is asked for if a hook wants it; approved: %s',
    async (isApproved) => {
      const ran: unknown[] = [];
      const { runner, agent, model } = setup({
        hooks: { BeforeTool: ask },
        dialect: 'hookmachine',
        script: [wantsWrite, done],
        tools: [writing(ran, false)],
      });
      const { result } = await runIn(mode, runner, agent, 'Go');
      expect(result.interruptions).toHaveLength(1);
      expect(ran).toEqual([]);
      const [question] = result.interruptions;
      if (isApproved) result.state.approve(question!);
      else result.state.reject(question!);
      await runIn(mode, runner, agent, result.state);
      expect(ran).toEqual(isApproved ? [{ path: 'a.txt' }] : []);
      expect(Object.keys(resultsIn(model))).toEqual(['call_1']);
    },
  );

  test.each([
    ['approves', { decision: 'allow' }, 'ran', []],
    ['denies', { decision: 'deny', reason: 'not here' }, 'not here', []],
    ['says nothing', {}, undefined, ['The agent wants to run write.']],
  ])(
    'a ToolPermission hook that %s runs before a tool’s own approval is asked for',
    async (_, said, result, asked) => {
      const { runner, agent, model, cwd } = setup({
        hooks: { 'tool.permission': print(said), notify: note('notified') },
        dialect: 'hookmachine',
        script: [wantsWrite, done],
        tools: [toolOf('write', () => 'ran', { needsApproval: true })],
      });
      const ran = await runIn(mode, runner, agent, 'Go');
      expect(ran.result.interruptions).toHaveLength(asked.length);
      expect(notes(cwd, 'notified').map(({ message }) => message)).toEqual(asked);
      for (const question of ran.result.interruptions) ran.result.state.approve(question);
      if (asked.length > 0) await runIn(mode, runner, agent, ran.result.state);
      expect(resultsIn(model)).toEqual({ call_1: result ?? 'ran' });
    },
  );

  /** An approval that was given to a run of another process, which had these hooks. */
  async function approvedElsewhere(hooks: Hooks = { BeforeTool: 'true' }): Promise<string> {
    const { runner, agent } = setup({
      hooks,
      script: [wantsWrite],
      tools: [writing([], true)],
    });
    const { result } = await runIn(mode, runner, agent, 'Go');
    result.state.approve(result.interruptions[0]!);
    return result.state.toString();
  }

  test.each(['named to withHooks', 'with hooks of its own', 'first known when it runs'])(
    'an approval given in another process does not let a call skip hooks, with an agent %s',
    async (how) => {
      const json = await approvedElsewhere();
      const { ran, cwd, model, agent } = elsewhere({
        BeforeTool: `${note('before')}; echo 'no' >&2; exit 2`,
      });
      const agents = how === 'named to withHooks' ? [agent] : [];
      const runner =
        how === 'with hooks of its own' ? new Runner() : withHooks(new Runner(), { cwd, agents });
      if (how === 'with hooks of its own') withHooks(agent, { cwd });
      const state = await RunState.fromString<undefined, AnyAgent>(agent, json);
      const { output } = await runIn(mode, runner, agent, state);
      expect([output, ran]).toEqual(['Done.', []]);
      expect(notes(cwd, 'before')).toHaveLength(1);
      expect(resultsIn(model)).toEqual({ call_1: 'no' });
    },
  );

  test('an approval given in another process lets a call run that hooks want asked about or allow', async () => {
    const json = await approvedElsewhere();
    const { ran, cwd, agent } = elsewhere(
      { BeforeTool: ask, AfterTool: note('after') },
      'hookmachine',
    );
    const runner = withHooks(new Runner(), { cwd, agents: [agent] });
    await runIn(mode, runner, agent, await RunState.fromString<undefined, AnyAgent>(agent, json));
    expect(ran).toEqual([{ path: 'a.txt' }]);
    expect(notes(cwd, 'after')).toHaveLength(1);
    await runner.end();
  });
});

describe.each(modes)('the shell and patches of the OpenAI Agents SDK, %s', (mode) => {
  const wantsShell = [
    {
      type: 'shell_call' as const,
      callId: 'call_1',
      status: 'completed' as const,
      action: { commands: ['ls', 'rm a'] },
    },
  ];
  const wantsPatch = [
    {
      type: 'apply_patch_call' as const,
      callId: 'call_2',
      status: 'completed' as const,
      operation: { type: 'delete_file' as const, path: 'a.txt' },
    },
  ];

  test('shell calls and patches that hooks deny do not run, and the model reads why', async () => {
    const { ran, tools: both } = tools();
    const { runner, agent, model } = setup({
      hooks: { BeforeTool: { shell: deny('no shell'), apply_patch: deny('no patch') } },
      script: [wantsShell, wantsPatch, done],
      tools: both,
    });
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.calls[1]!.request.input)).toContain('no shell');
    expect(outputOf(model)).toContain('no patch');
  });

  test('shell calls and patches are asked about if hooks want it, and do not run before that', async () => {
    const { ran, tools: both } = tools();
    const { runner, agent } = setup({
      hooks: { BeforeTool: ask },
      dialect: 'hookmachine',
      script: [wantsShell, wantsPatch, done],
      tools: both,
    });
    let { result } = await runIn(mode, runner, agent, 'Go');
    for (const runs of [0, 1]) {
      expect(result.interruptions).toHaveLength(1);
      expect(ran).toHaveLength(runs);
      result.state.approve(result.interruptions[0]!);
      ({ result } = await runIn(mode, runner, agent, result.state));
    }
    expect(ran).toHaveLength(2);
  });

  test('shell calls and patches run with rewritten arguments, and context follows their output', async () => {
    const { ran, tools: both } = tools();
    const context = print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } });
    const { runner, agent, model, cwd } = setup({
      hooks: {
        BeforeTool: {
          shell: `${note('before')}; ${print({ hookSpecificOutput: { tool_input: { commands: ['ls'] } } })}`,
        },
        AfterTool: context,
      },
      script: [wantsShell, wantsPatch, done],
      tools: both,
    });
    await runIn(mode, runner, agent, 'Go');
    expect(ran).toMatchObject([{ commands: ['ls'] }, { type: 'delete_file', path: 'a.txt' }]);
    expect(JSON.stringify(model.calls[1]!.request.input)).toContain('Mind the gap.');
    expect(JSON.stringify(model.calls[1]!.request.input)).not.toContain('rm a');
    expect(outputOf(model)).toContain('edited');
    expect(outputOf(model)).toContain('Mind the gap.');
    expect(notes(cwd, 'before')).toHaveLength(1);
  });
});
