import { inFolder, isElsewhere } from './in-folder.ts';
import { Durations } from './durations.ts';
import { noCounts, Tally, type Did, type HookTally, type Shown } from './tally.ts';
import { knownDialects } from '../../hosts/all/known.ts';
import { subjectOf } from '../../core/plan/hook-planner.ts';
import type { HookSystem } from '../../hosts/system/hook-system.ts';
import { oneLine } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { Redactor } from '../../settings/redaction/redactor.ts';
import type { TranscriptFile } from '../transcripts/find-transcripts.ts';
import type { PastEvent } from '../transcripts/past-event.ts';
import { readTranscript, type Place, type Reading } from '../transcripts/read-transcript.ts';
import { callOutcome } from '../../hosts/relay/call-outcome.ts';
import type { Guards } from './guards-named.ts';
import { fireIn, type FiredEvent } from '../../hosts/relay/run-hooks.ts';

/** Something that was not understood, and where it first occurs. */
export interface NotUnderstood extends Place {
  readonly file: string;
  readonly why: string;
  readonly count: number;
}

/** The result of a backtest. */
export interface Backtest {
  /** How many files of each agent there were. */
  readonly files: Readonly<Record<string, number>>;
  /** How many events of each kind there were. */
  readonly events: Readonly<Record<string, number>>;
  /** For how many of them at least one hook ran. */
  readonly judged: number;
  /** The merged outcomes of all hooks. */
  readonly together: Readonly<Record<Did, number>>;
  /** The time, in ms, that hooks would have added to an event, and to all events. */
  readonly added: { readonly p50: number; readonly p95: number; readonly total: number };
  readonly hooks: readonly HookTally[];
  /** How many events that have hooks were left out. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly notUnderstood: readonly NotUnderstood[];
  readonly isComplete: boolean;
}

export interface BacktestOptions {
  readonly events: ReadonlySet<HookEventName>;
  readonly jobs: number;
  readonly examples: number;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Events before this time, in ms since 1970, are left out; one without a time is as old as its file. */
  readonly since?: number | undefined;
  /** Called after each event with the bytes read and the counts so far. */
  readonly onProgress: (bytes: number, calls: number, denied: number) => void;
}

interface Where {
  readonly file: string;
  /** Its place among all events. */
  readonly index: number;
  readonly place: Place;
}

/** How many kinds of things that were not understood are kept. */
const mostKinds = 100;

