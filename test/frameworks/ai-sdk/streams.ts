import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { gate } from '../../support/gate.ts';
import { group } from '../../support/project.ts';
import { editing, holdBack, redacting, secret } from '../../support/text-hooks.ts';
import type { Suite } from './agent.ts';
import type { Asked, Fields } from './sdk.ts';

/** The pieces of a text. */
const block = (id: string, deltas: readonly string[]): Fields[] => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'write', input: '{"path":"a"}' };

const deltasOf = (parts: readonly Fields[]): unknown[] =>
  parts
    .filter(({ type }) => type === 'text-delta')
    .map(({ text, delta }) => text ?? delta)
    // AI SDK 5 and 6 have the text in `text` too, and leave out deltas without any.
    .filter((text) => text !== '');

async function* each(parts: readonly Fields[]): AsyncGenerator<Fields> {
  for (const part of parts) {
    // A provider yields them one by one.
    await setImmediate();
    yield part;
  }
}

/** A streaming model, as the SDK calls it. */
interface Streaming {
  readonly doStream: (options: object) => Promise<{ readonly stream: ReadableStream<Fields> }>;
}

/** Text on its way through hooks that get it as it arrives. */
export function streams({ mode, agent }: Suite): void {
  if (mode === 'generated') return;

  test('a secret in a stream is hidden wherever it is cut', async () => {
    const text = `The key is ${secret}, keep it.`;
    const cuts = Array.from(text).map((_, at) => [text.slice(0, at), text.slice(at)]);
    const all = [...cuts, Array.from(text)];
    const { run } = await agent({
      ...redacting,
      answers: (_asked, count) => ({ pieces: () => each(block('1', all[count]!)) }),
    });
    for (const deltas of all) {
      const { text: shown, parts, messages } = await run('Go');
      expect(shown, `cut as ${JSON.stringify(deltas)}`).toBe('The key is [key], keep it.');
      expect(deltasOf(parts).join('')).toBe(shown);
      expect(JSON.stringify([parts, messages])).not.toContain('AKIA');
    }
  });

  test('text is shown while the model still writes, except for what hooks may hold back', async () => {
    const seen = gate();
    const { model } = await agent({
      ...redacting,
      answers: [
        {
          async *pieces() {
            yield { type: 'text-start', id: '1' };
            for (const delta of 'a'.repeat(holdBack)) yield { type: 'text-delta', id: '1', delta };
            await seen.opened;
            yield { type: 'text-delta', id: '1', delta: ' end' };
            yield { type: 'text-end', id: '1' };
          },
        },
      ],
    });
    const { doStream } = model as unknown as Streaming;
    const { stream } = await doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }],
    });
    const parts: Fields[] = [];
    for await (const part of stream) {
      parts.push(part);
      if (part['type'] === 'text-delta') seen.open();
    }
    expect(deltasOf(parts)[0]).toBe('a');
    expect(deltasOf(parts).join('')).toBe(`${'a'.repeat(holdBack)} end`);
  });

  test('texts keep their ids, and the calls after them, raw pieces and usage are kept', async () => {
    const write = vi.fn((_input: object) => 'written');
    const { run } = await agent({
      ...redacting,
      answers: [
        {
          calls: [['c1', 'write', {}]],
          pieces: () =>
            each([
              { type: 'raw', rawValue: { delta: secret } },
              { type: 'reasoning-start', id: 'r' },
              { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
              { type: 'reasoning-end', id: 'r' },
              ...block('1', ['My ', 'key: ', secret]),
              ...block('2', [secret]),
              call,
            ]),
        },
        { streamed: [{ type: 'raw', rawValue: 'as it was' }] },
      ],
      tools: { write },
    });
    const { parts, steps } = await run('Go', { includeRawChunks: true });
    expect(write.mock.calls.map(([input]) => input)).toEqual([{ path: 'a' }]);
    expect(JSON.stringify([parts, steps])).not.toContain('AKIA');
    const kinds = parts.map(({ type, id }) =>
      id === undefined ? type : `${String(type)} ${id as string}`,
    );
    expect(
      kinds.filter((kind) => /^(text-(start|end)|reasoning-|tool-call$)/.test(String(kind))),
    ).toEqual([
      'reasoning-start r',
      'reasoning-delta r',
      'reasoning-end r',
      'text-start 1',
      'text-end 1',
      'text-start 2',
      'text-end 2',
      'tool-call',
    ]);
    expect(steps[0]!.text).toBe('My key: [key][key]');
    expect(JSON.stringify(parts)).toContain('as it was');
    const usages = steps.map(
      (step) => ((step as unknown as Fields)['usage'] as Fields)['inputTokens'],
    );
    expect(usages).toEqual([3, 3]);
  });

  test.each([
    ['a denial', `{ text: 'Well', decision: 'deny', reason: 'not that' }`],
    ['a stop', `{ text: 'Well', continue: false, stopReason: 'not that' }`],
  ])('an answer ends with %s in the middle of its text', async (what, reply) => {
    const ended = gate();
    const write = vi.fn();
    const made = await agent({
      ...editing(`if (text?.includes('violence')) return ${reply};`),
      answers: [
        {
          async *pieces({ abortSignal }: Asked) {
            abortSignal!.addEventListener('abort', ended.open);
            yield { type: 'tool-input-start', id: 'c1', toolName: 'write' };
            yield { type: 'tool-input-delta', id: 'c1', delta: '{"path":"a"}' };
            yield { type: 'tool-input-end', id: 'c1' };
            yield call;
            yield { type: 'text-start', id: '1' };
            yield { type: 'text-delta', id: '1', delta: 'Peace. ' };
            await setImmediate();
            yield { type: 'text-delta', id: '1', delta: 'Then violence.' };
            // A provider that ends only when it is told to.
            await ended.opened;
          },
        },
      ],
      tools: { write },
    });
    const { text, parts, messages } = await made.run('Go');
    expect(['Well', 'Peace. Well']).toContain(text);
    await ended.opened;
    expect(write).not.toHaveBeenCalled();
    expect(JSON.stringify([parts, messages])).not.toContain('violence');
    const kinds = parts.map(({ type }) => type);
    expect(kinds.filter((kind) => kind === 'text-start' || kind === 'text-end')).toEqual([
      'text-start',
      'text-end',
    ]);
    expect(kinds).not.toContain('tool-call');
    expect(what === 'a stop' ? made.stops : made.blocked).toEqual(
      what === 'a stop' ? ['not that'] : [{ reason: 'not that' }],
    );
  });

  test('text continues without a hook that fails, and a warning reports that hook', async () => {
    const { run, warnings } = await agent({
      ...editing(`if (text) throw new Error('it broke');`),
      answers: [{ pieces: () => each(block('1', ['One ', 'two.'])) }],
    });
    expect((await run('Go')).text).toBe('One two.');
    expect(
      warnings.filter((line) => line.includes('editor') && line.includes('it broke')),
    ).toHaveLength(1);
  });

  test('text that was shown stays if the provider fails or nobody waits any more', async () => {
    const abort = new AbortController();
    let told: AbortSignal | undefined;
    const { model } = await agent({
      ...editing(''),
      answers: [
        {
          async *pieces() {
            yield* block('1', ['Shown.']);
            yield { type: 'error', error: new Error('it broke off') };
          },
        },
        {
          async *pieces({ abortSignal }: Asked) {
            told = abortSignal;
            yield* block('1', ['Shown.']);
            await new Promise(() => undefined);
          },
        },
      ],
    });
    const { doStream } = model as unknown as Streaming;
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }];
    const broken: Fields[] = [];
    for await (const part of (await doStream({ prompt })).stream) broken.push(part);
    expect(broken.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'error',
      'finish',
    ]);
    const aborted: Fields[] = [];
    const { stream } = await doStream({ prompt, abortSignal: abort.signal });
    const read = async (): Promise<void> => {
      for await (const part of stream) {
        aborted.push(part);
        if (part['type'] === 'text-end') abort.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toThrow('enough');
    expect(deltasOf(aborted)).toEqual(['Shown.']);
    expect(told!.aborted).toBe(true);
  });

  test('text is held back for a hook that wants all of it, and that hook is named', async () => {
    const waits = vi.fn();
    const { run } = await agent({
      ...redacting,
      hooks: { AfterModel: [group('true')] },
      answers: [{ pieces: () => each(block('1', ['One ', secret])) }, { text: 'Two.' }],
      options: { onTextWaits: waits },
    });
    expect((await run('Go')).text).toBe('One [key]');
    await run('Go');
    expect(waits.mock.calls).toEqual([[['true']]]);
  });
}
