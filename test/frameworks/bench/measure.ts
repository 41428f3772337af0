import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesInUse } from '../../../bench/memory.ts';
import { growth, quantile } from '../../../bench/statistics.ts';

/** An agent of a framework, with hooks around it or without. */
export interface Subject {
  /**
   * Runs to its end: the model makes this many tool calls at once, and then answers; with none, it answers at
   * once.
   */
  readonly run: (toolCalls: number) => Promise<unknown>;
  /**
   * A run whose answer streams; `onText` is called with its first piece. Absent if the framework cannot
   * stream.
   */
  readonly stream?: (onText: () => void) => Promise<unknown>;
}

/** Makes an agent; with hooks if a project folder is given. */
export type MakeSubject = (cwd: string | undefined) => Subject | Promise<Subject>;

/** What an agent costs. */
export interface Costs {
  /** Without hooks. */
  readonly alone: number;
  /** With hooks that match nothing. */
  readonly hooked: number;
  /** With an empty part of the framework's own in place of the hooks. */
  readonly empty?: number;
}

/** What is reported about a framework. */
export interface Measured {
  /** Processor time, in µs. */
  readonly toolCall: Costs;
  /** Processor time, in µs. */
  readonly modelCall: Costs;
  /** Elapsed time until the first piece of an answer, in µs. */
  readonly firstText?: Costs;
  /** Bytes that a run leaves behind. */
  readonly kept: Costs;
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

/**
 * Measures an agent with hooks beside the same agent without, in turns, and reports to the parent;
 * `makeEmpty` makes an agent with an empty part of the framework's own.
 */
export async function measure(
  make: MakeSubject,
  makeEmpty?: () => Subject | Promise<Subject>,
): Promise<void> {
  const subjects = [
    await make(undefined),
    await make(projectWithHooks()),
    ...(makeEmpty ? [await makeEmpty()] : []),
  ];
  const isQuick = process.argv.includes('--quick');
  const bytes: number[] = [];
  const times = await timed(subjects, isQuick ? 20 : 100);
  const texts = await firstText(subjects, isQuick ? 200 : 1_000);
  for (const subject of subjects) bytes.push(await kept(subject, isQuick ? 100 : 1_000));
  const measured: Measured = { ...times, ...texts, kept: costsOf(bytes) };
  process.send!(measured, () => process.exit());
}

function costsOf([alone, hooked, empty]: readonly number[]): Costs {
  return { alone: alone!, hooked: hooked!, ...(empty !== undefined && { empty }) };
}

/** The processor's time for one run, in µs. */
async function timeOf(subject: Subject, toolCalls: number, runs: number): Promise<number> {
  const start = process.cpuUsage();
  for (let run = 0; run < runs; run++) await subject.run(toolCalls);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / runs;
}

async function timed(
  subjects: readonly Subject[],
  rounds: number,
): Promise<Pick<Measured, 'toolCall' | 'modelCall'>> {
  const kinds = [0, callsAtOnce] as const;
  // Everything is compiled before the measurement begins.
  for (const toolCalls of kinds)
    for (const subject of subjects) await timeOf(subject, toolCalls, 500);
  const times = kinds.map(() => subjects.map((): number[] => []));
  for (let round = 0; round < rounds; round++)
    for (const [kind, toolCalls] of kinds.entries())
      for (const index of inTurn(subjects, round))
        times[kind]![index]!.push(await timeOf(subjects[index]!, toolCalls, 50));
  const [answers, calls] = times.map((kind) => kind.map(quiet)) as [number[], number[]];
  return {
    modelCall: costsOf(answers),
    // A run with tool calls asks the model twice.
    toolCall: costsOf(calls.map((time, index) => (time - 2 * answers[index]!) / callsAtOnce)),
  };
}

/** Alternates the order, so that none always comes first. */
function inTurn(subjects: readonly Subject[], round: number): readonly number[] {
  const indexes = [...subjects.keys()];
  return round % 2 === 0 ? indexes : indexes.toReversed();
}

/** The time that most rounds do not fall below: other work on the machine only makes a round longer. */
const quiet = (times: readonly number[]): number => quantile(times, 0.1);

/** The time until the first piece of text of one run, in µs. */
async function timeTo({ stream }: Subject): Promise<number> {
  const start = performance.now();
  let first: number | undefined;
  await stream!(() => (first ??= performance.now() - start));
  if (first === undefined) throw new Error('no text streamed');
  return first * 1_000;
}

/** The time until the first piece of text, over many runs. */
async function firstText(
  subjects: readonly Subject[],
  rounds: number,
): Promise<Pick<Measured, 'firstText'>> {
  if (!subjects.every(({ stream }) => stream)) return {};
  const times = subjects.map((): number[] => []);
  for (let round = -100; round < rounds; round++)
    for (const index of inTurn(subjects, round)) {
      const time = await timeTo(subjects[index]!);
      if (round >= 0) times[index]!.push(time);
    }
  return { firstText: costsOf(times.map(quiet)) };
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
