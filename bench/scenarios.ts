import { contestants, type EventAnswer, type EventScenario, type HookGroup } from './scenario.ts';

/** A hook that reads what it is told and gives a reason; each has a command of its own, for doubles run once. */
const hook = (reason: string) => command(`cat >/dev/null; echo '{"reason":"${reason}"}'`);

const command = (text: string) => ({ type: 'command', command: text }) as const;

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index + 1}`);

const nothing: EventAnswer = { blocked: false, reasons: [] };

const defaults = {
  enabled: true,
  event: 'BeforeTool',
  contestants: contestants.filter((name) => name !== 'hookmachine-prestart'),
  gapMs: 25,
  ballastMB: 0,
  sampleMs: 0,
} as const;

/** Hooks that really run. */
export function hookScenarios(python: string | undefined): EventScenario[] {
  const parallel = (count: number, more: Partial<EventScenario> = {}): EventScenario => ({
    ...defaults,
    id: `parallel-${count}`,
    title: `${count} hooks in parallel`,
    groups: [{ hooks: numbers(count).map(hook) }],
    expected: { blocked: false, reasons: numbers(count) },
    ...more,
  });
  const one = (more: Partial<EventScenario>): EventScenario => parallel(1, more);
  return [
    one({ id: 'one', title: 'one hook', target: 0.42 }),
    one({
      id: 'one-program',
      title: 'one hook, a program by its path',
      groups: [{ hooks: [command(`/bin/sh -c 'cat >/dev/null; echo "{\\"reason\\":\\"1\\"}"'`)] }],
    }),
    one({
      id: 'one-script',
      title: 'one hook, any other script',
      groups: [{ hooks: [command(`told=$(cat); echo '{"reason":"1"}'`)] }],
    }),
    parallel(2),
    parallel(4),
    parallel(8, { target: 0.3 }),
    {
      ...defaults,
      id: 'chain-4',
      title: 'a chain of 4',
      groups: [{ sequential: true, hooks: numbers(4).map(hook) }],
      expected: { blocked: false, reasons: numbers(4) },
      target: 0.45,
    },
    one({
      id: 'denial',
      title: 'a denial (exit 2)',
      groups: [{ hooks: [command('cat >/dev/null; echo no >&2; exit 2')] }],
      expected: { blocked: true, reasons: ['no'] },
    }),
    one({ id: 'one-back-to-back', title: 'one hook, back to back', gapMs: 0, target: 0.8 }),
    parallel(8, { id: 'parallel-8-back-to-back', title: '8 in parallel, back to back', gapMs: 0 }),
    one({ id: 'one-300mb', title: 'one hook, 300 MB of Buffers', ballastMB: 300, target: 0.2 }),
    ...(python === undefined
      ? []
      : [
          one({
            id: 'python',
            title: 'a Python hook',
            groups: [
              {
                hooks: [
                  command(
                    `${python} -c 'import json, sys; json.load(sys.stdin); print("{\\"reason\\": \\"1\\"}")'`,
                  ),
                ],
              },
            ],
          }),
        ]),
  ];
}

/** Hooks as people write them. */
const written: Readonly<Record<string, { readonly code: string; readonly target: number }>> = {
  cat: { code: `cat >/dev/null; echo '{"reason":"1"}'`, target: 0.35 },
  jq: {
    code: `input=$(cat); tool=$(jq -r .tool_name <<< "$input"); [ "$tool" = rm ] && exit 2; jq -n '{reason: "1"}'`,
    target: 1,
  },
  python: {
    code: `python3 -c 'import json, re, sys; event = json.load(sys.stdin); print(json.dumps({"reason": "1"}))'`,
    target: 0.15,
  },
  node: {
    code: `node -e 'let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () => { JSON.parse(text); console.log(JSON.stringify({ reason: "1" })); })'`,
    target: 0.15,
  },
};

/** Hooks as people write them, with these pauses in ms. */
const prestartScenario = (
  id: string,
  title: string,
  commands: readonly string[],
  gapMs: number,
  target: number | undefined,
): EventScenario => ({
  ...defaults,
  id,
  title,
  groups: [{ hooks: commands.map(command) }],
  expected: { blocked: false, reasons: commands.map(() => '1') },
  contestants: prestartContestants,
  gapMs,
  ...(target !== undefined && { target }),
});

/** Hooks that are started ahead of their events, and the same that are not, after short and long pauses. */
export function prestartScenarios(): EventScenario[] {
  const { node } = written;
  return [
    ...Object.entries(written).flatMap(([name, { code, target }]) =>
      [1_000, 25].map((gapMs) =>
        prestartScenario(
          `prestart-${name}-${gapMs}`,
          `${name}, ${gapMs === 25 ? '25 ms' : '1 s'} between events`,
          [code],
          gapMs,
          gapMs === 25 ? undefined : target,
        ),
      ),
    ),
    // Doubles run once, so each has a command of its own.
    prestartScenario(
      'prestart-node-8',
      '8 node hooks in parallel, 1 s between events',
      numbers(8).map((number) => `${node!.code} # ${number}`),
      1_000,
      0.3,
    ),
  ];
}

/** Who starts them, ours and the peer first. */
export const prestartContestants = [
  'hookmachine-prestart',
  'gemini-cli-core',
  'hookmachine',
  'hookmachine-plain',
  'spawn',
] as const;

/** One hook, the shell itself, for as many events as a measurement of memory takes. */
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

/** Events that no hook is meant for. */
export const emptyScenarios: readonly EventScenario[] = [
  {
    id: 'no-hook',
    title: 'no hook for the event',
    event: 'AfterTool' as const,
    groups: unmatched(10),
  },
  { id: 'no-match-10', title: '10 groups, no match', groups: unmatched(10), target: 0.04 },
  {
    id: 'no-match-1000',
    title: '1,000 groups, no match',
    groups: unmatched(1_000),
    target: 0.001,
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

/** Shows that every contestant hands the event to its hook; answered before anything is timed. */
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
