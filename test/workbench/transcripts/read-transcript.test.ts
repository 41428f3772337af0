import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  readTranscript,
  type Reading,
} from '../../../src/workbench/transcripts/read-transcript.ts';
import { project } from '../../support/project.ts';

const line = (record: unknown): string =>
  typeof record === 'string' ? record : JSON.stringify(record);

/** What is read from a file with these records, one per line; a text is written as it is. */
async function read(records: readonly unknown[], name = 's.jsonl'): Promise<readonly Reading[]> {
  const folder = project({ [name]: records.map(line).join('\n') });
  return Readable.from(readTranscript(join(folder, name))).toArray();
}

const eventsIn = (readings: readonly Reading[]) =>
  readings.flatMap((one) => (one.kind === 'event' ? [[one.event, one.given, one.place]] : []));
const faultsIn = (readings: readonly Reading[]) =>
  readings.flatMap((one) => (one.kind === 'fault' ? [[one.message, one.place]] : []));

const use = (id: string, name = 'Write', input: unknown = { file_path: '/p/a' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const resultOf = (id: string, content: unknown, more = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});

describe('sessions of Claude Code', () => {
  const about = { sessionId: 's', cwd: '/p', uuid: 'u' };
  const user = (content: unknown, more = {}) => ({
    ...about,
    type: 'user',
    message: { role: 'user', content },
    ...more,
  });
  const assistant = (...content: unknown[]) => ({
    ...about,
    type: 'assistant',
    message: { role: 'assistant', content },
  });

  test('a Claude Code session holds prompts, calls, and their results in the form of the tool', async () => {
    const readings = await read([
      { type: 'summary', summary: 'x', leafUuid: 'l' },
      user('Write it'),
      assistant({ type: 'text', text: 'Yes.' }, use('t1'), use('t2', 'Bash', { command: 'ls' })),
      user([resultOf('t1', 'ok')], { toolUseResult: { type: 'create' } }),
      user([resultOf('t2', [{ type: 'text', text: 'Exit code 2' }], { is_error: true })]),
      { type: 'something-new', sessionId: 's' },
    ]);
    const write = { tool_name: 'Write', tool_input: { file_path: '/p/a' }, tool_use_id: 't1' };
    const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't2' };
    expect(eventsIn(readings)).toEqual([
      ['UserPromptSubmit', { prompt: 'Write it' }, { line: 2 }],
      ['PreToolUse', write, { line: 3 }],
      ['PreToolUse', bash, { line: 3 }],
      ['PostToolUse', { ...write, tool_response: { type: 'create' } }, { line: 4 }],
      ['PostToolUseFailure', { ...bash, error: 'Exit code 2' }, { line: 5 }],
    ]);
    expect(readings[0]).toEqual({ kind: 'format', title: 'Claude Code' });
    expect(readings[1]).toMatchObject({ dialect: 'claude-code', session: 's', folder: '/p' });
    expect(faultsIn(readings)).toEqual([]);
  });

  test('messages that nobody typed in a Claude Code session are not prompts', async () => {
    const readings = await read([
      user('<command-name>/clear</command-name>'),
      user('a reminder', { isMeta: true }),
      user('the task of a subagent', { isSidechain: true }),
      user('what was said before', { isCompactSummary: true }),
      user('[Request interrupted by user]'),
      user([{ type: 'text', text: 'Go on.' }]),
    ]);
    expect(eventsIn(readings)).toEqual([['UserPromptSubmit', { prompt: 'Go on.' }, { line: 6 }]]);
  });

  test('a Claude Code session loses only the lines that cannot be understood', async () => {
    const readings = await read([
      '{"torn',
      assistant(use('t1', 'Write', 'no object'), use('t2')),
      { ...about, type: 'assistant' },
      '[1]',
      user([resultOf('never', 'x')]),
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      '{"type":"assistant"',
    ]);
    expect(eventsIn(readings)).toHaveLength(1);
    expect(faultsIn(readings)).toEqual([
      ['is not valid JSON', { line: 1 }],
      ['holds a tool call without a name or without arguments', { line: 2 }],
      ['holds a message without content', { line: 3 }],
      ['is not a JSON object', { line: 4 }],
      ['holds a result of a call that is not in the file', { line: 5 }],
      ['is nested too deeply', { line: 6 }],
      ['is torn: the process was ended while writing it', { line: 7 }],
    ]);
  });
});

const item = (type: string, payload: object) => ({
  timestamp: 't',
  type: 'response_item',
  payload: { type, ...payload },
});
const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
const called = (name: string, args: object, more = {}) =>
  item('function_call', { name, arguments: JSON.stringify(args), call_id: name, ...more });

