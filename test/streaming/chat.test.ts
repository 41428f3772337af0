import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChatEvent } from '../../src/agent/loop/chat-events.ts';
import { ChatLoop } from '../../src/agent/loop/chat-loop.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { defineStreamHook, replacing } from '../../src/entries/hook.ts';
import { runModelCall } from '../../src/core/calls/run-model-call.ts';
import type { JournalEntry } from '../../src/watch/journal/entry.ts';
import { journalTo } from '../../src/watch/journal/journal.ts';
import { all, everything, kinds, last, shown } from '../support/chat.ts';
import { sandbox } from '../support/sandbox.ts';
import { saying, someModel, wanting, type Turn } from '../support/some-model.ts';
import { someTool } from '../support/some-tool.ts';

const holdBack = 20;
const secret = 'AKIAIOSFODNN7EXAMPLE';
const masked = '*'.repeat(secret.length);

/** A hook that logs the pieces and the whole answers that it receives, and handles pieces with `code`. */
const logging = (code: string): string => `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default async (input, { signal }) => {
  const { stream, llm_response } = input;
  appendFileSync(join(input.cwd, 'log'), JSON.stringify(stream ?? { whole: llm_response.text }) + '\\n');
  const { text, done } = stream ?? {};
  ${code}
};`;

/** A session with these hooks on answers, in a sandbox. */
function sessionWith(hooks: readonly object[], files: Record<string, string>, more = {}) {
  const { project, systemFolder, write } = sandbox();
  for (const [file, content] of Object.entries(files)) write(join(project, file), content);
  write(join(project, '.hookmachine/settings.json'), { hooks: { 'model.after': [{ hooks }] } });
  const warnings: string[] = [];
  const config = createConfig({
    cwd: project,
    systemFolder,
    isTrustedFolder: () => true,
    onWarning: (line) => void warnings.push(line),
    ...(more as Partial<CreateConfigOptions>),
  });
  onTestFinished(() => config.getHookSystem()?.dispose());
  const file = join(project, 'log');
  const log = (): readonly { text?: string; done?: boolean; whole?: string }[] =>
    (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []).map(
      (line) => JSON.parse(line) as object,
    );
  return { config, warnings, log };
}

/** Like `sessionWith`, with one module and a chat. */
function chatWith(
  code: string,
  turns: readonly Turn[],
  definition: object = {},
  more: object = {},
) {
  const session = sessionWith(
    [{ ...editor, ...definition }],
    { 'editor.mjs': logging(code) },
    more,
  );
  const chat = new ChatLoop({ config: session.config, model: someModel(...turns) });
  return { ...session, chat, run: () => all(chat.run('Hi')) };
}

/** The model's last answer as the history keeps it. */
const kept = ({ history }: ChatLoop): string =>
  (history.at(-1)?.parts ?? []).map(({ text = '' }) => text).join('');

const editor = { type: 'module', name: 'editor', module: './editor.mjs', stream: { holdBack } };
const asModule = { type: 'module', module: './redact.mjs', stream: { holdBack } };
const asProcess = { type: 'live', command: 'exec python3 redact.py', stream: { holdBack } };

/** Redactors as people write them, by kind. */
const redactors = {
  'a module that holds back the last characters': {
    hook: asModule,
    file: `export default ({ stream }) => {
      if (!stream) return;
      const text = stream.text.replaceAll(/AKIA[0-9A-Z]{16}/g, (key) => '*'.repeat(key.length));
      const end = stream.done ? text.length : Math.max(0, text.length - 19);
      return { text: text.slice(0, end), held: text.slice(end) };
    };`,
  },
  'a module that holds back a possible beginning of a secret': {
    hook: asModule,
    file: `export default ({ stream }) => {
      if (!stream) return;
      const text = stream.text.replaceAll(/AKIA[0-9A-Z]{16}/g, (key) => '*'.repeat(key.length));
      const [held = ''] = stream.done ? [] : (/A(K(I(A[0-9A-Z]{0,15})?)?)?$/.exec(text) ?? []);
      return { text: text.slice(0, text.length - held.length), held };
    };`,
  },
  'a live hook': {
    hook: asProcess,
    file: `
import json, re, sys
for line in sys.stdin:
    event = json.loads(line)
    stream, output = event["input"].get("stream"), None
    if stream:
        text = re.sub("AKIA[0-9A-Z]{16}", lambda key: "*" * len(key[0]), stream["text"])
        end = len(text) if stream["done"] else max(0, len(text) - 19)
        output = {"text": text[:end], "held": text[end:]}
    print(json.dumps({"id": event["id"], "output": output}), flush=True)
`,
  },
};

