import { describe, expect, test } from 'vitest';
import type { JournalEntry, JournaledMachine } from '../../../src/watch/journal/entry.ts';
import { Runs } from '../../../src/watch/inspector/page/runs.ts';
import { madeEntries, sentOf } from './entries.ts';

const started = (
  id: string,
  machine: JournaledMachine,
  more: { session?: string; parent?: string; at?: number } = {},
): JournalEntry => ({ kind: 'started', at: 1, id, machine, name: id, session: 's', ...more });

const rowsOf = (...entries: JournalEntry[]): string[] => {
  const runs = new Runs();
  // One by one, as they come.
  for (const entry of entries) runs.add(sentOf([entry]));
  return runs.rows.map(({ level, name }) => `${level} ${name}`);
};

describe('the rows of the page', () => {
  test('calls of sessions that run side by side are listed under their own session', () => {
    expect(
      rowsOf(
        started('turn a', 'agentTurn', { session: 'a' }),
        started('turn b', 'agentTurn', { session: 'b' }),
        started('model a', 'modelCall', { session: 'a', parent: 'turn a' }),
        started('model b', 'modelCall', { session: 'b', parent: 'turn b' }),
        started('tool a', 'toolCall', { session: 'a', parent: 'model a' }),
      ),
    ).toEqual(['1 a', '2 turn a', '3 model a', '4 tool a', '1 b', '2 turn b', '3 model b']);
  });

  test('a call that starts late is listed under its turn', () => {
    expect(
      rowsOf(
        started('turn 1', 'agentTurn'),
        started('turn 2', 'agentTurn'),
        started('late', 'toolCall', { parent: 'turn 1' }),
      ),
    ).toEqual(['1 s', '2 turn 1', '3 late', '2 turn 2']);
  });

  test('hooks of a call have no row, those of a turn or a session have one', () => {
    expect(
      rowsOf(
        started('SessionStart', 'hookEvent'),
        started('turn', 'agentTurn'),
        started('BeforeAgent', 'hookEvent', { parent: 'turn' }),
        started('hook', 'hookProcess', { parent: 'BeforeAgent' }),
        started('call', 'toolCall', { parent: 'turn' }),
        started('BeforeTool', 'hookEvent', { parent: 'call' }),
      ),
    ).toEqual(['1 s', '2 SessionStart', '2 turn', '3 BeforeAgent', '3 call']);
  });

  test('a call whose parent was dropped is listed under its session, and other entries of dropped runs are ignored', () => {
    expect(
      rowsOf(
        { kind: 'ended', at: 1, id: 'gone', status: 'done' },
        started('call', 'toolCall', { parent: 'gone' }),
      ),
    ).toEqual(['1 s', '2 call']);
  });
});

test('every run that began has ended, however the entries are split into batches', () => {
  const entries = [...madeEntries({ sessions: 2, turns: 2 })];
  const runs = new Runs();
  while (entries.length > 0) runs.add(sentOf(entries.splice(0, 7)));
  expect([runs.running, runs.callCount]).toEqual([0, 40]);
});

test('the steps of a run are complete and in order, however the entries are split into batches', () => {
  const entries = [...madeEntries({ sessions: 1, turns: 1 })];
  const call = entries.find((entry) => entry.kind === 'started' && entry.machine === 'toolCall')!;
  const { id } = call as { id: string };
  const wanted = entries.filter((entry) => entry.kind === 'moved' && entry.id === id);
  for (const size of [2, entries.length]) {
    const runs = new Runs();
    for (let at = 0; at < entries.length; at += size)
      runs.add(sentOf(entries.slice(at, at + size)));
    expect(runs.byId.get(id)?.moves).toEqual(wanted);
  }
});

test('the times of all entries are sorted, even if several processes report them out of order', () => {
  const runs = new Runs();
  runs.add(sentOf([5, 3, 4].map((at) => started(`call ${at}`, 'toolCall', { at }))));
  expect(runs.timesOfAll()).toEqual([3, 4, 5]);
});

test('a page that is open for very long drops its oldest calls', () => {
  const runs = new Runs();
  runs.add(sentOf([started('turn', 'agentTurn')]));
  const calls = Array.from({ length: 60_001 }, (_, at) =>
    started(`call ${at}`, 'toolCall', { at, parent: 'turn' }),
  );
  runs.add(sentOf(calls));
  expect(runs.dropped).toBe(10_003);
  expect(runs.byId.has('call 10002')).toBe(false);
  expect(runs.byId.has('call 10003')).toBe(true);
  expect(runs.rows.length).toBe(50_000);
  // Dropped runs no longer count as running.
  expect(runs.running).toBe(49_999);
});

test('a page drops events without a call rarely, but many at once', () => {
  const runs = new Runs();
  let shrunk = 0;
  let most = 0;
  for (let at = 0; at < 66_000; at++) {
    const before = runs.rows.length;
    runs.add(sentOf([started(`event ${at}`, 'hookEvent', { at })]));
    if (runs.rows.length < before) shrunk += 1;
    most = Math.max(most, runs.rows.length);
  }
  expect({ shrunk, most }).toEqual({ shrunk: 1, most: 60_000 });
  expect(runs.byId.has('event 0')).toBe(false);
  expect(runs.byId.has('event 65999')).toBe(true);
  expect(runs.rows.length + runs.dropped).toBe(66_001);
});

test('turns and sessions are dropped with the last of their rows, the oldest first', () => {
  const runs = new Runs();
  for (let at = 0; at < 20_001; at++)
    runs.add(
      sentOf([
        started(`turn ${at}`, 'agentTurn', { at, session: `session ${at}` }),
        started(`call ${at}`, 'toolCall', { at, session: `session ${at}`, parent: `turn ${at}` }),
      ]),
    );
  expect(runs.dropped % 3).toBe(0);
  expect(runs.dropped).toBeGreaterThan(10_000);
  expect(runs.sessions.size).toBe(20_001 - runs.dropped / 3);
  expect(runs.sessions.has('session 0')).toBe(false);
  expect(runs.byId.has('turn 0')).toBe(false);
  expect(runs.rows.at(-1)?.name).toBe('call 20000');
});

test('the last thousand warnings are kept, and all are counted', () => {
  const runs = new Runs();
  runs.add(
    sentOf(Array.from({ length: 1_500 }, (_, at) => ({ kind: 'warned', at, text: `w${at}` }))),
  );
  expect([runs.warnings.length, runs.warningCount]).toEqual([1_000, 1_500]);
  expect(runs.warnings[0]?.text).toBe('w500');
});
