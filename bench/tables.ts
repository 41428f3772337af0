import { spawnSync } from 'node:child_process';
import { coldColumns, coldStarts } from './cold.ts';
import { gatewayColumns, gateways } from './gateway.ts';
import { relayColumns, relays } from './relay.ts';
import { type Field, keptBytes } from './events.ts';
import { probe } from './probing.ts';
import { ofRatio, type Row, type Table } from './results.ts';
import { shareOf } from './rounds.ts';
import { longPause, type Effort, type EventScenario } from './scenario.ts';
import {
  emptyScenarios,
  handlerScenarios,
  hookScenarios,
  lightHook,
  prestartColumns,
  prestartScenarios,
  startColumns,
} from './scenarios.ts';
import type { Surroundings } from './surroundings.ts';

/** What measuring needs. */
export interface Means {
  readonly field: Field;
  readonly surroundings: Surroundings;
}

/** A row to be measured; `id` is what `--only` names. */
export interface Planned {
  readonly id: string;
  measure(quick: boolean, means: Means): Promise<readonly Row[]>;
}

/** A table to be filled. */
export interface PlannedTable extends Omit<Table, 'rows'> {
  readonly id: string;
  readonly planned: readonly Planned[];
}

/** Everything that is measured, table by table. */
export function plan(): readonly PlannedTable[] {
  const python = findPython();
  return [
    {
      id: 'hooks',
      title: 'Events with hooks',
      unit: 'µs for an event',
      columns: [...startColumns, shareOf('spawn')],
      planned: hookScenarios(python).map(timed),
    },
    {
      id: 'prestart',
      title: 'Hooks started ahead of their events',
      unit: 'µs for an event',
      columns: [...prestartColumns, shareOf('hookmachine')],
      planned: prestartScenarios(python).map(timed),
    },
    {
      id: 'handlers',
      title: 'Hooks without a process for each event',
      unit: 'µs for an event',
      columns: ['hookmachine', 'gemini-cli-core'],
      planned: handlerScenarios().map(timed),
    },
    {
      id: 'empty',
      title: 'Events without hooks',
      unit: 'µs for an event',
      columns: ['hookmachine', 'gemini-cli-core'],
      planned: emptyScenarios.map(timed),
    },
    {
      id: 'check',
      title: 'The synchronous check',
      unit: '`hasHooksFor` without a match',
      columns: ['hookmachine'],
      planned: [{ id: 'sync-check', measure: checkRows }],
    },
    {
      id: 'cold',
      title: '`fire` from the shell',
      unit: 'ms',
      columns: coldColumns,
      planned: [
        {
          id: 'cold-start',
          measure: (quick, { surroundings }) => coldStarts(quick ? 7 : 25, surroundings),
        },
      ],
    },
    {
      id: 'relay',
      title: 'An event of an agent',
      unit: 'ms',
      columns: relayColumns,
      planned: [
        {
          id: 'relays',
          measure: (quick, { surroundings }) => relays(quick ? 15 : 100, surroundings),
        },
      ],
    },
    {
      id: 'gateway',
      title: 'A model call through the gateway',
      unit: 'ms',
      columns: gatewayColumns,
      planned: [
        {
          id: 'gateways',
          measure: (quick, { surroundings }) => gateways(quick ? 15 : 100, surroundings),
        },
      ],
    },
    {
      id: 'memory',
      title: 'Memory',
      unit: 'bytes',
      columns: ['hookmachine', 'gemini-cli-core'],
      planned: [
        { id: 'kept-hook', measure: keptRow },
        { id: 'kept-empty', measure: keptEmptyRow },
        live(1_000),
        live(10_000),
      ],
    },
    {
      id: 'calls',
      title: 'Tool calls whose hooks are functions',
      unit: 'µs of processor time',
      columns: ['hookmachine', 'XState’s flat call', 'our charts alone', 'gemini-cli-core'],
      planned: [{ id: 'tool-calls', measure: callRows }],
    },
    {
      id: 'audit',
      title: 'A tool call with an audit log and traces',
      unit: 'µs',
      columns: ['audited and traced', 'not audited', 'audited', 'more'],
      planned: [{ id: 'audited-calls', measure: auditedRows }],
    },
    {
      id: 'scale',
      title: 'Tool calls in flight',
      unit: 'calls at once',
      columns: [
        'ms',
        'µs per call',
        'KB per call',
        'median loop delay ms',
        'longest loop delay ms',
        'calls in flight',
        'processes at most',
      ],
      planned: ['the tools alone', 'no hook', 'no hook, inspector', 'one hook each'].flatMap(
        (load) => [1_000, 10_000].map((count) => atScale(load, count)),
      ),
    },
  ];
}

const timed = (scenario: EventScenario): Planned => ({
  id: scenario.id,
  measure: async (quick, { field }) => {
    return [await field.time(scenario, effortFor(scenario, quick))];
  },
});

function effortFor({ gapMs, handler }: EventScenario, quick: boolean): Effort {
  if (gapMs >= longPause) return { rounds: quick ? 6 : 18, samples: 1 };
  // The other contestant's processes empty the caches in between: an event that starts none takes several times
  // as long until they are filled again, and back to back means that they are (S-28).
  if (handler && gapMs === 0) return { rounds: quick ? 3 : 9, samples: 25 };
  return { rounds: quick ? 5 : 18, samples: quick ? 3 : 4 };
}