describe.each(Object.entries(redactors))('%s', (_, { hook, file }) => {
  test('a redactor redacts a secret wherever it is cut, and keeps pace with the model', async () => {
    const text = `The key: ${secret}, 😀 and that is all there is to say about it.`;
    const clean = text.replace(secret, masked);
    const cuts = Array.from({ length: text.length - 1 }, (_each, at) => [at + 1]);
    const every = (size: number): number[] =>
      Array.from({ length: Math.ceil(text.length / size) - 1 }, (_each, at) => (at + 1) * size);
    const [file0, name] = [file, hook === asModule ? 'redact.mjs' : 'redact.py'];
    const { config, warnings } = sessionWith([hook], { [name]: file0 });
    let given = 0;
    let seen = '';
    const streams =
      (at: readonly number[]): Turn =>
      async (_request, { onText }) => {
        [given, seen] = [0, ''];
        for (const [index, from] of [0, ...at].entries()) {
          const piece = text.slice(from, at[index]);
          given += piece.length;
          onText?.(piece);
          await vi.waitUntil(() => seen.length >= given - holdBack, {
            timeout: 30_000,
            interval: 1,
          });
          await setImmediate();
        }
        return saying(text);
      };
    const ways = [...cuts, every(1), every(7), []];
    const chat = new ChatLoop({ config, model: someModel(...ways.map(streams)) });
    for (const way of ways) {
      const events: ChatEvent[] = [];
      for await (const event of chat.run('Hi')) {
        events.push(event);
        if (event.type === 'text') seen += event.text;
      }
      expect([way, shown(events)]).toEqual([way, clean]);
      expect(kept(chat)).toBe(clean);
      expect(last(events)).toMatchObject({ type: 'finalAnswer', text: clean });
    }
    expect(warnings).toEqual([]);
  });
});

test('a defined stream hook receives an answer that is not streamed as one piece', async () => {
  const hook = defineStreamHook(replacing(/AKIA[0-9A-Z]{16}/, '[key]'));
  const whole = (text: string) =>
    hook({ llm_request: {}, llm_response: { text, usageMetadata: {} } } as never);
  expect(await whole(`The key: ${secret}`)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'AfterModel',
      llm_response: { text: 'The key: [key]', usageMetadata: {} },
    },
  });
  expect((await whole('The key: [key]'))?.hookSpecificOutput).toBeUndefined();
  const denying = defineStreamHook(() => ({ decision: 'deny', reason: 'no' }));
  const input = { llm_request: {}, llm_response: { text: 'hi' } } as never;
  expect(await denying(input)).toEqual({ decision: 'deny', reason: 'no' });
});

test('replacing() finds matches of any length up to the hold-back limit, including growing ones', async () => {
  const hook = defineStreamHook(replacing(/\S+@\S+|x+/, (found) => `<${found.length}>`));
  const text = 'Ask bob@example.com or xxxxxxxx, not al@b.c.';
  for (let at = 0; at <= text.length; at++)
    for (let to = at; to <= text.length; to++) {
      let [through, held] = ['', ''];
      for (const [index, piece] of [
        text.slice(0, at),
        text.slice(at, to),
        text.slice(to),
      ].entries()) {
        const stream = { text: held + piece, done: index === 2, holdBack, id: '1' };
        const said = (await hook({ stream } as never)) as { text: string; held: string };
        through += said.text;
        ({ held } = said);
        expect(held.length).toBeLessThanOrEqual(holdBack);
      }
      expect(through + held).toBe('Ask <15> or <8>, not <7>');
    }
});

