import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { withHooks } from '../../../src/entries/claude-agent-sdk.ts';
import type { AdapterOptions } from '../../../src/entries/claude-agent-sdk.ts';
import { group, inParallel, print, startSession } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isAlive, waitUntil } from '../../support/until.ts';
import { isWhole, packageOf } from '../installed.ts';
import { serveMessages, type Answer } from './messages-server.ts';

type Fields = Readonly<Record<string, unknown>>;
type Hooks = Parameters<typeof startSession>[0];
type Query = (params: { prompt: string; options?: Fields }) => AsyncGenerator<Fields, void>;

const installed = packageOf('claude-agent-sdk', '@anthropic-ai/claude-agent-sdk');
const sdk =
  installed === undefined
    ? undefined
    : ((await import(pathToFileURL(join(installed, 'sdk.mjs')).href)) as { readonly query: Query });

if (sdk === undefined)
  test.skip(
    'the Claude Agent SDK is not tested: it is not installed; npm run frameworks installs it',
  );

interface Ran {
  readonly messages: readonly Fields[];
  readonly requests: readonly { readonly messages: readonly Fields[] }[];
  readonly folder: string;
  readonly result: Fields;
  /** What the model read of each result, in order. */
  readonly results: readonly string[];
}

interface More {
  readonly adapter?: AdapterOptions;
  readonly options?: Fields;
  readonly dialects?: readonly Dialect[];
  readonly folder?: string;
  readonly onFolder?: (folder: string) => void;
}

/** One query against a model with these answers, with these hooks around it. */
async function run(hooks: Hooks, answers: readonly Answer[], more: More = {}): Promise<Ran> {
  const server = await serveMessages(answers);
  onTestFinished(() => server.close());
  const session = await startSession(hooks, more.dialects && { dialects: more.dialects });
  const { config } = session;
  const { folder = session.folder } = more;
  more.onFolder?.(folder);
  const query = withHooks(sdk!.query, { config, ...more.adapter });
  const messages: Fields[] = [];
  const home = tempFolder();
  for await (const message of query({
    prompt: 'Go',
    options: {
      cwd: folder,
      model: 'm',
      settingSources: [],
      allowedTools: ['Write', 'Read', 'Bash'],
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      ...more.options,
    },
  }))
    messages.push(message);
  const results = server.requests
    .flatMap(({ messages: sent }) => sent.slice(-1))
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Fields[]) : []))
    .filter(({ type }) => type === 'tool_result')
    .map((block) => JSON.stringify(block['content']));
  const result = messages.findLast(({ type }) => type === 'result')!;
  return { messages, requests: server.requests, folder, result, results };
}

/** LLxprt's hooks under a dialect whose questions take effect. */
const { unasked: _unasked, ...rest } = llxprt;
const asking: Dialect = { ...rest, name: 'asking', family: 'asking' };

const write = (file: string, content = 'hello') => ({
  name: 'Write',
  input: { file_path: file, content },
});
const inFolder = (folder: string, file: string) => join(folder, file);
const deny = 'echo "not that one" >&2; exit 2';
const callsShown = (messages: readonly Fields[]): Fields[] =>
  messages
    .filter(({ type }) => type === 'assistant')
    .flatMap(({ message }) => (message as { content: Fields[] }).content)
    .filter(({ type }) => type === 'tool_use')
    .map(({ input }) => input as Fields);

const note = (event: string) => `jq -r '"${event} " + .session_id' >> order`;

describe.skipIf(!sdk)('the Claude Agent SDK', () => {
  test('nothing changes when no hook matches', async () => {
    const { result, results, folder } = await run({}, [[write('a.txt')], 'fine']);
    expect(result).toMatchObject({ subtype: 'success', result: 'fine' });
    expect(readFileSync(inFolder(folder, 'a.txt'), 'utf8')).toBe('hello');
    expect(results[0]).toContain('a.txt');
  });

  test('one of two simultaneous calls is denied, and the model reads why', async () => {
    const guard = `jq -e '.tool_input.file_path | test("b.txt")' > /dev/null || exit 0; ${deny}`;
    const blocked: object[] = [];
    const { results, folder } = await run(
      { BeforeTool: [group([guard], { matcher: 'Write' })] },
      [[write('a.txt'), write('b.txt')], 'fine'],
      { adapter: { onBlocked: (call) => blocked.push(call) } },
    );
    expect(existsSync(inFolder(folder, 'a.txt'))).toBe(true);
    expect(existsSync(inFolder(folder, 'b.txt'))).toBe(false);
    expect(results.join('\n')).toContain('not that one');
    expect(blocked).toEqual([{ tool: 'Write', reason: 'not that one' }]);
  });
});