describe('sessions of Codex', () => {
  const meta = { type: 'session_meta', payload: { id: 'c', cwd: '/p' } };

  test('a Codex session names tools and arguments as its hooks know them', async () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
    const readings = await read([
      meta,
      { type: 'event_msg', payload: { type: 'user_message', message: 'Do it' } },
      item('message', { role: 'user', content: [{ type: 'input_text', text: 'Do it' }] }),
      called('shell', { command: ['bash', '-lc', 'rm -r x'] }),
      called('exec_command', { cmd: 'ls', workdir: 'sub' }),
      called('write_stdin', { session_id: 1, chars: 'y' }),
      called('apply_patch', { input: patch }),
      item('custom_tool_call', { name: 'apply_patch', input: patch, call_id: 'p' }),
      item('local_shell_call', { call_id: 'l', action: { type: 'exec', command: ['ls', 'a b'] } }),
      called('store', { key: 1 }, { namespace: 'mcp__memory' }),
      called('mcp__memory__store', { key: 1 }),
      called('view_image', { path: 'a.png' }),
    ]);
    expect(faultsIn(readings)).toEqual([]);
    const calls = eventsIn(readings).map(([event, given]) => {
      const { tool_use_id: _, ...fields } = given as Record<string, unknown>;
      return [event, fields];
    });
    const cwd = '/p';
    const patched = { cwd, tool_name: 'apply_patch', tool_input: { command: patch } };
    const stored = { cwd, tool_name: 'mcp__memory__store', tool_input: { key: 1 } };
    expect(calls).toEqual([
      ['UserPromptSubmit', { cwd, prompt: 'Do it' }],
      ['PreToolUse', { cwd, ...bash("bash -lc 'rm -r x'") }],
      ['PreToolUse', { ...bash('ls'), cwd: '/p/sub' }],
      ['PreToolUse', patched],
      ['PreToolUse', patched],
      ['PreToolUse', { cwd, ...bash("ls 'a b'") }],
      ['PreToolUse', stored],
      ['PreToolUse', stored],
      ['PreToolUse', { cwd, tool_name: 'view_image', tool_input: { path: 'a.png' } }],
    ]);
  });

  test.each([
    ['a\nb\n', 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\na\nb\n'],
    ['a', JSON.stringify({ output: 'a', metadata: { exit_code: 0 } })],
    ['a', { content: 'a', success: true }],
    ['a', [{ type: 'input_text', text: 'a' }]],
    ['plain', 'plain'],
  ])('a Codex session gives %j as the result of a command', async (expected, output) => {
    const readings = await read([
      meta,
      called('shell_command', { command: 'x' }),
      item('function_call_output', { call_id: 'shell_command', output }),
    ]);
    expect(eventsIn(readings)[1]).toEqual([
      'PostToolUse',
      expect.objectContaining({ tool_name: 'Bash', tool_response: expected }),
      { line: 3 },
    ]);
  });

  test('a Codex session of 2025, whose lines have no payload, can be read', async () => {
    const { payload } = called('shell', { command: ['ls'] });
    const readings = await read([
      { id: 'old', timestamp: 't', instructions: null },
      { record_type: 'state' },
      payload,
    ]);
    expect(readings[1]).toMatchObject({ dialect: 'codex', event: 'PreToolUse', session: 'old' });
    expect(faultsIn(readings)).toEqual([]);
  });

  test('a Codex session with arguments that are not JSON is reported', async () => {
    const broken = item('function_call', { name: 'shell', arguments: '{', call_id: 'x' });
    expect(faultsIn(await read([meta, broken]))).toEqual([
      ['holds a tool call without a name or without arguments', { line: 2 }],
    ]);
  });
});

const answer = (...toolCalls: unknown[]) => ({ id: '2', type: 'gemini', content: '', toolCalls });

describe('chats of Gemini CLI', () => {
  const about = { sessionId: 'g', projectHash: 'h' };
  const asked = { id: '1', type: 'user', content: [{ text: 'Hello' }] };
  const call = { id: 'c', name: 'write_file', args: { file_path: 'a' }, status: 'executing' };
  const result = [{ functionResponse: { name: 'write_file', response: { output: 'ok' } } }];
  const done = { ...call, status: 'success', result, resultDisplay: { diff: 'd' } };
  const given = { tool_name: 'write_file', tool_input: { file_path: 'a' } };
  const response = { llmContent: 'ok', returnDisplay: 'ok' };
  const expected = [
    ['BeforeAgent', { prompt: 'Hello' }],
    ['BeforeTool', given],
    ['AfterTool', { ...given, tool_response: response }],
  ];

  test('a Gemini CLI chat may be one object', async () => {
    const whole = { ...about, messages: [asked, answer(done)] };
    const readings = await read([JSON.stringify(whole, null, 2)], 'session-1.json');
    expect(eventsIn(readings)).toEqual(
      expected.map((event, at) => [...event, { message: at === 0 ? 1 : 2 }]),
    );
  });

  test('a Gemini CLI chat may be one record per line, with a message written again when its calls have ended', async () => {
    const readings = await read([
      about,
      asked,
      answer(call),
      { $set: { lastUpdated: 't' } },
      answer(done),
      { $set: { messages: [asked, answer(done)] } },
      { $rewindTo: '1' },
    ]);
    const lines = [2, 3, 5];
    expect(eventsIn(readings)).toEqual(
      expected.map((event, at) => [...event, { line: lines[at] }]),
    );
    expect(faultsIn(readings)).toEqual([]);
  });

  test('a Gemini CLI chat belongs to the project that is recorded beside it', async () => {
    const folder = project({
      'x/.project_root': '/p\n',
      'x/chats/s.jsonl': [about, asked].map((one) => JSON.stringify(one)).join('\n'),
    });
    const readings = await Readable.from(readTranscript(join(folder, 'x/chats/s.jsonl'))).toArray();
    expect(readings[1]).toMatchObject({ session: 'g', folder: '/p' });
  });
});

test.each([
  ['s.jsonl', '{"display":"a prompt","timestamp":1}'],
  ['s.jsonl', 'notes'],
  ['s.json', '{"messages":[]}'],
  ['s.json', '{'],
])('a file of another kind, %s with %s, is reported as such', async (name, text) => {
  const readings = await read([text], name);
  expect(readings.map(({ kind }) => kind)).toEqual(['foreign']);
});