test('each stream hook receives the text as the hooks before it left it', async () => {
  const upper = logging('return stream && { text: text.toUpperCase() };');
  const { config, log } = sessionWith(
    [{ type: 'module', module: './upper.mjs', stream: { holdBack: 0 } }, { ...asProcess }],
    { 'upper.mjs': upper, 'redact.py': redactors['a live hook'].file },
  );
  const chat = new ChatLoop({ config, model: someModel(`my key is ${secret.toLowerCase()} now`) });
  const events = await all(chat.run('Hi'));
  expect(shown(events)).toBe(`MY KEY IS ${masked} NOW`);
  expect(kept(chat)).toBe(shown(events));
  expect(log().at(-1)).toEqual({ whole: shown(events) });
});

const aborted: Turn = async (_request, { signal, onText }) => {
  onText?.('Good. ');
  await setImmediate();
  onText?.('Bad. ');
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return saying('Good. Bad. Never.');
};

const someWords: Turn = async (_request, { onText }) => {
  for (const word of ['one ', 'two ', 'three ', 'two']) {
    onText?.(word);
    await setImmediate();
  }
  return saying('one two three two');
};

describe('in the middle of an answer', () => {
  test('a denial in mid-answer withholds the rest: the answer is what was shown, and the model is not waited for', async () => {
    const { chat, run, log, warnings } = chatWith(
      `if (text?.includes('Bad')) return { text: text.replace('Bad. ', ''), decision: 'deny', reason: 'No bad words.' };`,
      [aborted],
    );
    const events = await run();
    expect(shown(events)).toBe('Good. ');
    expect(events).toContainEqual({ type: 'modelBlocked', reason: 'No bad words.' });
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'Good. ' });
    expect(kept(chat)).toBe('Good. ');
    expect(log().at(-1)).toEqual({ whole: 'Good. ' });
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'AfterModel', blocked: true, reason: 'No bad words.' }),
    );
    expect(warnings).toEqual([]);
  });

  test('a stop in mid-answer withholds the rest and ends the turn', async () => {
    const { chat, run } = chatWith(
      `if (text?.includes('Bad')) return { text: '', continue: false, stopReason: 'Enough.' };`,
      [aborted],
    );
    const events = await run();
    expect(shown(events)).toBe('Good. ');
    expect(last(events)).toEqual({ type: 'stop', by: 'hook', reason: 'Enough.' });
    expect(kept(chat)).toBe('Good. ');
  });

  test('text that is held back by hooks after a denying one is let through', async () => {
    const { config } = sessionWith([{ ...asModule, module: './deny.mjs' }, asProcess], {
      'deny.mjs': logging(
        `if (text?.includes('Bad')) return { text: 'Key: ${secret}', decision: 'deny', reason: 'No.' };`,
      ),
      'redact.py': redactors['a live hook'].file,
    });
    const chat = new ChatLoop({ config, model: someModel(aborted) });
    expect(shown(await all(chat.run('Hi')))).toBe(`Good. Key: ${masked}`);
  });

  test.each([
    ['an exception', `if (text?.includes('two')) throw new Error('oh no');`, 'oh no', {}],
    [
      'a missing answer',
      `if (text?.includes('two')) await new Promise(() => {});`,
      'timed out',
      { timeout: 3_000 },
    ],
    [
      'a "text" that is not a string',
      `if (text?.includes('two')) return { text: 2 };`,
      'its "text" is not a string',
      {},
    ],
    [
      'a "held" that is not in the text',
      `if (text?.includes('two')) return { held: 'four' };`,
      'its "held" is not the end',
      {},
    ],
  ])(
    '%s is a reported failure, and the text continues without the hook',
    async (_, code, why, more) => {
      const { chat, run, log, warnings } = chatWith(code, [someWords], more);
      const events = await run();
      expect(shown(events)).toBe('one two three two');
      expect(kept(chat)).toBe('one two three two');
      expect(warnings).toEqual([expect.stringContaining(why)]);
      expect(warnings[0]).toContain('hook "editor" (model.after) failed and was ignored');
      expect(log().filter((piece) => piece.text?.includes('two'))).toHaveLength(1);

      if ('timeout' in more) return;
      const blocking = chatWith(code, [someWords], { ...more, onFailure: 'block' });
      const blocked = await blocking.run();
      expect(shown(blocked)).not.toContain('two');
      expect(shown(blocked)).toBe(kept(blocking.chat));
      expect(blocked).toContainEqual(
        expect.objectContaining({ type: 'modelBlocked', reason: expect.stringContaining(why) }),
      );
    },
  );

  test('a cancelled turn shows no more text, and the hook does not receive the whole answer', async () => {
    const { chat, log, warnings } = chatWith('', [aborted]);
    const events: ChatEvent[] = [];
    for await (const event of chat.run('Hi')) {
      events.push(event);
      if (shown(events) === 'Good. Bad. ') chat.cancel('enough');
    }
    expect(shown(events)).toBe('Good. Bad. ');
    expect(last(events)).toEqual({ type: 'cancelled', reason: 'enough' });
    expect(log().some(({ whole }) => whole !== undefined)).toBe(false);
    expect(warnings).toEqual([]);
  });

  test('no more text is shown after the model fails, and none of it is kept', async () => {
    const { run, chat } = chatWith('return stream && { held: text };', [
      (_request, { onText }) => {
        onText?.('half');
        throw new Error('the stream broke off');
      },
    ]);
    expect(await run()).toEqual([{ type: 'error', message: 'the stream broke off' }]);
    expect(everything(chat.history)).not.toContain('half');
  });
});

