import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inOwnProcess } from '../support/in-process.ts';
import { group } from '../support/project.ts';
import { sandbox } from '../support/sandbox.ts';
import { blocksOf } from '../support/blocks.ts';

type Fields = Readonly<Record<string, unknown>>;

const blocks = blocksOf('docs/hooks.md');

/** The events that the page shows, each with the two scripts below it. */
const events = blocks.flatMap(({ language, text }, at) => {
  if (language !== 'json' || !text.includes('"session_id"')) return [];
  const event = JSON.parse(text) as Fields;
  return [[String(event['hook_event_name']), event, blocks.slice(at + 1, at + 3)] as const];
});

/** What a script does with the printed event, or with one that is changed. */
interface Case {
  readonly change?: Fields;
  readonly result?: Fields;
  readonly file?: readonly [name: string, text: RegExp];
}
const context = (text: RegExp): Case => ({
  result: { additionalContext: expect.stringMatching(text) },
});
const says = (systemMessage: RegExp): Fields => ({
  systemMessage: expect.stringMatching(systemMessage),
});
const model = (text: string): Fields => ({
  text,
  candidates: [{ content: { role: 'model', parts: [text] }, finishReason: 'STOP' }],
  usageMetadata: { totalTokenCount: 200_000 },
});
const request = (...contents: readonly string[]): Fields => ({
  model: 'scripted',
  messages: contents.map((content) => ({ role: 'user', content })),
  config: {},
});

const cases: Readonly<Record<string, readonly [shell: Case, python: Case]>> = {
  BeforeTool: [
    {
      change: { tool_name: 'write_file', tool_input: { file_path: 'a/.env' } },
      result: { blocked: true, reason: 'Secrets stay out of .env files.' },
    },
    { result: { toolInput: { file_path: 'notes.txt', limit: 200 } } },
  ],
  ToolPermission: [
    { result: { decision: 'allow' } },
    { result: { blocked: new Date().getHours() < 6 } },
  ],
  AfterTool: [
    context(/^The file has 1 lines\.$/),
    { change: { tool_input: { file_path: 'private/a' } }, result: { suppressOutput: true } },
  ],
  ToolFailed: [
    context(/^There are:\n/),
    {
      change: { error: 'ENOSPC: no space left' },
      result: { stop: true, stopReason: 'The disk is full.' },
    },
  ],
  BeforeAgent: [
    context(/^The branch is \w+\.$/),
    {
      change: { prompt: `Use AKIA${'A'.repeat(16)}.` },
      result: { blocked: true, reason: 'The prompt holds an AWS access key.' },
    },
  ],
  AfterAgent: [
    { result: { blocked: true, reason: 'Say what you tested.' } },
    { file: ['answers.log', /^You should call the dentist\.\n$/] },
  ],
  BeforeToolSelection: [
    {
      result: {
        toolConfig: { mode: 'AUTO', allowedFunctionNames: ['list_directory', 'read_file'] },
      },
    },
    {
      change: { llm_request: request(...Array<string>(101).fill('Go on.')) },
      result: { toolConfig: { mode: 'NONE' } },
    },
  ],
  BeforeModel: [
    { result: { llmRequest: expect.objectContaining({ config: { temperature: 0 } }) } },
    { result: { llmResponse: expect.objectContaining({ text: 'Read notes.txt.' }) } },
  ],
  AfterModel: [
    {
      change: { llm_response: model('Ask ann@example.com now.') },
      result: { llmResponse: { candidates: [{ content: { parts: ['Ask [address] now.'] } }] } },
    },
    {
      change: { llm_response: model('Much.') },
      result: { stop: true, stopReason: 'One call took 200000 tokens.' },
    },
  ],
  SessionStart: [
    context(/^Today is \d{4}-\d\d-\d\d\.$/),
    { result: says(/The hooks of this project are on\./) },
  ],
  SessionEnd: [{}, { file: ['sessions.log', / exit\n$/] }],
  PreCompress: [
    { file: ['compressed.log', /^manual\n$/] },
    { change: { trigger: 'auto' }, result: says(/is being summarised/) },
  ],
  PostCompress: [
    { file: ['summaries.txt', /call the dentist/] },
    { change: { compact_summary: 'Nothing.' }, result: says(/very short/) },
  ],
  Notification: [{}, { file: ['asked.log', /^The agent wants to run read_file\.\n$/] }],
};

test('the page shows each event with a shell script and a Python script', () => {
  expect(
    events.map(([name, , scripts]) => [name, scripts.map(({ language }) => language)]),
  ).toEqual(Object.keys(cases).map((name) => [name, ['sh', 'python']]));
});

describe.each(events)('the scripts of %s do what the page says', (name, event, scripts) => {
  test.each([0, 1])('script %i', async (at) => {
    const box = sandbox();
    const { change, result, file } = cases[name]![at]!;
    chmodSync(box.write('project/hook', `${scripts[at]!.text}\n`), 0o755);
    box.write(box.own.project, { hooks: { [name]: [group('./hook')] } });
    box.write('project/.scratch/left', '');
    const input = JSON.stringify({ ...event, cwd: box.project, ...change });
    const { stdout, stderr } = await inOwnProcess(box, ['fire', name], input);
    const answered = JSON.parse(stdout) as { readonly hooks: readonly Fields[] };
    const exitCode: unknown = expect.toBeOneOf([0, 2]);
    expect([stderr, answered.hooks]).toMatchObject(['', [{ command: './hook', exitCode }]]);
    expect(answered).toMatchObject(result ?? { blocked: false, stop: false });
    // Only the script of this event removes it.
    expect(existsSync(join(box.project, '.scratch'))).toBe(!(name === 'SessionEnd' && at === 0));
    if (file === undefined) return;
    const path = join(box.project, file[0]);
    // Nobody waits for what only notes something.
    await expect.poll(() => (existsSync(path) ? readFileSync(path, 'utf8') : '')).toMatch(file[1]);
  });
});
