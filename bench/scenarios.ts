import { ofRatio } from './results.ts';
import { shareOf } from './rounds.ts';
import type { EventAnswer, EventScenario, HookGroup } from './scenario.ts';

/** Hooks as people write them, by the language they are written in. */
const written = (python: string | undefined): ReadonlyMap<string, string> =>
  new Map([
    ['cat', `cat >/dev/null; echo '{"reason":"1"}'`],
    [
      'bash with jq',
      `input=$(cat); tool=$(jq -r .tool_name <<< "$input"); [ "$tool" = rm ] && exit 2; jq -n '{reason: "1"}'`,
    ],
    ...(python === undefined
      ? []
      : [
          [
            'Python',
            `${python} -c 'import json, re, sys; event = json.load(sys.stdin); print(json.dumps({"reason": "1"}))'`,
          ] as const,
        ]),
    ['Node.js', node],
  ]);

const node = `node -e 'let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () => { JSON.parse(text); console.log(JSON.stringify({ reason: "1" })); })'`;

const command = (text: string) => ({ type: 'command', command: text }) as const;

/** A hook that reads its input and gives a reason; each has its own command, because duplicates run once. */
const hook = (reason: string) => command(`cat >/dev/null; echo '{"reason":"${reason}"}'`);

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index + 1}`);

const nothing: EventAnswer = { blocked: false, reasons: [] };

/** Contestants that start hooks with their events, ours and the peer first. */
export const startColumns = ['hookmachine', 'gemini-cli-core', 'spawn', 'execa'] as const;

const defaults = {
  enabled: true,
  event: 'BeforeTool',
  contestants: startColumns,
  gapMs: 25,
  ballastMB: 0,
  sampleMs: 0,
  targets: [],
} as const;

const idOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]+/g, '-');

/** A scenario of hooks that are started with their events. */
const started = (more: Partial<EventScenario> & Pick<EventScenario, 'id' | 'title'>) => ({
  ...defaults,
  groups: [{ hooks: [hook('1')] }],
  expected: { blocked: false, reasons: ['1'] },
  against: 'spawn' as const,
  // Not slower than the published engine, and at most a tenth slower than the minimum that runs a hook.
  targets: [ofRatio(1), { atMost: 1.1, column: shareOf('spawn') }],
  ...more,
});

/** This many hooks for one event. */
const parallel = (count: number) => ({
  title: `${count} in parallel`,
  groups: [{ hooks: numbers(count).map(hook) }],
  expected: { blocked: false, reasons: numbers(count) },
});

/** Hooks that are started with their events. */
export function hookScenarios(python: string | undefined): EventScenario[] {
  return [
    ...[...written(python)].map(([name, text]) =>
      started({ id: idOf(name), title: name, groups: [{ hooks: [command(text)] }] }),
    ),
    started({ id: 'parallel-2', ...parallel(2) }),
    started({ id: 'parallel-8', ...parallel(8) }),
    started({
      ...parallel(4),
      id: 'chain-4',
      title: 'a chain of 4',
      groups: [{ sequential: true, hooks: numbers(4).map(hook) }],
    }),
    started({
      id: 'denial',
      title: 'a denial (exit 2)',
      groups: [{ hooks: [command('cat >/dev/null; echo no >&2; exit 2')] }],
      expected: { blocked: true, reasons: ['no'] },
    }),
    started({ id: 'one-back-to-back', title: 'one, back to back', gapMs: 0 }),
    started({
      ...parallel(8),
      id: 'parallel-8-back-to-back',
      title: '8 in parallel, back to back',
      gapMs: 0,
    }),
    started({ id: 'one-300mb', title: 'one, 300 MB of Buffers', ballastMB: 300 }),
  ];
}

/**
 * The one that starts hooks ahead of their events, the peer, ours without that, and the minimum that starts
 * one ahead.
 */
export const prestartColumns = [
  'hookmachine-prestart',
  'gemini-cli-core',
  'hookmachine',
  'spawn-ahead',
] as const;

/** The largest share of the peer's time after a pause of one second. */
const prestartTargets: ReadonlyMap<string, number> = new Map([
  ['cat', 0.35],
  ['bash with jq', 1],
  ['Python', 0.15],
  ['Node.js', 0.15],
]);

/** Hooks that ours starts ahead. */
const startedAhead = (id: string, title: string, commands: readonly string[]) => ({
  ...defaults,
  id: `prestart-${id}`,
  title,
  groups: [{ hooks: commands.map(command) }],
  expected: { blocked: false, reasons: commands.map(() => '1') },
  contestants: prestartColumns,
  against: 'hookmachine' as const,
});

/** Hooks that are started ahead of their events, after long and short pauses. */
export function prestartScenarios(python: string | undefined): EventScenario[] {
  return [
    ...[...written(python)].flatMap(([name, text]): EventScenario[] => [
      {
        ...startedAhead(`${idOf(name)}-1000`, `${name}, 1 s between events`, [text]),
        gapMs: 1_000,
        targets: [ofRatio(prestartTargets.get(name)!)],
      },
      {
        ...startedAhead(`${idOf(name)}-25`, `${name}, 25 ms between events`, [text]),
        targets: [{ atMost: 1, column: shareOf('hookmachine') }],
      },
    ]),
    {
      // Duplicates run once, so each has its own command.
      ...startedAhead(
        'node-8',
        '8 × Node.js in parallel, 1 s between events',
        numbers(8).map((number) => `${node} # ${number}`),
      ),
      gapMs: 1_000,
      targets: [ofRatio(0.3)],
    },
  ];
}