/** Runs hooks over past events. However many there are, only the counts are kept. */
export async function runBacktest(
  { config, folder }: Guards,
  files: readonly TranscriptFile[],
  {
    events: wanted,
    jobs,
    examples,
    redactor,
    signal,
    since = -Infinity,
    onProgress,
  }: BacktestOptions,
): Promise<Backtest> {
  const system = config.getHookSystem();
  await system?.initialize();
  const formats: Record<string, number> = {};
  const events: Record<string, number> = {};
  const leftOut: Record<string, number> = {};
  const together = noCounts();
  const added = new Durations();
  const tally = new Tally(examples);
  const faults = new Map<string, { -readonly [Key in keyof NotUnderstood]: NotUnderstood[Key] }>();
  let bytes = 0;
  let calls = 0;
  let judged = 0;
  let index = 0;

  const notUnderstood = (file: string, why: string, place: Place = {}): void => {
    const known = faults.get(why);
    if (known) known.count += 1;
    else if (faults.size < mostKinds) faults.set(why, { file, ...place, why, count: 1 });
  };

  async function* readings(): AsyncGenerator<{ readonly file: string; readonly one: Reading }> {
    for (const { file, isNamed, changedAt } of files)
      for await (const one of readTranscript(file, (count) => (bytes += count))) {
        if (one.kind === 'event') {
          if ((one.at ?? changedAt) >= since) yield { file, one };
        } else if (one.kind === 'format') formats[one.title] = (formats[one.title] ?? 0) + 1;
        else if (one.kind === 'fault') notUnderstood(file, one.message, one.place);
        // A folder may hold other files too.
        else if (isNamed) notUnderstood(file, one.message);
        else notUnderstood(file, `a file ${one.message}`);
        if (signal.aborted) return;
      }
  }

  const judge = async (past: PastEvent, { file, index: at, place }: Where): Promise<void> => {
    const dialect = knownDialects.find(({ name }) => name === past.dialect)!;
    const event = Object.hasOwn(dialect.events, past.event)
      ? dialect.events[past.event]!
      : undefined;
    if (event === undefined) return;
    const read = await dialect.readCall(past.event, past.given);
    if ('faults' in read)
      return notUnderstood(file, `does not match ${past.event}: ${read.faults.join('; ')}`, place);
    const all = [read.fields, ...(read.parts?.calls ?? [])];
    const isGuarded = system !== undefined && all.some((one) => hasHook(system, event, one));
    if (!wanted.has(event)) {
      if (isGuarded) leftOut[event] = (leftOut[event] ?? 0) + 1;
      return;
    }
    events[event] = (events[event] ?? 0) + 1;
    calls += 1;
    if (!isGuarded) return;
    const { folder: from, session } = past;
    const moved = isElsewhere(from, folder)
      ? await dialect.readCall(past.event, inFolder(past.given, from, folder))
      : read;
    if ('faults' in moved) return notUnderstood(file, moved.faults.join('; '), place);
    const { fields, context, parts } = moved;
    const fired: FiredEvent = {
      event,
      fields,
      context: {
        ...context,
        transcriptPath: file,
        // Hooks use it in file names.
        ...(session !== undefined && /^[\w.-]+$/.test(session) && { sessionId: session }),
      },
      folder,
      canAsk: true,
      ...(parts && { parts: parts.calls, partsFor: dialect.family }),
    };
    const startedAt = performance.now();
    const outcome = await fireIn(config, fired, signal);
    if (signal.aborted) return;
    const took = performance.now() - startedAt;
    const results = [outcome.result, ...(outcome.partResults ?? [])].flatMap((one) => one.results);
    if (results.length === 0) return;
    judged += 1;
    added.add(took);
    const { verdict, toolInput } = callOutcome(fired, outcome, parts);
    const { decision, stop } = verdict;
    if (decision === 'deny') together.denied += 1;
    if (decision === 'ask' || decision === 'defer') together.asked += 1;
    if (stop) together.stopped += 1;
    if (decision !== 'deny' && (toolInput !== null || Object.keys(verdict.changes).length > 0))
      together.changed += 1;
    if (results.some(({ status }) => status === 'failed' || status === 'timedOut'))
      together.failed += 1;
    const shown: Shown = {
      what: () => redactor.text(whatIn(past), longestShown),
      said: (value) => redactor.value(value) as typeof value,
    };
    const seen = { index: at, file, ...place, ...(session !== undefined && { session }) };
    for (const result of results) tally.add(result, seen, shown);
  };

  const source = readings();
  const work = async (): Promise<void> => {
    for await (const { file, one } of source) {
      if (signal.aborted) return;
      if (one.kind !== 'event') continue;
      const { place } = one;
      await judge(one, { file, index: index++, place }).catch((error: unknown) =>
        notUnderstood(file, messageOf(error), place),
      );
      onProgress(bytes, calls, together.denied);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  system?.dispose();
  return {
    files: formats,
    events,
    judged,
    together,
    added: { p50: added.quantile(0.5), p95: added.quantile(0.95), total: added.total },
    hooks: tally.hooks(),
    leftOut,
    notUnderstood: [...faults.values()],
    isComplete: !signal.aborted,
  };
}

const hasHook = (system: HookSystem, event: HookEventName, fields: object): boolean =>
  system.hasHooksFor(event, subjectOf(event, fields));

const longestShown = 200;

/** The call, prompt or request of an event, as its agent spells it. */
function whatIn({ event, given }: PastEvent): string {
  const { tool_name: tool, tool_input: input, prompt, llm_request: request } = given;
  if (typeof tool === 'string') return oneLine(`${tool} ${JSON.stringify(input)}`, longestShown);
  return oneLine(
    typeof prompt === 'string' ? prompt : (JSON.stringify(request) ?? event),
    longestShown,
  );
}
