import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ChatLoop } from '../../src/agent/loop/chat-loop.ts';
import { runToolCall } from '../../src/core/calls/run-tool-call.ts';
import { startAudit } from '../../src/watch/audit/start-audit.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { accounts, type CallAccount } from '../../src/watch/journal/account.ts';
import type { JournalEntry } from '../../src/watch/journal/entry.ts';
import { explain } from '../../src/watch/journal/explain.ts';
import { hookStats } from '../../src/watch/journal/hook-stats.ts';
import { journalTo } from '../../src/watch/journal/journal.ts';
import { observeAll } from '../../src/watch/journal/observe-all.ts';
import { startRecording } from '../../src/watch/journal/start-recording.ts';
import type { WarningSink } from '../../src/base/log.ts';
import { defineHooks } from '../../src/settings/files/define-hooks.ts';
import type { ToolResult } from '../../src/core/protocol/tool-result.ts';
import { reportedEvent } from '../../src/watch/stately/reported-event.ts';
import { all } from '../support/chat.ts';
import { otlpReceiver } from '../support/otlp-receiver.ts';
import { saying, someModel, wanting } from '../support/some-model.ts';
import { someTool } from '../support/some-tool.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { waitUntil } from '../support/until.ts';

/** No notation, name or shape gives it away, and it is no name that a tool or a parameter could have. */
const secret = 'open sesame 4711';

/** A place where a payload, or what was said about one, can come from. */
interface Place {
  /** Hooks around the tool, for `BeforeTool` unless stated otherwise. */
  readonly hooks?: readonly object[];
  readonly after?: readonly object[];
  readonly input?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly id?: string;
  readonly tool?: () => Promise<ToolResult>;
  readonly abort?: unknown;
  readonly confirm?: string;
}

const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const block = { onFailure: 'block' };

/** A hook's line of warning as we write it, with which a hook may try to pass for us. */
const spoof = `hook "a" (BeforeTool) was skipped: ${secret}`;

