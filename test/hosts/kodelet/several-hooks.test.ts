import { describe, expect, test } from 'vitest';
import { kodelet, kodeletStrict } from '../../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { answering, hookOf, kodeletBox } from '../../support/kodelet.ts';
import { inParallel, print, someFields } from '../../support/session.ts';

const strict = { dialects: [llxprt, kodeletStrict] };
const blocked = { blocked: true, reason: 'Guarded' };
const shell = { tool_name: 'run_shell_command', tool_input: { command: 'ls', dir: 'a' } };

/** A hook that adds a word to the command it receives, and records what it received. */
const adding = (word: string, more = ''): string => `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
if (process.argv[2] === 'hook') console.log('before_tool_call');
else {
  const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
  appendFileSync('input', JSON.stringify(input) + '\\n');
  console.log(JSON.stringify({ input: { command: input.command + ' ${word}' }${more} }));
}
`;

/** A hook that wraps the output it receives, and records what it received. */
const wrapping = (word: string): string => `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
if (process.argv[2] === 'hook') console.log('after_tool_call');
else {
  const { tool_output: output } = JSON.parse(readFileSync(0, 'utf8'));
  appendFileSync('input', JSON.stringify(output) + '\\n');
  console.log(JSON.stringify({ output: { success: true, note: '${word}', metadata: { output: '${word}(' + output.metadata.output + ')' } } }));
}
`;

/** A sandbox whose project or user settings hold these hooks before and after a tool. */
const mixed = (level: 'project' | 'user', ...commands: string[]) => {
  const box = kodeletBox();
  box.write(box.files[level], {
    tools: { enableHooks: true },
    hooks: { BeforeTool: inParallel(...commands), AfterTool: inParallel(...commands) },
  });
  return box;
};
const change = (tool_input: object) => print({ hookSpecificOutput: { tool_input } });

