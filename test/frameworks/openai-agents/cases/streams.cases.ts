import { modelStreamResponder } from '@openai/agents/testing';
import type { RunStreamEvent } from '@openai/agents';
import { describe, expect, test, vi } from 'vitest';
import { gate } from '../../../support/gate.ts';
import { projectWithHooks } from '../../../support/project.ts';
import { editing, holdBack, redacting, secret } from '../../../support/text-hooks.ts';
import { call, runIn, says, setup, shown } from './kit.ts';

const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };

interface Streamed {
  readonly deltas: readonly string[];
  /** Awaited before the last of them. */
  readonly until?: Promise<void>;
  readonly calls?: ReturnType<typeof call>[];
}

/** A model that streams text in these pieces, with the events of its provider beside them. */
const streaming = ({ deltas, until, calls = [] }: Streamed) =>
  modelStreamResponder(async function* () {
    yield { type: 'response_started' as const };
    for (const [place, delta] of deltas.entries()) {
      if (place === deltas.length - 1) await until;
      yield { type: 'model' as const, event: { type: 'response.output_text.delta', delta } };
      yield { type: 'output_text_delta' as const, delta };
    }
    const output = [says(deltas.join('')), ...calls];
    yield { type: 'response_done' as const, response: { id: 'r', usage, output } };
  });

const textOf = (event: RunStreamEvent): string =>
  event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta'
    ? event.data.delta
    : '';

/** An agent in a project with such a hook. */
const setupWith = (
  { files }: ReturnType<typeof editing>,
  {
    hooks = {},
    options = {},
    ...more
  }: Omit<Parameters<typeof setup>[0], 'hooks'> & { readonly hooks?: object },
) => setup({ ...more, options: { ...options, cwd: projectWithHooks(hooks, files) } });

describe('text on its way through streaming hooks of the OpenAI Agents SDK', () => {
  test('a streaming hook hides a secret wherever it is cut, and keeps the calls after it', async () => {
    const text = `The key is ${secret}.`;
    const all = [...[...text].map((_, at) => [text.slice(0, at), text.slice(at)]), [...text]];
    const { runner, agent, ran } = setupWith(redacting, {
      script: [
        ...all.map((deltas) => streaming({ deltas })),
        streaming({ deltas: [text], calls: [call('write', 'a.txt')] }),
        streaming({ deltas: ['Done.'] }),
      ],
    });
    for (const deltas of all) {
      const { events, output } = await runIn('streamed', runner, agent, 'Go');
      expect(output, `cut as ${JSON.stringify(deltas)}`).toBe('The key is [key].');
      expect(events.map(textOf).join('')).toBe(output);
      expect(shown(events)).not.toContain('AKIA');
    }
    const { events } = await runIn('streamed', runner, agent, 'Go');
    expect(ran).toEqual([{ name: 'write', input: { path: 'a.txt' } }]);
    expect(events.map(textOf).join('')).toBe('The key is [key].Done.');
    expect(shown(events)).not.toContain('AKIA');
  });

  test('text is shown while the model still writes, except for what hooks may hold back', async () => {
    const seen = gate();
    const { runner, agent } = setupWith(redacting, {
      script: [streaming({ deltas: [...'a'.repeat(holdBack), '!'], until: seen.opened })],
    });
    const result = await runner.run(agent, 'Go', { stream: true });
    let text = '';
    for await (const event of result) {
      text += textOf(event);
      if (textOf(event) !== '') seen.open();
    }
    expect(text).toBe(`${'a'.repeat(holdBack)}!`);
  });

  test.each([
    ['a denial', `{ text: 'Well', decision: 'deny', reason: 'not that' }`],
    ['a stop', `{ text: 'Well', continue: false, stopReason: 'not that' }`],
  ])('text ends with %s in the middle of it', async (what, reply) => {
    const { runner, agent, ran, ...said } = setupWith(
      editing(`if (text?.includes('violence')) return ${reply};`),
      {
        script: [
          streaming({
            deltas: ['Then violence', ' and more.'],
            // A provider that never continues.
            until: new Promise(() => undefined),
            calls: [call('write', 'a.txt')],
          }),
        ],
      },
    );
    const { events, output } = await runIn('streamed', runner, agent, 'Go');
    expect(output).toBe('Well');
    expect(events.map(textOf).join('')).toBe('Well');
    expect(shown(events)).not.toContain('violence');
    expect(ran).toEqual([]);
    expect(what === 'a stop' ? said.stops : said.blocked).toEqual([
      what === 'a stop' ? 'not that' : { reason: 'not that' },
    ]);
  });

  test('text continues without a hook that fails, and waits for a hook that wants all of it', async () => {
    const failing = setupWith(editing(`if (text) throw new Error('it broke');`), {
      script: [streaming({ deltas: ['One ', 'two.'] })],
    });
    const { events } = await runIn('streamed', failing.runner, failing.agent, 'Go');
    expect(events.map(textOf).join('')).toBe('One two.');
    expect(failing.warnings.filter((line) => line.includes('it broke'))).toHaveLength(1);

    const waits = vi.fn();
    const waiting = setupWith(redacting, {
      hooks: { AfterModel: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      script: [streaming({ deltas: ['One ', secret] }), streaming({ deltas: ['Two.'] })],
      options: { onTextWaits: waits },
    });
    const held = await runIn('streamed', waiting.runner, waiting.agent, 'Go');
    expect(held.events.map(textOf)).toContain('One [key]');
    await runIn('streamed', waiting.runner, waiting.agent, 'Go');
    expect(waits.mock.calls).toEqual([[['true']]]);
  });
});