/** Hooks that need no process for each event, beside the same hook as a Node.js script. */
export function handlerScenarios(): EventScenario[] {
  return (
    [
      ['module', 0.01, 0.04],
      ['live', 0.02, 0.05],
      ['function', 0.005, 0.03],
    ] as const
  ).flatMap(([handler, atOnce, afterPause]) =>
    [0, 25].map((gapMs) => ({
      ...defaults,
      id: `handler-${handler}-${gapMs}`,
      title: `${handler}, ${gapMs === 0 ? 'back to back' : `${gapMs} ms between events`}`,
      groups: [{ hooks: [command(node)] }],
      expected: { blocked: false, reasons: ['1'] },
      contestants: ['hookmachine', 'gemini-cli-core'] as const,
      handler,
      gapMs,
      targets: [ofRatio(gapMs === 0 ? atOnce : afterPause)],
    })),
  );
}

/** One hook, just the shell itself, for as many events as a memory measurement needs. */
export const lightHook: EventScenario = {
  ...defaults,
  id: 'light',
  title: 'a light hook',
  groups: [{ hooks: [command(`read -r _; echo '{"reason":"1"}'`)] }],
  expected: { blocked: false, reasons: ['1'] },
  contestants: ['hookmachine', 'gemini-cli-core'],
};

const unmatched = (count: number): HookGroup[] =>
  numbers(count).map((number) => ({
    matcher: `^(mcp_${number}_.*|tool_${number})$`,
    hooks: [hook(number)],
  }));

/** Events that no hook matches. */
export const emptyScenarios: readonly EventScenario[] = [
  {
    id: 'no-hook',
    title: 'no hook for the event',
    event: 'AfterTool' as const,
    groups: unmatched(10),
  },
  {
    id: 'no-match-10',
    title: '10 groups, no match',
    groups: unmatched(10),
    targets: [ofRatio(0.04)],
  },
  {
    id: 'no-match-1000',
    title: '1,000 groups, no match',
    groups: unmatched(1_000),
    targets: [ofRatio(0.001)],
  },
  { id: 'disabled', title: 'hooks disabled', groups: unmatched(10), enabled: false },
].map((scenario) => ({
  ...defaults,
  expected: nothing,
  contestants: ['hookmachine', 'gemini-cli-core'],
  gapMs: 0,
  sampleMs: 20,
  ...scenario,
}));

/** Shows that every contestant passes the event to its hook; checked before anything is timed. */
export const inputCheck: EventScenario = {
  ...defaults,
  id: 'input',
  title: 'the hook reads the event',
  groups: [
    {
      hooks: [
        command(`printf '{"reason":"%s"}' "$(grep -o '"tool_name":"[a-z_]*"' | cut -d '"' -f 4)"`),
      ],
    },
  ],
  expected: { blocked: false, reasons: ['write_file'] },
};