describe('several Kodelet hooks of a type (C-108, K9)', () => {
  test('any block of a Kodelet hook blocks, whatever earlier hooks said', async () => {
    const { local, start } = kodeletBox();
    local('1', answering('before_tool_call', { blocked: false }));
    local('2', hookOf('before_tool_call'));
    local('3', answering('before_tool_call', blocked));
    const { fire } = await start();
    const { finalOutput, setBy } = await fire('BeforeTool', shell);
    expect([finalOutput?.getBlockReason(), setBy]).toEqual(['Guarded', { decision: '3' }]);
  });

  test.each([
    ['a later {"blocked":false}', answering('before_tool_call', { blocked: false })],
    ['the empty answer of a later logger', hookOf('before_tool_call', 'cat >> ran')],
  ])('%s does not undo a block: that hook is not even run', async (_, later) => {
    const { local, left, start } = kodeletBox();
    local('1', answering('before_tool_call', blocked));
    local('2', later);
    const { fire } = await start();
    const { finalOutput, results } = await fire('BeforeTool', shell);
    expect(finalOutput?.getBlockReason()).toBe('Guarded');
    expect([results.length, left('ran')]).toEqual([1, '']);
  });

  test('failed Kodelet hooks are ignored, and the next ones run', async () => {
    const { local, start } = kodeletBox();
    local('1', hookOf('before_tool_call', 'exit 7'));
    local('2', answering('before_tool_call', 'no object'));
    local('3', answering('before_tool_call', blocked));
    const { fire, warnings } = await start();
    const { finalOutput, results, success } = await fire('BeforeTool', shell);
    expect(results.map(({ status }) => status)).toEqual(['failed', 'failed', 'ok']);
    expect([finalOutput?.getBlockReason(), success, warnings.length]).toEqual([
      'Guarded',
      false,
      2,
    ]);
  });

  test('each Kodelet hook receives the arguments that earlier ones left, by name, project before user', async () => {
    const { local, global, left, start } = kodeletBox();
    global('0', adding('user'));
    local('1', adding('one'));
    local('2', hookOf('before_tool_call'));
    local('3', hookOf('before_tool_call', 'exit 1'));
    local('4', answering('before_tool_call', { blocked: false }));
    local('5', adding('five'));
    const { fire } = await start();
    const { toolInput, setBy, conflicts } = await fire('BeforeTool', shell);
    expect(
      left('input')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([{ command: 'ls', dir: 'a' }, { command: 'ls one' }, { command: 'ls one five' }]);
    expect(toolInput).toEqual({ command: 'ls one five user' });
    expect([setBy, conflicts]).toEqual([{ tool_input: '0', 'tool_input.dir': '1' }, []]);
  });

  test('each Kodelet hook receives exactly the result that earlier ones left', async () => {
    const { local, left, start } = kodeletBox();
    local('1', wrapping('one'));
    local('2', wrapping('two'));
    const { fire } = await start();
    const { toolResponse, setBy } = await fire('AfterTool', {
      ...shell,
      tool_response: { llmContent: 'text', returnDisplay: 'text' },
    });
    expect(JSON.parse(left('input').trim().split('\n')[1]!)).toEqual({
      success: true,
      note: 'one',
      metadata: { output: 'one(text)' },
    });
    expect(toolResponse).toMatchObject({ llmContent: 'two(one(text))' });
    expect(setBy).toEqual({ tool_response: '2' });
  });

  test('a block after rewrites still keeps the tool from running', async () => {
    const { local, start } = kodeletBox();
    local('1', adding('one'));
    local('2', answering('before_tool_call', blocked));
    const { fire } = await start();
    const { finalOutput } = await fire('BeforeTool', shell);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('the follow-ups of all Kodelet hooks are collected in order', async () => {
    const { local, global, start } = kodeletBox();
    local('2', answering('agent_stop', { follow_up_messages: ['b', 'c'] }));
    local('1', answering('agent_stop', { follow_up_messages: ['a'] }));
    local('3', hookOf('agent_stop'));
    global('0', answering('agent_stop', { follow_up_messages: ['d'] }));
    const { fire } = await start();
    expect((await fire('AfterAgent', someFields.AfterAgent)).followUps).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  test('a message is blocked if any Kodelet hook blocks it', async () => {
    const { local, global, start } = kodeletBox();
    local('1', answering('user_message_send', { blocked: false }));
    global('2', answering('user_message_send', blocked));
    const { fire } = await start();
    const { finalOutput } = await fire('BeforeAgent', { prompt: 'Hi' });
    expect(finalOutput?.getBlockReason()).toBe('Guarded');
  });
});

describe("kodelet-strict: ADR 021's own executor (C-108)", () => {
  test.each([
    ['a later {"blocked":false}', answering('before_tool_call', { blocked: false })],
    ['the empty answer of a later logger', hookOf('before_tool_call')],
    ['a later answer that cannot be read', hookOf('before_tool_call', 'echo no JSON')],
    ['a later null', hookOf('before_tool_call', 'echo null')],
    ['a later rewrite', adding('later')],
  ])('in kodelet-strict %s undoes a block, because the last result wins', async (_, later) => {
    const { local, start } = kodeletBox();
    local('1', answering('before_tool_call', blocked));
    local('2', later);
    const { fire } = await start(strict);
    const { finalOutput, results, setBy } = await fire('BeforeTool', shell);
    expect(finalOutput?.isBlockingDecision() ?? false).toBe(false);
    expect(results.length).toBe(2);
    expect(setBy['decision']).toBeUndefined();
  });

  test.each([
    ['fails', 'exit 1'],
    ['is killed', 'kill -9 $$'],
  ])('in kodelet-strict a later hook that %s is ignored, and the block stays', async (_, run) => {
    const { local, start } = kodeletBox();
    local('1', answering('before_tool_call', blocked));
    local('2', hookOf('before_tool_call', run));
    const { fire } = await start(strict);
    const { finalOutput, setBy } = await fire('BeforeTool', shell);
    expect([finalOutput?.getBlockReason(), setBy]).toEqual(['Guarded', { decision: '1' }]);
  });

  test('in kodelet-strict a block by the last hook blocks', async () => {
    const { local, start } = kodeletBox();
    local('1', adding('one'));
    local('2', answering('before_tool_call', blocked));
    const { fire } = await start(strict);
    const { finalOutput, setBy } = await fire('BeforeTool', shell);
    expect([finalOutput?.getBlockReason(), setBy]).toEqual(['Guarded', { decision: '2' }]);
  });

  test('in kodelet-strict each hook receives the original arguments, and only the last rewrite counts', async () => {
    const { local, global, left, start } = kodeletBox();
    local('1', adding('one'));
    local('2', adding('two'));
    global('0', adding('user'));
    const { fire } = await start(strict);
    const { toolInput, setBy } = await fire('BeforeTool', shell);
    expect(left('input')).toBe(`${JSON.stringify(shell.tool_input)}\n`.repeat(3));
    expect(toolInput).toEqual({ command: 'ls user' });
    expect(setBy['tool_input']).toBe('0');
  });

  test('in kodelet-strict a later silent logger erases an earlier rewrite', async () => {
    const { local, start } = kodeletBox();
    local('1', adding('one'));
    local('2', hookOf('before_tool_call'));
    const { fire } = await start(strict);
    expect((await fire('BeforeTool', shell)).toolInput).toBeUndefined();
  });

  test('in kodelet-strict each hook receives the original result, and only the last output counts', async () => {
    const { local, left, start } = kodeletBox();
    local('1', wrapping('one'));
    local('2', wrapping('two'));
    const { fire } = await start(strict);
    const { toolResponse } = await fire('AfterTool', {
      ...shell,
      tool_response: { llmContent: 'text', returnDisplay: 'text' },
    });
    const received = left('input').trim().split('\n');
    expect(received.map((line) => (JSON.parse(line) as { metadata: object }).metadata)).toEqual([
      { output: 'text' },
      { output: 'text' },
    ]);
    expect(toolResponse).toMatchObject({ llmContent: 'two(text)' });
  });

  test('in kodelet-strict only the last hook’s follow-ups count', async () => {
    const { local, start } = kodeletBox();
    local('1', answering('agent_stop', { follow_up_messages: ['a'] }));
    local('2', answering('agent_stop', { follow_up_messages: ['b'] }));
    local('3', hookOf('agent_stop', 'exit 1'));
    const { fire } = await start(strict);
    expect((await fire('AfterAgent', someFields.AfterAgent)).followUps).toEqual(['b']);
  });

  test('in kodelet-strict a message that is blocked first and let through last is sent', async () => {
    const { local, start } = kodeletBox();
    local('1', answering('user_message_send', blocked));
    local('2', answering('user_message_send', { blocked: false }));
    const { fire } = await start(strict);
    const { finalOutput } = await fire('BeforeAgent', { prompt: 'Hi' });
    expect(finalOutput?.isBlockingDecision()).toBe(false);
  });
});

describe('Kodelet and LLxprt hooks on the same call', () => {
  test('hooks of two dialects are planned together, and their lanes run in parallel', async () => {
    const { local, global, start } = mixed('project', 'true');
    local('log', hookOf('before_tool_call'));
    global('guard', answering('before_tool_call', blocked));
    const { fire } = await start();
    const { results, plan, setBy } = await fire('BeforeTool', shell);
    expect(plan).toEqual({ mode: 'parallel', count: 3 });
    expect(results.map(({ hook }) => [hook.dialect, hook.source, hook.name])).toEqual([
      ['llxprt', 'project', 'true'],
      ['kodelet', 'project', 'log'],
      ['kodelet', 'user', 'guard'],
    ]);
    expect(setBy).toEqual({ decision: 'guard' });
  });

  test('a command and an executable with the same name are two hooks', async () => {
    const { local, start } = mixed('project', 'true');
    local('true', hookOf('before_tool_call'));
    const { fire } = await start();
    const { results } = await fire('BeforeTool', shell);
    expect(results.map(({ hook }) => hook.dialect)).toEqual(['llxprt', 'kodelet']);
  });

  test.each([
    ['kodelet', kodelet],
    ['kodelet-strict', kodeletStrict],
  ])('a denial by LLxprt is never undone by %s, in either order', async (_, dialect) => {
    for (const level of ['project', 'user'] as const) {
      const { local, start } = mixed(level, 'echo "LLxprt says no" >&2; exit 2');
      local('allow', answering('before_tool_call', { blocked: false, input: {} }));
      local('log', hookOf('before_tool_call'));
      const { fire } = await start({ dialects: [llxprt, dialect] });
      const { finalOutput } = await fire('BeforeTool', shell);
      expect(finalOutput?.getBlockReason()).toBe('LLxprt says no');
    }
  });

  test('an allow by LLxprt does not undo a block by Kodelet', async () => {
    for (const dialect of [kodelet, kodeletStrict]) {
      const { local, start } = mixed('user', print({ decision: 'allow' }));
      local('guard', answering('before_tool_call', blocked));
      const { fire } = await start({ dialects: [llxprt, dialect] });
      const { finalOutput, setBy } = await fire('BeforeTool', shell);
      expect([finalOutput?.getBlockReason(), setBy['decision']]).toEqual(['Guarded', 'guard']);
    }
  });

  test('a sequence in one lane does not affect the other: each lane receives the original call', async () => {
    const { local, left, start } = mixed('user', `cat > seen; ${change({ dir: 'b' })}`);
    local('1', adding('one'));
    local('2', adding('two'));
    const { fire } = await start();
    const { toolInput, conflicts } = await fire('BeforeTool', shell);
    expect(JSON.parse(left('seen'))).toMatchObject({ tool_input: shell.tool_input });
    expect(left('input')).toBe('{"command":"ls","dir":"a"}\n{"command":"ls one"}\n');
    // Kodelet's hooks returned arguments without "dir", and LLxprt's set it.
    expect(toolInput).toEqual({ command: 'ls one two', dir: 'b' });
    const [set] = conflicts;
    expect(conflicts).toHaveLength(1);
    expect([set?.field, set?.hooks[0], set?.winner]).toEqual([
      'tool_input.dir',
      '1',
      set?.hooks[1],
    ]);
  });

  test('for the same key the hook later in the plan wins, and the conflict is reported', async () => {
    const pwd = change({ command: 'pwd' });
    for (const [level, hooks, command] of [
      ['project', [pwd, 'add'], 'ls x'],
      ['user', ['add', pwd], 'pwd'],
    ] as const) {
      const { local, start } = mixed(level, pwd);
      local('add', adding('x'));
      const { fire } = await start();
      const { toolInput, finalOutput, conflicts, setBy } = await fire('BeforeTool', shell);
      expect(toolInput).toEqual({ command });
      expect(finalOutput?.hookSpecificOutput?.['tool_input']).toEqual({ command });
      expect(conflicts).toEqual([{ field: 'tool_input.command', hooks, winner: hooks[1] }]);
      expect(setBy['tool_input.command']).toBe(hooks[1]);
    }
  });

  test('the later hook wins even if another hook of the first dialect changed another key after it', async () => {
    const pwd = change({ command: 'pwd' });
    const box = mixed('project', pwd);
    box.write(box.files.user, { hooks: { BeforeTool: inParallel(change({ dir: 'b' })) } });
    box.local('add', adding('x'));
    const { fire } = await box.start();
    const { toolInput, conflicts } = await fire('BeforeTool', shell);
    expect(toolInput).toEqual({ command: 'ls x', dir: 'b' });
    const dir = change({ dir: 'b' });
    expect(conflicts).toEqual([
      { field: 'tool_input.command', hooks: [pwd, 'add'], winner: 'add' },
      { field: 'tool_input.dir', hooks: ['add', dir], winner: dir },
    ]);
  });

  test("a rewrite that kodelet-strict erased does not come back through LLxprt's", async () => {
    const { local, left, start } = mixed('user', `cat > seen; ${change({ dir: 'b' })}`);
    local('1', adding('x'));
    local('2', hookOf('before_tool_call'));
    const { fire } = await start(strict);
    const { toolInput, finalOutput } = await fire('BeforeTool', shell);
    expect(JSON.parse(left('seen'))).toMatchObject({ tool_input: shell.tool_input });
    expect(toolInput).toBeUndefined();
    expect(finalOutput?.hookSpecificOutput?.['tool_input']).toEqual({ dir: 'b' });
  });

  test('after the tool, hooks of both dialects receive the tool’s result, and both answers count', async () => {
    const { local, left, start } = mixed(
      'user',
      `cat > seen; ${print({ hookSpecificOutput: { additionalContext: 'Mind the gap.' } })}`,
    );
    local('wrap', wrapping('kodelet'));
    const { fire } = await start();
    const { toolResponse, finalOutput, results } = await fire('AfterTool', {
      ...shell,
      tool_response: { llmContent: 'text', returnDisplay: 'text' },
    });
    expect(JSON.parse(left('seen'))).toMatchObject({
      tool_response: { llmContent: 'text' },
    });
    expect(toolResponse).toMatchObject({ llmContent: 'kodelet(text)' });
    expect(finalOutput?.getAdditionalContext()).toBe('Mind the gap.');
    expect(results.map(({ hook }) => hook.dialect)).toEqual(['kodelet', 'llxprt']);
  });

  test('Kodelet hooks do not run at events that Kodelet does not have', async () => {
    const { local, start } = kodeletBox();
    for (const type of ['before_tool_call', 'after_tool_call', 'user_message_send', 'agent_stop'])
      local(type, hookOf(type));
    const { system } = await start();
    for (const event of ['BeforeModel', 'AfterModel', 'SessionStart', 'SessionEnd'] as const)
      expect(system.hasHooksFor(event)).toBe(false);
  });
});
