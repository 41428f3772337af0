import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesInUse } from '../../../bench/memory.ts';
import { growth, median, quantile } from '../../../bench/statistics.ts';

/** An agent of a framework, with hooks around it or without. */
export interface Subject {
  /** A run to its end: the model wants so many calls of a tool at once, and then answers; none, and it answers at once. */
  run(toolCalls: number): Promise<unknown>;
  /** A run whose answer streams; `onText` is called with its first piece. Absent where a framework cannot. */
  stream?(onText: () => void): Promise<unknown>;
}

/** Makes an agent; with hooks where a project folder is given. */
export type MakeSubject = (cwd: string | undefined) => Subject | Promise<Subject>;

/** What hooks that match nothing cost: medians, and between what four fifths of the rounds lie. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What is reported of a framework. Times are µs: processor time, and of the first piece of text the time on the clock. */
export interface Measured {
  readonly toolCall: Spread;
  readonly modelCall: Spread;
  /** Of the framework alone. */
  readonly alone: { readonly toolCall: number; readonly modelCall: number };
  readonly firstText?: Spread;
  /** Bytes that a run leaves behind, with hooks and without. */
  readonly kept: { readonly hooked: number; readonly alone: number };
}

const callsAtOnce = 10;

/** A project whose hooks match no tool of the agents here. */
function projectWithHooks(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  mkdirSync(join(folder, '.hookmachine'));
  const hooks = [{ matcher: '^other$', hooks: [{ type: 'command', command: 'exit 2' }] }];
  const settings = { hooks: { BeforeTool: hooks, AfterTool: hooks } };
  writeFileSync(join(folder, '.hookmachine/settings.json'), JSON.stringify(settings));
  return folder;
}

/** Measures an agent with hooks beside the same agent without, in turns, and reports to the parent. */
export async function measure(make: MakeSubject): Promise<void> {
  const subjects = [await make(undefined), await make(projectWithHooks())] as const;
  const isQuick = process.argv.includes('--quick');
  const measured = {
    ...(await timed(subjects, isQuick ? 10 : 40)),
    ...(await firstText(subjects, isQuick ? 50 : 300)),
    kept: {
      alone: await kept(subjects[0], isQuick ? 100 : 1_000),
      hooked: await kept(subjects[1], isQuick ? 100 : 1_000),
    },
  };
  process.send!(measured, () => process.exit());
}

type Subjects = readonly [alone: Subject, hooked: Subject];

/** The processor's time for one run, in µs. */
async function timeOf(subject: Subject, toolCalls: number, runs: number): Promise<number> {
  const start = process.cpuUsage();
  for (let run = 0; run < runs; run++) await subject.run(toolCalls);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / runs;
}

async function timed(subjects: Subjects, rounds: number): Promise<Omit<Measured, 'kept'>> {
  const kinds = [0, callsAtOnce] as const;
  // What is compiled is compiled by now, and a batch lasts long enough for the clock.
  for (const toolCalls of kinds)
    for (const subject of subjects) await timeOf(subject, toolCalls, 500);
  const times: Record<'tool' | 'model' | 'aloneTool' | 'aloneModel', number[]> = {
    tool: [],
    model: [],
    aloneTool: [],
    aloneModel: [],
  };
  for (let round = 0; round < rounds; round++) {
    const found = new Map<string, number>();
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const toolCalls of kinds)
      for (const index of order) {
        globalThis.gc!();
        found.set(`${toolCalls} ${index}`, await timeOf(subjects[index], toolCalls, 100));
      }
    const [model, hookedModel] = [found.get('0 0')!, found.get('0 1')!];
    const [tools, hookedTools] = [found.get('10 0')!, found.get('10 1')!];
    times.aloneModel.push(model);
    times.model.push(hookedModel - model);
    // A run with tool calls asks the model twice.
    times.aloneTool.push((tools - 2 * model) / callsAtOnce);
    times.tool.push((hookedTools - tools - 2 * (hookedModel - model)) / callsAtOnce);
  }
  return {
    toolCall: spread(times.tool),
    modelCall: spread(times.model),
    alone: { toolCall: median(times.aloneTool), modelCall: median(times.aloneModel) },
  };
}

const spread = (values: readonly number[]): Spread => ({
  median: median(values),
  low: quantile(values, 0.1),
  high: quantile(values, 0.9),
});

/** How much later the first piece of text comes with hooks, in µs. */
async function firstText(
  subjects: Subjects,
  pairs: number,
): Promise<{ readonly firstText?: Spread }> {
  if (!subjects.every(({ stream }) => stream)) return {};
  const timeTo = async ({ stream }: Subject): Promise<number> => {
    const start = performance.now();
    let first: number | undefined;
    await stream!(() => (first ??= performance.now() - start));
    if (first === undefined) throw new Error('no text streamed');
    return first * 1_000;
  };
  for (let warm = 0; warm < 100; warm++) for (const subject of subjects) await timeTo(subject);
  const later: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const [first, second] = pair % 2 === 0 ? subjects : subjects.toReversed();
    const times = [await timeTo(first!), await timeTo(second!)] as const;
    later.push(pair % 2 === 0 ? times[1] - times[0] : times[0] - times[1]);
  }
  return { firstText: spread(later) };
}

/** Bytes that each of ten thousand runs leaves behind. */
async function kept(subject: Subject, block: number): Promise<number> {
  const bytes: number[] = [];
  for (let blocks = 0; blocks < 11; blocks++) {
    for (let run = 0; run < block; run++) await subject.run(run % 2);
    bytes.push(bytesInUse());
  }
  return growth(bytes.slice(1)).value / block;
}
