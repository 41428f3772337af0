import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooks, says, startMcp } from '../../support/mcp.ts';
import { waitUntil } from '../../support/until.ts';

const block = { type: 'text', text: 'SECRET' };
const resource = { uri: 'file:///a', text: 'SECRET' };

/** What servers may put into an answer, in the forms that MCP knows and in those that lenient clients read. */
const forms: readonly (readonly [string, object])[] = [
  ['a text', { result: { content: [block] } }],
  ['a text and something else', { result: { content: [block, { type: 'image', data: 'AA==' }] } }],
  ['an image', { result: { content: [{ type: 'image', data: 'SECRET', mimeType: 'image/png' }] } }],
  ['audio', { result: { content: [{ type: 'audio', data: 'SECRET', mimeType: 'audio/wav' }] } }],
  [
    'a link',
    { result: { content: [{ type: 'resource_link', uri: 'file:///SECRET', name: 'a' }] } },
  ],
  ['an embedded resource', { result: { content: [{ type: 'resource', resource }] } }],
  ['a block of an unknown type', { result: { content: [{ type: 'new', value: 'SECRET' }] } }],
  ['a text block without a text', { result: { content: [{ type: 'text', text: ['SECRET'] }] } }],
  ['a text among the blocks', { result: { content: ['SECRET'] } }],
  ['content that is a text', { result: { content: 'SECRET' } }],
  ['content that is an object', { result: { content: block } }],
  ['structured content alone', { result: { structuredContent: { key: 'SECRET' } } }],
  ['structured content beside nothing', { result: { content: [], structuredContent: ['SECRET'] } }],
  ['the result of an old server', { result: { toolResult: 'SECRET' } }],
  ['a result that is a text', { result: 'SECRET' }],
  ['a result that is a list', { result: [block] }],
  ['a result beside an error', { result: { content: [block] }, error: null }],
  ['a task that nobody asked for', { result: { content: [block], task: { taskId: 't' } } }],
  ['a result that calls itself a request', { method: 'x', result: { content: [block] } }],
  ['an error of the tool', { result: { content: [block], isError: true } }],
  ['an error of the tool that is a text', { result: { content: 'SECRET', isError: true } }],
];

const onResults = (command: string) => hooks({ 'tool.after': command, 'tool.failed': command });

/** Lets a server answer in each form, and returns what the client reads. */
async function answersIn(files: ReturnType<typeof hooks>) {
  const { write, messages, folder } = await startMcp({ files });
  const answered = forms.map(async ([name, form], id) => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', id, ...form })}\n`;
    write({ id, method: 'tools/call', params: { name: 'raw', arguments: { line } } });
    return [name, (await waitUntil(() => messages().find((one) => one['id'] === id)))!] as const;
  });
  return { answers: new Map(await Promise.all(answered)), folder };
}

const failures = ['an error of the tool', 'an error of the tool that is a text'];
const names = forms.map(([name]) => name);
const namesOf = (answers: ReadonlyMap<string, object>, isWanted: (answer: string) => boolean) =>
  [...answers].filter(([, answer]) => isWanted(JSON.stringify(answer))).map(([name]) => name);

test('hooks see a result in whatever form a server gives it, and it passes as it came', async () => {
  const seen = 'jq -c "[.tool_response, .error]" > "seen-$$"; cat seen-$$ >> seen';
  const { answers, folder } = await answersIn(onResults(seen));
  const lines = readFileSync(join(folder, 'seen'), 'utf8').trim().split('\n');
  expect(lines.filter((line) => line.includes('SECRET'))).toHaveLength(
    forms.length + failures.length,
  );
  expect([...answers.values()]).toEqual(
    forms.map(([, form], id) => ({ jsonrpc: '2.0', id, ...form })),
  );
});

test('a hook replaces a result in whatever form a server gives it, unless the tool failed', async () => {
  const updatedToolOutput = 'replaced';
  const { answers } = await answersIn({
    '.claude/settings.json': {
      hooks: {
        PostToolUse: [
          {
            hooks: [
              {
                type: 'command',
                command: says({
                  hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput },
                }),
              },
            ],
          },
        ],
      },
    },
  } as never);
  expect(namesOf(answers, (text) => text.includes('SECRET'))).toEqual(failures);
});

test.each([
  ['says', says({ hookSpecificOutput: { additionalContext: 'by the way' } })],
  ['objects', 'echo by the way >&2; exit 2'],
])(
  'what a hook %s stands beside a result in whatever form a server gives it',
  async (_, command) => {
    const { answers } = await answersIn(onResults(command));
    expect(namesOf(answers, (text) => /SECRET.*by the way/.test(text))).toEqual(names);
  },
);