describe.runIf(sdk && isWhole)('every verdict in the Claude Agent SDK', () => {
  test.each([false, true])(
    'a rewrite reaches the tool, AfterTool, and what is shown (in pieces: %s)',
    async (includePartialMessages) => {
      const rewrite = `jq -c '{hookSpecificOutput: {tool_input: (.tool_input + {content: "REWRITTEN"})}}'`;
      const after = `jq -r '.tool_input.content' >> after`;
      const { messages, folder } = await run(
        { BeforeTool: inParallel(rewrite), AfterTool: inParallel(after) },
        [[write('a.txt', 'ORIGINAL')], 'fine'],
        { options: { includePartialMessages } },
      );
      expect(readFileSync(inFolder(folder, 'a.txt'), 'utf8')).toBe('REWRITTEN');
      expect(readFileSync(inFolder(folder, 'after'), 'utf8')).toBe('REWRITTEN\n');
      expect(callsShown(messages)).toMatchObject([{ content: 'REWRITTEN' }]);
      expect(JSON.stringify(messages.filter(({ type }) => type !== 'user'))).not.toContain('ORIG');
      const pieces = messages
        .filter(({ type }) => type === 'stream_event')
        .map(({ event }) => (event as { delta?: { partial_json?: string } }).delta?.partial_json)
        .filter((piece) => piece !== undefined);
      if (includePartialMessages)
        expect(JSON.parse(pieces.join(''))).toMatchObject({ content: 'REWRITTEN' });
    },
  );

  test('context follows the result', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'Mind the gap.' } };
    const { requests } = await run({ AfterTool: inParallel(print(context)) }, [
      [write('a.txt')],
      'fine',
    ]);
    expect(JSON.stringify(requests[1]!.messages)).toContain('Mind the gap.');
  });

  test.each([
    [
      'before',
      { BeforeTool: inParallel(print({ continue: false, stopReason: 'Enough.' })) },
      false,
    ],
    ['after', { AfterTool: inParallel(print({ continue: false, stopReason: 'Enough.' })) }, true],
  ])('a stop %s a tool ends the query, and its result says why', async (_, hooks, ran) => {
    const stops: string[] = [];
    const { result, requests, folder } = await run(hooks, [[write('a.txt')], 'never'], {
      adapter: { onStop: (reason) => stops.push(reason) },
    });
    expect(result['result']).toBe('Enough.');
    expect(requests).toHaveLength(1);
    expect(existsSync(inFolder(folder, 'a.txt'))).toBe(ran);
    expect(stops).toEqual(['Enough.']);
  });

  test('session and turn events come in order, in one session', async () => {
    const { folder, messages } = await run(
      {
        SessionStart: inParallel(note('start')),
        BeforeAgent: inParallel(note('before')),
        BeforeTool: inParallel(note('tool')),
        AfterAgent: inParallel(note('after')),
        SessionEnd: inParallel(note('end')),
      },
      [[write('a.txt')], 'fine'],
    );
    const { session_id: id } = messages.find(({ type }) => type === 'result')!;
    expect(readFileSync(inFolder(folder, 'order'), 'utf8').trim().split('\n')).toEqual(
      ['start', 'before', 'tool', 'after', 'end'].map((event) => `${event} ${String(id)}`),
    );
  });

  test('a denied prompt never reaches the model, and an AfterAgent hook makes the agent continue', async () => {
    const denied = await run({ BeforeAgent: inParallel(deny) }, ['never']);
    expect(denied.requests).toHaveLength(0);
    const once = `jq -e .stop_hook_active > /dev/null || { echo "one more thing" >&2; exit 2; }`;
    const sentOn = await run({ AfterAgent: inParallel(once) }, ['first', 'second']);
    expect(sentOn.result['result']).toBe('second');
    expect(JSON.stringify(sentOn.requests[1]!.messages)).toContain('one more thing');
  });

  test('AfterAgent hooks know the prompt, and make the agent continue up to maxRejections times', async () => {
    const always = 'jq -r .prompt >> prompts; echo more >&2; exit 2';
    const { requests, folder } = await run(
      { AfterAgent: inParallel(always) },
      ['first', 'second', 'never'],
      { adapter: { maxRejections: 1 } },
    );
    expect(requests).toHaveLength(2);
    expect(readFileSync(inFolder(folder, 'prompts'), 'utf8')).toBe('Go\nGo\n');
  });

  test('hooks see the error of a tool that fails, and know the tool by its alias', async () => {
    const seen = `jq -r '.tool_name + " " + (.tool_response.error.message | .[0:200])' >> failed`;
    const { folder } = await run(
      { AfterTool: [group([seen], { matcher: '^read_file$' })] },
      [[{ name: 'Read', input: { file_path: '/no/such/file' } }], 'fine'],
      { adapter: { tools: { alias: { Read: 'read_file' } } } },
    );
    expect(readFileSync(inFolder(folder, 'failed'), 'utf8')).toMatch(/^read_file .*exist/);
  });

  test("the user's own callbacks stay, and the query keeps its methods", async () => {
    const seen: unknown[] = [];
    const own = async (input: Fields) => {
      seen.push(input['tool_name']);
      return {};
    };
    await run({ BeforeTool: inParallel('true') }, [[write('a.txt')], 'fine'], {
      options: { hooks: { PreToolUse: [{ hooks: [own] }] } },
    });
    expect(seen).toEqual(['Write']);
    const { config } = await startSession({});
    const query = withHooks(sdk!.query, { config })({ prompt: 'Go', options: {} });
    expect(query).toHaveProperty('interrupt', expect.any(Function));
    await query.return();
  });

  test("when a hook asks, the user is asked about the final arguments, in the SDK's own way", async () => {
    const asks = `jq -c '{decision: "ask", reason: "Really?", hookSpecificOutput: {tool_input: (.tool_input + {content: "REWRITTEN"})}}'`;
    const asked: unknown[] = [];
    const { folder } = await run(
      { BeforeTool: inParallel(asks), AfterTool: inParallel('echo ran >> after') },
      [[write('a.txt'), write('b.txt')], 'fine'],
      {
        dialects: [asking],
        options: {
          canUseTool: async (_: string, input: Fields) => {
            asked.push(input['content']);
            return String(input['file_path']).endsWith('a.txt')
              ? { behavior: 'allow', updatedInput: input }
              : { behavior: 'deny', message: 'no' };
          },
        },
      },
    );
    expect(asked).toEqual(['REWRITTEN', 'REWRITTEN']);
    expect(readFileSync(inFolder(folder, 'a.txt'), 'utf8')).toBe('REWRITTEN');
    expect(existsSync(inFolder(folder, 'b.txt'))).toBe(false);
    expect(readFileSync(inFolder(folder, 'after'), 'utf8')).toBe('ran\n');
  });

  test('a query that is aborted while a hook runs leaves no hook behind', async () => {
    const abortController = new AbortController();
    const hook = 'echo $$ > pid; exec sleep 600';
    let folder = '';
    const running = run({ BeforeTool: inParallel(hook) }, [[write('a.txt')], 'fine'], {
      options: { abortController },
      onFolder: (made) => (folder = made),
    });
    running.catch(() => undefined);
    await waitUntil(() => existsSync(inFolder(folder, 'pid')));
    abortController.abort();
    await running.catch(() => undefined);
    const pid = Number(readFileSync(inFolder(folder, 'pid'), 'utf8'));
    await waitUntil(() => !isAlive(pid));
  });

  test('a hook stops one of two simultaneous queries', async () => {
    const { config, folder } = await startSession({
      BeforeTool: [
        group([print({ continue: false, stopReason: 'Enough.' })], { matcher: 'Write' }),
      ],
    });
    const read = { name: 'Read', input: { file_path: join(import.meta.dirname, 'package.json') } };
    const [one, two] = await Promise.all([
      run({}, [[write('a.txt')], 'fine'], { adapter: { config }, folder }),
      run({}, [[read], 'fine'], { adapter: { config }, folder }),
    ]);
    expect([one.result['result'], two.result['result']]).toEqual(['Enough.', 'fine']);
  });

  test('a wrapped query has the types of the SDK', async () => {
    const { stdout } = await execa({
      reject: false,
    })`npx tsc -p ${join(import.meta.dirname, 'types')}`;
    expect(stdout).toBe('');
  });

  test('a failing hook lets the call pass, and is reported', async () => {
    const { folder, result } = await run({ BeforeTool: inParallel('exit 7') }, [
      [write('a.txt')],
      'fine',
    ]);
    expect(result['result']).toBe('fine');
    expect(existsSync(inFolder(folder, 'a.txt'))).toBe(true);
  });
});
