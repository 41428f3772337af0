import { describe, expect, test } from 'vitest';
import { relayEvent } from '../../src/cli/relay-event.ts';
import { denyingAnswer } from '../../src/dialects/denying-answer.ts';
import { EventReader } from '../../src/dialects/event-input.ts';
import { hosts } from '../../src/dialects/hosts.ts';
import { hookPointOf } from '../../src/hook-points.ts';
import { guardedEvents, type GuardedEvent } from '../support/host-events.ts';
import { unjudgedInputs } from '../support/unjudged-input.ts';

const hostOf = (name: string) => hosts.find((one) => one.name === name)!;

/** Relays an input whose event would pass if it were judged. */
async function relayed({ host, event, isNamed }: GuardedEvent, input: string | Buffer, over = {}) {
  const reader = new EventReader('stdin');
  reader.take(Buffer.from(input));
  const warnings: string[] = [];
  const { answer } = await relayEvent(
    { host: hostOf(host), input: reader.end(), named: isNamed && event },
    {
      naming: '',
      projectOf: () => '/',
      through: () => Promise.reject(new TypeError('a bug of ours')),
      warn: (line) => warnings.push(line),
      giveUp: () => undefined,
      ...over,
    },
  );
  return { answer, warnings };
}

test('the table has every host, and every form of its denials', () => {
  expect(new Set(guardedEvents.map(({ host }) => host))).toEqual(
    new Set(hosts.map(({ name }) => name)),
  );
  for (const { name, events } of hosts) {
    const points = new Set(Object.values(events).filter((event) => hookPointOf(event).needsGuards));
    const seen = guardedEvents.filter(({ host }) => host === name);
    expect(new Set(seen.map(({ event }) => events[event]))).toEqual(points);
  }
});

test.each(unjudgedInputs)('$name is denied (S-33, S-34)', async ({ event, input, why }) => {
  const { answer, warnings } = await relayed(event, input);
  expect(answer).toEqual({ stdout: event.denial(expect.stringMatching(why)) });
  expect(warnings).toEqual([expect.stringMatching(why)]);
});

describe.each(guardedEvents)('$host $event (S-33)', (event) => {
  const text = JSON.stringify(event.given);

  test('is denied if what judges it throws', async () => {
    const { answer } = await relayed(event, text);
    expect(answer).toEqual({
      stdout: event.denial('hookmachine could not judge this: a bug of ours'),
    });
  });

  test('is denied if it is not judged in the time that the host waits', async () => {
    let isOver = false;
    const { answer } = await relayed(event, text, {
      through: () => new Promise(() => undefined),
      waited: Infinity,
      giveUp: () => (isOver = true),
    });
    expect(answer).toEqual({
      stdout: event.denial(expect.stringContaining('there was no answer in the time')),
    });
    expect(isOver).toBe(true);
  });
});

test('an event is recognised in an input that is too large, behind what a model chose (S-34)', async () => {
  const chosen =
    '{"tool_input":{"hook_event_name":"SessionEnd","x":"\\"}"},"tool_name":"Bash","y":"';
  const large = Buffer.concat([
    Buffer.from(chosen),
    Buffer.alloc(64 * 1024 * 1024, '['),
    Buffer.from('","hook_event_name":"PreToolUse"}'),
  ]);
  const event = guardedEvents.find(({ host }) => host === 'claude-code')!;
  const { answer } = await relayed(event, large);
  expect(answer).toEqual({
    stdout: event.denial('hookmachine could not judge this: stdin is larger than 64 MiB'),
  });
});

test.each(guardedEvents)(
  '$host $event is denied even if the code that writes its answers fails',
  async ({ host: name, event, given, denial }) => {
    const host = hostOf(name);
    const speaker = {
      ...(await host.speak()),
      write: () => {
        throw new TypeError('a bug of ours');
      },
    };
    const answer = denyingAnswer({ host, speaker, event, given }, 'why');
    // All others obey the exit status.
    const obeysOnlyJson = ['kodelet', 'opencode'].includes(name);
    expect(answer).toEqual(obeysOnlyJson ? { stdout: denial('why') } : { exitCode: 2 });
  },
);