const places = (folder: string, server: string): Readonly<Record<string, Place>> => {
  const module = (name: string, body: string, more: object = {}) => {
    writeFileSync(join(folder, name), `export default (input) => { ${body} };`);
    return { type: 'module', module: join(folder, name), ...more };
  };
  let files = 0;
  /** A hook that prints a text which its command does not contain. */
  const prints = (text: string, more: object = {}, rest = '') => {
    const file = join(folder, `${++files}.txt`);
    writeFileSync(file, text);
    return command(`cat ${file}${rest}`, more);
  };
  const says = (answer: unknown, more?: object) => prints(JSON.stringify(answer), more);
  const fails = (text: string, more?: object) => prints(text, more, ' >&2; exit 1');
  const thrown = 'throw new Error(JSON.stringify(input.tool_input));';
  const live = (name: string, code: string) => {
    writeFileSync(join(folder, name), `process.stdin.once('data', () => { ${code} })`);
    return { type: 'live', command: 'node', args: [join(folder, name)] };
  };
  const http = (status: number) => ({ type: 'http', url: `${server}/${status}` });
  return {
    'the arguments': { input: { content: secret, [secret]: { [secret]: [secret] } } },
    'the name of the tool': { name: `write ${secret}` },
    'the id of the call': { id: `call ${secret}` },
    'the result': { tool: async () => ({ llmContent: secret, returnDisplay: secret }) },
    'an error as the result': {
      tool: async () => ({
        llmContent: secret,
        returnDisplay: secret,
        error: { message: secret, type: secret },
      }),
    },
    'an error that the tool throws': { tool: () => Promise.reject(withCause()) },
    'why the call was cancelled': { hooks: [command('sleep 5')], abort: new Error(secret) },
    'why the user said no': { confirm: secret },
    'stderr of a hook that fails': { hooks: [fails(secret)] },
    'stderr of a hook whose failure denies': { hooks: [fails(secret, block)] },
    'stdout that is no answer': { hooks: [prints(secret)] },
    'stdout that is half an answer': { hooks: [prints(`{"decision": "${secret}`, block)] },
    'keys and values that no answer has': { hooks: [says({ [secret]: 1, decison: secret })] },
    'a decision that there is not': { hooks: [says({ decision: secret }, block)] },
    'a reason without a decision': { hooks: [says({ reason: secret })] },
    'a message': { hooks: [says({ systemMessage: secret })] },
    'a stop': { hooks: [says({ continue: true, stopReason: secret })] },
    context: { after: [says({ hookSpecificOutput: { additionalContext: secret } })] },
    'a result in place of the tool’s': {
      after: [says({ hookSpecificOutput: { [secret]: secret } })],
    },
    'arguments that hooks set': {
      hooks: [1, 2].map((value) =>
        says({ hookSpecificOutput: { tool_input: { [secret]: value, a: `${secret}${value}` } } }),
      ),
    },
    'an answer that passes for a warning of ours': {
      hooks: [fails(spoof)],
    },
    'an error that a module throws': {
      hooks: [module('a.mjs', thrown)],
      input: { content: secret },
    },
    'an error that a module throws and that denies': {
      hooks: [module('b.mjs', thrown, block)],
      input: { content: secret },
    },
    'what a module prints': {
      hooks: [module('c.mjs', 'console.log(input); throw 1')],
      input: { content: secret },
    },
    'an error of a module that is gone': {
      hooks: [
        module(
          'd.mjs',
          'setImmediate(() => { throw new Error(input.tool_input.content) }); return new Promise(() => {})',
        ),
      ],
      input: { content: secret },
    },
    'an error that a function throws': {
      hooks: [{ type: 'function', call: () => Promise.reject(withCause()) }],
    },
    'a value that a function throws': {
      hooks: [
        {
          type: 'function',
          call: () => {
            throw secret; // oxlint-disable-line no-throw-literal, typescript/only-throw-error
          },
          ...block,
        },
      ],
    },
    'the judgement of a model': { hooks: [{ type: 'prompt', prompt: 'Safe?' }] },
    'an error of a model': { hooks: [{ type: 'prompt', prompt: 'Throw.', ...block }] },
    'the body of a failed response': { hooks: [http(500)] },
    'the body of a response that is no answer': { hooks: [{ ...http(200), ...block }] },
    'where a server redirects to': { hooks: [http(307)] },
    'a line of a live hook that is no answer': {
      hooks: [live('e.mjs', `console.log('${secret}'); console.log('{"id":1,"output":{}}')`)],
    },
    'the last words of a live hook': {
      hooks: [live('f.mjs', `console.error('${secret}'); process.exit(1)`)],
    },
    'why a hook is not trusted': { hooks: [command('exit 0', { name: 'distrusted' })] },
  };
};

/** An error with the secret in everything that an error has. */
const withCause = (): Error =>
  Object.assign(new Error(secret, { cause: new Error(secret) }), { code: secret, name: secret });