async function checkRows(quick: boolean, { surroundings }: Means): Promise<Row[]> {
  const numbers = await probe(['sync-check'], quick ? 1 : 5, surroundings);
  return Object.entries(numbers).map(([title, value]) => ({
    id: title,
    title,
    values: { hookmachine: value },
    // A tenth of a byte is what the measurement itself leaves.
    targets: [{ atMost: title.endsWith('ns') ? 50 : 0.1, column: 'hookmachine' }],
  }));
}

async function keptRow(quick: boolean, { surroundings }: Means): Promise<Row[]> {
  const effort = quick
    ? { warmUp: 800, blocks: 8, events: 100 }
    : { warmUp: 1_500, blocks: 16, events: 200 };
  return [
    {
      id: 'kept-hook',
      title: 'kept of a finished event with a hook',
      ...(await keptBytes(lightHook, effort, surroundings)),
      targets: [{ atMost: 16, column: 'hookmachine' }],
    },
  ];
}

async function keptEmptyRow(quick: boolean, { surroundings }: Means): Promise<Row[]> {
  const scenario = emptyScenarios.find(({ id }) => id === 'no-match-10')!;
  const effort = { warmUp: 50_000, blocks: quick ? 5 : 9, events: 20_000 };
  return [
    {
      id: 'kept-empty',
      title: 'kept of an event without a match',
      ...(await keptBytes(scenario, effort, surroundings)),
    },
  ];
}

const live = (count: number): Planned => ({
  id: `live-${count}`,
  measure: async (quick, { surroundings }) => {
    const {
      call = Number.NaN,
      machine = Number.NaN,
      least = Number.NaN,
    } = await probe(['live-calls', String(count)], quick ? 1 : 3, surroundings);
    const many = count.toLocaleString('en');
    return [
      {
        id: `live-${count}`,
        title: `a live tool call with a hook to come, of ${many}`,
        values: { hookmachine: call },
        targets: [{ atMost: 7 * 1024, column: 'hookmachine' }],
      },
      {
        id: `live-machine-${count}`,
        title: `its machine alone, as a root actor, of ${many}`,
        values: { hookmachine: machine },
      },
      {
        id: `live-least-${count}`,
        title: `XState’s least for a root with a promise, of ${many}`,
        values: { hookmachine: least },
      },
    ];
  },
});

/** Measures what an audit log and traces cost, with and without a hook. */
async function auditedRows(quick: boolean, { surroundings }: Means): Promise<Row[]> {
  const numbers = await probe(['audited-calls', quick ? '60' : '200'], quick ? 1 : 3, surroundings);
  return (
    [
      ['one', 'with one hook', ofRatio(1.03)],
      ['none', 'without hooks', { atMost: 20, column: 'more' }],
    ] as const
  ).map(([id, title, target]) => {
    const of = (what: string): number => numbers[`${id}-${what}`]!;
    return {
      id: `audited-${id}`,
      title,
      values: {
        'audited and traced': of('traced'),
        'not audited': of('off'),
        audited: of('audited'),
        more: of('more'),
      },
      ratio: { median: of('ratio'), low: of('low'), high: of('high') },
      targets: [target],
    };
  });
}

/**
 * Measures whole tool calls against a flat one that XState alone runs. The floor is our charts with rules that
 * do nothing; the published engine's in-process hook is an event, not a whole call.
 */
async function callRows(quick: boolean, { surroundings }: Means): Promise<Row[]> {
  const numbers = await probe(['tool-calls', quick ? '8' : '30'], quick ? 1 : 3, surroundings);
  return (
    [
      ['none', 'no hook', 0.2],
      ['one', 'one function hook', 0.6],
      ['watched', 'one function hook, an inspector watching', 2],
    ] as const
  ).map(([id, title, atMost]) => ({
    id: `tool-call-${id}`,
    title,
    values: {
      hookmachine: numbers[id]!,
      'XState’s flat call': numbers['flat']!,
      'our charts alone': numbers[`${id}-least`]!,
      ...(id === 'one' && { 'gemini-cli-core': numbers['published']! }),
    },
    ratio: {
      median: numbers[`${id}-share`]!,
      low: numbers[`${id}-low`]!,
      high: numbers[`${id}-high`]!,
    },
    targets: [ofRatio(atMost)],
  }));
}

const atScale = (load: string, count: number): Planned => ({
  id: `scale-${load.replaceAll(/[ ,]+/g, '-')}-${count}`,
  measure: async (quick, { surroundings }) => {
    // Each call of a short run would still start a process.
    const calls = quick && load === 'one hook each' ? count / 10 : count;
    const title = `${calls.toLocaleString('en')}, ${load}`;
    const once = quick || load === 'one hook each';
    const values = await probe(['scale', load, String(calls)], once ? 1 : 3, surroundings);
    return [{ id: title, title, values }];
  },
});

/** The interpreter itself: the wrapper that a version manager puts before it takes longer than the hook. */
function findPython(): string | undefined {
  const { stdout, status } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
