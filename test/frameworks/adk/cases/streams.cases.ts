import { BaseLlm, type Event, type LlmRequest, type LlmResponse, StreamingMode } from '@google/adk';
import type { Part } from '@google/genai';
import { describe, expect, test, vi } from 'vitest';
import { gate } from '../../../support/gate.ts';
import { projectWithHooks } from '../../../support/project.ts';
import { editing, holdBack, redacting, secret } from '../../../support/text-hooks.ts';
import { call, type Mode, modes, runIn, says, setup } from './kit.ts';

interface Streamed {
  readonly deltas: readonly string[];
  /** Awaited before the last of them. */
  readonly until?: Promise<void>;
  /** What the model thinks before it speaks. */
  readonly thought?: string;
  readonly calls?: readonly Part[];
}

const piece = (part: Part): LlmResponse => ({
  partial: true,
  content: { role: 'model', parts: [part] },
});

/** A model that streams its text in the pieces of a script. */
class StreamingLlm extends BaseLlm {
  readonly #script: Streamed[];

  constructor(script: readonly Streamed[]) {
    super({ model: 'streaming' });
    this.#script = [...script];
  }

  override async *generateContentAsync(
    _request: LlmRequest,
    stream?: boolean,
  ): AsyncGenerator<LlmResponse, void> {
    const { deltas, until, thought, calls = [] } = this.#script.shift()!;
    const thoughts = thought === undefined ? [] : [{ text: thought, thought: true }];
    if (stream) {
      yield* thoughts.map(piece);
      for (const [place, text] of deltas.entries()) {
        if (place === deltas.length - 1) await until;
        yield piece({ text });
      }
    }
    yield {
      content: { role: 'model', parts: [...thoughts, says(deltas.join('')), ...calls] },
    };
  }

  override connect(): never {
    throw new Error('not here');
  }
}

/** An agent in a project with such a hook. */
const setupWith = (
  { files }: ReturnType<typeof editing>,
  script: readonly Streamed[],
  { hooks = {}, options = {} }: { readonly hooks?: object; readonly options?: object } = {},
) =>
  setup({
    agent: { model: new StreamingLlm(script) },
    options: { cwd: projectWithHooks(hooks, files), ...options },
  });

/** The pieces of text in a stream. */
const deltasIn = (events: readonly Event[]): string[] =>
  events.flatMap(({ partial, content }) =>
    partial
      ? (content?.parts ?? []).flatMap(({ text, thought }) => (text && !thought ? [text] : []))
      : [],
  );

const inMode = (mode: Mode, text: string): string => (mode === 'streamed' ? text : '');

describe('text on its way through streaming hooks of ADK', () => {
  test.each(modes)(
    'a streaming hook hides a secret wherever it is cut, and keeps what is beside it (%s)',
    async (mode) => {
      const text = `The key is ${secret}.`;
      const all = [...[...text].map((_, at) => [text.slice(0, at), text.slice(at)]), [...text]];
      const { runner, ran } = setupWith(redacting, [
        ...all.map((deltas) => ({ deltas })),
        { deltas: [text], thought: 'Hm.', calls: [call('write', 'a.txt')] },
        { deltas: ['Done.'] },
      ]);
      for (const deltas of all) {
        const { events, output } = await runIn(mode, runner, 'Go');
        expect(output, `cut as ${JSON.stringify(deltas)}`).toBe('The key is [key].');
        expect(deltasIn(events).join('')).toBe(inMode(mode, output));
        expect(JSON.stringify(events)).not.toContain('AKIA');
      }
      const { events } = await runIn(mode, runner, 'Go');
      expect(ran).toEqual([{ name: 'write', input: { path: 'a.txt' } }]);
      expect(deltasIn(events).join('')).toBe(inMode(mode, 'The key is [key].Done.'));
      expect(JSON.stringify(events)).toContain('Hm.');
      expect(JSON.stringify(events)).not.toContain('AKIA');
    },
  );

  test('text is shown while the model still writes, except for what hooks may hold back', async () => {
    const { opened, open } = gate();
    const { runner } = setupWith(redacting, [
      { deltas: [...'a'.repeat(holdBack), '!'], until: opened },
    ]);
    const session = await runner.sessionService.createSession({ appName: 'test', userId: 'u' });
    const events: Event[] = [];
    for await (const event of runner.runAsync({
      userId: 'u',
      sessionId: session.id,
      newMessage: { role: 'user', parts: [{ text: 'Go' }] },
      runConfig: { streamingMode: StreamingMode.SSE },
    })) {
      events.push(event);
      if (deltasIn([event]).length > 0) open();
    }
    expect(deltasIn(events)[0]).toBe('a');
    expect(deltasIn(events).join('')).toBe(`${'a'.repeat(holdBack)}!`);
  });

  test.each([
    ['a denial', `{ text: 'Well', decision: 'deny', reason: 'not that' }`],
    ['a stop', `{ text: 'Well', continue: false, stopReason: 'not that' }`],
  ])('text ends with %s in the middle of it', async (what, reply) => {
    const { runner, ran, ...said } = setupWith(
      editing(`if (text?.includes('violence')) return ${reply};`),
      [
        {
          deltas: ['Then violence', ' and more.'],
          // A provider that never continues.
          until: new Promise(() => undefined),
          calls: [call('write', 'a.txt')],
        },
      ],
    );
    const { events, output } = await runIn('streamed', runner, 'Go');
    expect(output).toBe('Well');
    expect(deltasIn(events)).toEqual(['Well']);
    expect(JSON.stringify(events)).not.toContain('violence');
    expect(ran).toEqual([]);
    expect(what === 'a stop' ? said.stops : said.blocked).toEqual([
      what === 'a stop' ? 'not that' : { reason: 'not that' },
    ]);
  });

  test('text continues without a hook that fails, and waits for a hook that wants all of it', async () => {
    const failing = setupWith(editing(`if (text) throw new Error('it broke');`), [
      { deltas: ['One ', 'two.'] },
    ]);
    const { events } = await runIn('streamed', failing.runner, 'Go');
    expect(deltasIn(events).join('')).toBe('One two.');
    expect(failing.warnings.filter((line) => line.includes('it broke'))).toHaveLength(1);

    const waits = vi.fn();
    const waiting = setupWith(redacting, [{ deltas: ['One ', secret] }, { deltas: ['Two.'] }], {
      hooks: { AfterModel: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      options: { onTextWaits: waits },
    });
    const held = await runIn('streamed', waiting.runner, 'Go');
    expect(deltasIn(held.events)).toEqual(['One [key]']);
    await runIn('streamed', waiting.runner, 'Go');
    expect(waits.mock.calls).toEqual([[['true']]]);
  });
});
