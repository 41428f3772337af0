import { describe, expect, test } from 'vitest';
import type { FireOptions } from '../../../src/core/run/planned-event.ts';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../../src/core/protocol/input.ts';
import { hookOf, kodeletBox } from '../../support/kodelet.ts';

const isoTime = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"/;

/** Returns exactly what a hook of this type reads; times are replaced. */
async function received<Event extends HookEventName>(
  type: string,
  event: Event,
  fields: HookEventFields[Event],
  options?: FireOptions,
): Promise<{ stdin: string; cwd: string }> {
  const { local, left, project, start } = kodeletBox();
  local('hook', hookOf(type, 'cat > stdin'));
  const { fire } = await start({ sessionId: 'conversation-1' });
  await fire(event, fields, options);
  return { stdin: left('stdin').replace(isoTime, '"<time>"'), cwd: JSON.stringify(project) };
}

describe('what "<hook> run" reads (C-107)', () => {
  test('a turn_end hook reads the response, the turn number and the agent’s recipe', async () => {
    const { stdin, cwd } = await received(
      'turn_end',
      'host.turn_end',
      { response: 'Done', turn_number: 2 },
      { recipeName: 'review' },
    );
    expect(stdin).toBe(
      `{"event":"turn_end","conv_id":"conversation-1","response":"Done","turn_number":2,"cwd":${cwd},"invoked_by":"main","recipe_name":"review"}`,
    );
  });

  test('a before_tool_call hook reads the call', async () => {
    const { stdin, cwd } = await received(
      'before_tool_call',
      'BeforeTool',
      { tool_name: 'my_tool', tool_input: { path: 'a "b"', list: [1, null], deep: { è: '✓' } } },
      { toolCallId: 'call_7', invokedBy: 'subagent' },
    );
    expect(stdin).toBe(
      `{"event":"before_tool_call","conv_id":"conversation-1","tool_name":"my_tool","tool_input":{"path":"a \\"b\\"","list":[1,null],"deep":{"è":"✓"}},"tool_user_id":"call_7","cwd":${cwd},"invoked_by":"subagent"}`,
    );
  });

  test('an after_tool_call hook reads the result of a tool that succeeded', async () => {
    const { stdin, cwd } = await received(
      'after_tool_call',
      'AfterTool',
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'ls' },
        tool_response: {
          llmContent: 'a.txt',
          returnDisplay: 'A file.',
          metadata: { exitCode: 0 },
        },
      },
      { toolCallId: 'call_8' },
    );
    expect(stdin).toBe(
      `{"event":"after_tool_call","conv_id":"conversation-1","tool_name":"bash","tool_input":{"command":"ls"},"tool_output":{"toolName":"bash","success":true,"metadataType":"bash","metadata":{"exitCode":0,"output":"a.txt"},"timestamp":"<time>"},"tool_user_id":"call_8","cwd":${cwd},"invoked_by":"main"}`,
    );
  });

  test('an after_tool_call hook reads the error of a tool that failed', async () => {
    const { stdin, cwd } = await received(
      'after_tool_call',
      'AfterTool',
      {
        tool_name: 'read_file',
        tool_input: { file_path: 'a' },
        tool_response: {
          llmContent: 'There is no file "a".',
          returnDisplay: '',
          error: { message: 'no such file', type: 'file_not_found' },
        },
      },
      { toolCallId: 'call_9' },
    );
    expect(stdin).toBe(
      `{"event":"after_tool_call","conv_id":"conversation-1","tool_name":"file_read","tool_input":{"file_path":"a"},"tool_output":{"toolName":"file_read","success":false,"error":"no such file","metadataType":"file_read","metadata":{"output":"There is no file \\"a\\"."},"timestamp":"<time>"},"tool_user_id":"call_9","cwd":${cwd},"invoked_by":"main"}`,
    );
  });

  test('an after_tool_call hook reads only the texts of a result with an image', async () => {
    const { stdin } = await received('after_tool_call', 'AfterTool', {
      tool_name: 'look',
      tool_input: {},
      tool_response: {
        llmContent: [
          { text: 'A cat' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          ' and a dog',
        ],
        returnDisplay: '',
      },
    });
    const { tool_output: output } = JSON.parse(stdin) as {
      tool_output: { metadata: { output: string } };
    };
    expect(output.metadata.output).toContain('A cat');
    expect(output.metadata.output).toContain(' and a dog');
    expect(output.metadata.output).not.toContain('AAAA');
  });

  test('a user_message_send hook reads the message', async () => {
    const { stdin, cwd } = await received('user_message_send', 'BeforeAgent', {
      prompt: 'Hi\nyou',
    });
    expect(stdin).toBe(
      `{"event":"user_message_send","conv_id":"conversation-1","message":"Hi\\nyou","cwd":${cwd},"invoked_by":"main"}`,
    );
  });

  test('an agent_stop hook reads the conversation', async () => {
    const { stdin, cwd } = await received(
      'agent_stop',
      'AfterAgent',
      { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false },
      {
        invokedBy: 'subagent',
        messages: () => [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
        ],
      },
    );
    expect(stdin).toBe(
      `{"event":"agent_stop","conv_id":"conversation-1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}],"cwd":${cwd},"invoked_by":"subagent"}`,
    );
  });

  test('an agent_stop hook reads no messages if the host keeps no conversation', async () => {
    const { stdin } = await received('agent_stop', 'AfterAgent', {
      prompt: 'Hi',
      prompt_response: 'Hello',
      stop_hook_active: false,
    });
    expect(JSON.parse(stdin)).toMatchObject({ messages: [] });
  });
});

