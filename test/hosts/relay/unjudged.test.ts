import { describe, expect, test } from 'vitest';
import {
  knownEvent,
  relayEvent,
  type RelayPath,
  timeToRead,
} from '../../../src/hosts/relay/relay-event.ts';
import { denyingAnswer } from '../../../src/hosts/parts/denying-answer.ts';
import { type EventInput, EventReader } from '../../../src/hosts/parts/event-input.ts';
import { hosts } from '../../../src/hosts/all/hosts.ts';
import { hookPointOf } from '../../../src/core/points/hook-points.ts';
import { guardedEvents, undeniable, type GuardedEvent } from '../../support/host-events.ts';
import { unjudgedInputs } from '../../support/unjudged-input.ts';

const hostOf = (name: string) => hosts.find((one) => one.name === name)!;

/** Relays an input whose event would pass if it were judged. */
async function relayed(
  { host: name, event, isNamed }: GuardedEvent,
  given: string | Buffer,
  over: Partial<RelayPath> = {},
) {
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const host = hostOf(name);
  const input = inputOf(given);
  const known = knownEvent({ host, speaker: await host.speak(), input }, isNamed && event, {
    naming: '',
    warn,
  });
  const { answer, isLate } = await relayEvent(known!, {
    projectOf: () => '/',
    through: () => Promise.reject(new TypeError('a bug of ours')),
    warn,
    ...over,
  });
  return { answer, isLate, warnings };
}

function inputOf(given: string | Buffer): EventInput {
  const reader = new EventReader('stdin');
  reader.take(Buffer.from(given));
  return reader.end();
}

test('the table has every host, and every form of its denials', () => {
  expect(new Set(guardedEvents.map(({ host }) => host))).toEqual(
    new Set(hosts.map(({ name }) => name)),
  );
  for (const { name, events } of hosts) {
    const points = new Set(
      Object.keys(events)
        .filter((event) => !undeniable.has(`${name} ${event}`))
        .map((event) => events[event]!)
        .filter((event) => hookPointOf(event).needsGuards),
    );
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
    let late: AbortSignal | undefined;
    const { answer, isLate } = await relayed(event, text, {
      through: (_fired, _session, signal) => {
        late = signal;
        return new Promise(() => undefined);
      },
      waited: Infinity,
    });
    expect(answer).toEqual({
      stdout: event.denial(expect.stringContaining('there was no answer in the time')),
    });
    expect(isLate).toBe(true);
    expect(late?.aborted ?? true).toBe(true);
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

test.each(hosts)(
  '$name: only reading an event that must be judged has a deadline',
  async (host) => {
    const speaker = await host.speak();
    for (const [event, ours] of Object.entries(host.events)) {
      const within = timeToRead(host, speaker, event);
      if (hookPointOf(ours).needsGuards) expect(within).toBeGreaterThan(0);
      else expect(within).toBeUndefined();
    }
    expect(timeToRead(host, speaker, undefined)).toBeGreaterThan(0);
  },
);

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
    const answer = denyingAnswer(
      { host, speaker, event, input: inputOf(JSON.stringify(given)) },
      'why',
    );
    // All others obey the exit status.
    const obeysOnlyJson = ['cline', 'kodelet', 'kilo', 'openclaw', 'opencode', 'pi'].includes(name);
    expect(answer).toEqual(obeysOnlyJson ? { stdout: denial('why') } : { exitCode: 2 });
  },
);