test('the beginning of text beyond the hold-back limit is let through, which is reported once', async () => {
  const words = ['x', 'y', 'z'].map((letter) => letter.repeat(15));
  const { run, log, warnings } = chatWith('return stream && { held: text };', [
    async (_request, { onText }) => {
      for (const [index, word] of words.entries()) {
        onText?.(word);
        await vi.waitUntil(() => log().length > index, { timeout: 30_000, interval: 5 });
        await setImmediate();
      }
      return saying(words.join(''));
    },
  ]);
  const events = await run();
  expect(shown(events)).toBe(words.join(''));
  expect(Math.max(...log().map(({ text = '' }) => text.length))).toBeLessThan(45);
  expect(warnings).toEqual([
    expect.stringContaining('more than the 20 characters of its "holdBack"'),
  ]);
});

test('one hook on the whole answer makes the text wait, which is reported once per session', async () => {
  const { config, log } = sessionWith(
    [
      editor,
      {
        type: 'command',
        name: 'whole',
        command: `jq -c '{hookSpecificOutput: {llm_response: {text: (.llm_response.text + "!")}}}'`,
      },
    ],
    { 'editor.mjs': logging(`return stream && { text: text.toUpperCase() };`) },
  );
  const waits: (readonly string[])[] = [];
  const onTextWaits = (hooks: readonly string[]): void => void waits.push(hooks);
  const chat = new ChatLoop({ config, model: someModel('one two', 'three'), onTextWaits });
  const events = await all(chat.run('Hi'));
  expect(kinds(events)).toEqual(['AfterModel', 'text', 'finalAnswer']);
  expect(shown(events)).toBe('ONE TWO!');
  expect(kept(chat)).toBe('ONE TWO!');
  expect(log().some(({ text }) => text?.startsWith('one'))).toBe(true);
  await all(chat.run('Hi'));
  expect(waits).toEqual([['whole']]);
});