describe('how "<hook> run" is started', () => {
  test('a hook runs in the project folder, with "run" as its only argument and the agent’s environment', async () => {
    const { local, left, project, start } = kodeletBox();
    local(
      'hook',
      hookOf('user_message_send', 'echo "$# $1 $PWD $LLXPRT_PROJECT_DIR. $HOME" > how'),
    );
    const { fire } = await start();
    await fire('BeforeAgent', { prompt: 'Hi' });
    expect(left('how')).toBe(`1 run ${project} . ${process.env['HOME']}\n`);
  });

  test('a hook that never reads its input still works', async () => {
    const { local, start } = kodeletBox();
    local('hook', hookOf('user_message_send', `exec <&-; echo '{"blocked":true,"reason":"No"}'`));
    const { fire } = await start();
    const { finalOutput, success } = await fire('BeforeAgent', { prompt: 'x'.repeat(1_000_000) });
    expect([success, finalOutput?.getBlockReason()]).toEqual([true, 'No']);
  });
});

describe('native names (dialects 3.3)', () => {
  test.each([
    ['run_shell_command', { command: 'ls' }, 'bash', { command: 'ls' }],
    [
      'read_file',
      { file_path: 'a', offset: 2, limit: 3 },
      'file_read',
      { file_path: 'a', offset: 2, line_limit: 3 },
    ],
    ['write_file', { file_path: 'a', content: 'b' }, 'file_write', { file_path: 'a', text: 'b' }],
    [
      'replace',
      { file_path: 'a', old_string: 'b', new_string: 'c' },
      'file_edit',
      { file_path: 'a', old_text: 'b', new_text: 'c' },
    ],
    ['glob', { pattern: '*' }, 'glob_tool', { pattern: '*' }],
    ['search_file_content', { pattern: 'x' }, 'grep_tool', { pattern: 'x' }],
    ['my_tool', { content: 'x', limit: 1 }, 'my_tool', { content: 'x', limit: 1 }],
  ])(
    '%s and its arguments are passed under Kodelet’s names and read back under ours',
    async (name, ours, theirName, theirs) => {
      const { local, left, start } = kodeletBox();
      // It returns what it receives, with a mark.
      local(
        'echo',
        `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
if (process.argv[2] === 'hook') console.log('before_tool_call');
else {
  const input = JSON.parse(readFileSync(0, 'utf8'));
  writeFileSync('input.json', JSON.stringify(input));
  console.log(JSON.stringify({ input: { ...input.tool_input, seen: true } }));
}
`,
      );
      const { fire } = await start();
      const { toolInput } = await fire('BeforeTool', { tool_name: name, tool_input: ours });
      expect(JSON.parse(left('input.json'))).toMatchObject({
        tool_name: theirName,
        tool_input: theirs,
      });
      expect(toolInput).toEqual({ ...ours, seen: true });
    },
  );
});