/** A server that puts the secret into every answer. */
async function talkative(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(Number(request.url!.slice(1)), { location: `http://other/${secret}` });
    response.end(secret);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const kinds = ['command', 'live', 'module', 'http', 'prompt', 'function'] as const;

/** LLxprt's protocol, for hooks of every kind. */
const allKinds: Dialect = {
  ...llxprt,
  find(site) {
    const read = site.settings().map((from) => defineHooks(from, { kinds }));
    return {
      definitions: read.flatMap(({ definitions }) => definitions),
      problems: read.flatMap(({ problems }) => problems),
      unasked: [],
    };
  },
};

/** Everything that promises to hold no payloads, as texts that can be searched. */
async function sinksOf(folder: string) {
  const collector = await otlpReceiver();
  const audit = join(folder, 'audit.jsonl');
  const file = join(folder, 'recording.jsonl');
  const recording = startRecording(file, { cwd: folder });
  const live: JournalEntry[] = [];
  const page = journalTo((entry) => live.push(entry));
  const stately: unknown[] = [];
  const onWarning: WarningSink = (line, plain) => {
    recording.warned(line, plain);
    page.warned(line, plain);
  };
  return {
    collector,
    settings: { file: audit, opentelemetry: { endpoint: collector.endpoint } },
    watching: {
      onWarning,
      inspect: observeAll(recording.observe, page.observe, (event) =>
        stately.push(reportedEvent(event)),
      )!,
    },
    async texts(): Promise<Readonly<Record<string, string>>> {
      recording.close();
      const entries = linesOf(file) as JournalEntry[];
      const calls: CallAccount[] = [];
      for await (const call of accounts(asyncOf(entries))) calls.push(call);
      return {
        'the audit log': readFileSync(audit, 'utf8'),
        'spans and metrics': collector.text(),
        'a recording': readFileSync(file, 'utf8'),
        'the page': JSON.stringify(live),
        'the machines for Stately': JSON.stringify(stately),
        'what explain says': calls.flatMap(explain).join('\n'),
        'the figures of hooks': JSON.stringify(await hookStats(asyncOf(calls))),
      };
    },
  };
}

const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

async function* asyncOf<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

const toolOf = (index: number): string => `tool_${index}`;

test('no payload, and nothing that was said about one, reaches a sink without payloads', async () => {
  const folder = tempFolder();
  const tried = Object.entries(places(folder, await talkative()));
  const { collector, settings, watching, ...sinks } = await sinksOf(folder);
  const groups = (which: 'hooks' | 'after') =>
    tried.flatMap(([, place], index) =>
      place[which] ? [{ matcher: `^${toolOf(index)}$`, hooks: place[which] }] : [],
    );
  const judge = someModel(({ contents }) => {
    if (JSON.stringify(contents).includes('Throw.')) throw withCause();
    return saying(secret);
  });
  const config = createConfig({
    cwd: folder,
    dialects: [allKinds],
    settings: {
      enableHooks: true,
      hooks: { BeforeTool: groups('hooks'), AfterTool: groups('after') },
    } as never,
    getHookModel: () => judge,
    checkTrust: ({ name }) => {
      if (name === 'distrusted') throw new Error(secret);
      return { trusted: true };
    },
    ...watching,
  });
  const system = config.getHookSystem()!;
  await system.initialize();
  expect(system.getRegistry().problems).toEqual([]);
  const stop = await startAudit(settings, system, (line) => expect.fail(line));

  await Promise.all(
    tried.map(async ([, place], index) => {
      const abort = new AbortController();
      const { id = `call-${index}`, name = toolOf(index), input = {}, confirm } = place;
      const result = { llmContent: 'fine', returnDisplay: '' };
      const call = runToolCall(
        config,
        { id, name, input },
        place.tool ?? (() => Promise.resolve(result)),
        { signal: abort.signal, ...(confirm !== undefined && { confirm: () => confirm }) },
      );
      if (place.abort !== undefined) abort.abort(place.abort);
      await call.catch(() => undefined);
    }),
  );
  const chat = new ChatLoop({
    config,
    model: someModel(saying(secret, wanting('read', { path: secret }, 'read-1')), () => {
      throw withCause();
    }),
    tools: new Map([['read', someTool('read', () => Promise.reject(withCause()))]]),
    systemInstruction: secret,
  });
  await all(chat.run(secret)).catch(() => undefined);
  stop();
  system.dispose();
  await waitUntil(() => collector.spans().some(({ name }) => name === 'session'));
  await waitUntil(() => collector.metrics()['hookmachine.hook.failures'] !== undefined);

  for (const [sink, text] of Object.entries(await sinks.texts())) {
    expect(text.length, sink).toBeGreaterThan(100);
    expect(leaksIn(text), sink).toEqual([]);
  }
});

/** Where a text contains the secret, in whatever notation. */
const leaksIn = (text: string): string[] =>
  [...text.matchAll(/.{0,120}sesame.{0,40}/g)].map(([found]) => found);