test('an answer that was shown is not changed by later output of the hook', async () => {
  const { chat, run, warnings } = chatWith(
    `if (!stream) return { suppressOutput: true, hookSpecificOutput: { llm_response: { text: 'other' } } };`,
    ['Shown.'],
  );
  const events = await run();
  expect([shown(events), kept(chat)]).toEqual(['Shown.', 'Shown.']);
  expect(last(events)).toMatchObject({ text: 'Shown.' });
  expect(warnings).toEqual([expect.stringContaining('the answer was shown as it arrived')]);
});

test('tool calls and thoughts stay unchanged around changed text', async () => {
  const tool = someTool('read');
  const { config } = sessionWith([editor], {
    'editor.mjs': logging(`return stream && { text: text.toUpperCase() };`),
  });
  const turns = [
    saying({ text: 'hm', thought: true }, 'one ', wanting('read', { path: '.' }, 'c1'), 'two'),
    'done',
  ];
  const tools = new Map([[tool.name, tool]]);
  const chat = new ChatLoop({ config, model: someModel(...turns), tools });
  const events = await all(chat.run('Hi'));
  expect(shown(events)).toBe('ONE TWODONE');
  const said = chat.history.find(({ role }) => role === 'model');
  expect(said?.parts).toMatchObject([
    { text: 'hm', thought: true },
    { text: 'ONE TWO' },
    { functionCall: { name: 'read' } },
  ]);
});

test('text blocks stay separate if the caller ends each one, and each keeps its place', async () => {
  const { config } = sessionWith([editor], {
    'editor.mjs': logging(
      `return stream && { text: done ? text.toUpperCase() : '', held: done ? '' : text };`,
    ),
  });
  const seen: string[] = [];
  const original = { is: 'the call' };
  const call = await runModelCall(
    config,
    { model: 'm', messages: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    async (_request, _signal, text) => {
      text.add('one');
      await text.end();
      expect(seen).toEqual(['ONE']);
      text.add('two');
      return {
        parts: [
          { text: 'one' },
          { call: { id: '1', name: 't', input: {} }, original },
          { text: 'two' },
        ],
      };
    },
    { onText: (text) => void seen.push(text) },
  );
  expect(seen).toEqual(['ONE', 'TWO']);
  expect(call.response?.parts).toEqual([
    { text: 'ONE' },
    { call: { id: '1', name: 't', input: {} }, original },
    { text: 'TWO' },
  ]);
});

test('the trust of a project hook is checked once per answer, not once per piece', async () => {
  const verifyTrust = vi.fn(() => Promise.resolve({ trusted: true }));
  const { config, log } = sessionWith([editor], { 'editor.mjs': logging('') });
  Object.assign(config, { verifyTrust });
  const chat = new ChatLoop({ config, model: someModel('one two three four') });
  expect(shown(await all(chat.run('Hi')))).toBe('one two three four');
  expect(log().length).toBeGreaterThan(2);
  expect(verifyTrust).toHaveBeenCalledTimes(2);
});

test('a journal records once what each hook did with the text', async () => {
  const entries: JournalEntry[] = [];
  const { observe } = journalTo((entry) => entries.push(entry));
  const { run } = chatWith(
    `return stream && { text: text.replace('two', '2') };`,
    ['one two three'],
    {},
    { inspect: observe },
  );
  await run();
  const stream = entries.find(
    (entry) => entry.kind === 'started' && entry.machine === 'answerStream',
  );
  expect(stream).toMatchObject({ name: 'AfterModel', plan: { hooks: [{ name: 'editor' }] } });
  const hooks = entries.filter(
    (entry) => entry.kind === 'started' && entry.parent === (stream as { id: string }).id,
  );
  expect(hooks).toMatchObject([{ machine: 'hookProcess', name: 'editor' }]);
  const of = (id: string) => entries.filter((entry) => 'id' in entry && entry.id === id);
  expect(of((hooks[0] as { id: string }).id).map(({ kind }) => kind)).toEqual([
    'started',
    'answered',
    'ended',
  ]);
  expect(entries).toContainEqual(expect.objectContaining({ kind: 'answered', changed: 1 }));
  expect(of((stream as { id: string }).id).at(-1)).toMatchObject({ kind: 'ended', status: 'done' });
});
