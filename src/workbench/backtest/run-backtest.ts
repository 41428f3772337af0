import { inFolder, isElsewhere } from './in-folder.ts';
import { Durations } from './durations.ts';
import { noCounts, Tally, type Did, type HookTally, type Shown } from './tally.ts';
import { knownDialects } from '../../hosts/all/known.ts';
import type { CallParts, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import type { HookExecutionResult } from '../../core/answers/results.ts';
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

interface FileReading {
  readonly file: string;
  readonly one: Reading;
}

/** How many kinds of things that were not understood are kept. */
const mostKinds = 100;

/** Runs hooks over past events. However many there are, only the counts are kept. */
export const runBacktest = (
  guards: Guards,
  files: readonly TranscriptFile[],
  options: BacktestOptions,
): Promise<Backtest> => new Running(guards, options).over(files);

type Faults = Map<string, { -readonly [Key in keyof NotUnderstood]: NotUnderstood[Key] }>;

/** A backtest that is under way. */
class Running {
  readonly #guards: Guards;
  readonly #options: BacktestOptions;
  readonly #system: HookSystem | undefined;
  readonly #tally: Tally;
  readonly #formats: Record<string, number> = {};
  readonly #events: Record<string, number> = {};
  readonly #leftOut: Record<string, number> = {};
  readonly #together = noCounts();
  readonly #added = new Durations();
  readonly #faults: Faults = new Map();
  #bytes = 0;
  #calls = 0;
  #judged = 0;
  #index = 0;

  constructor(guards: Guards, options: BacktestOptions) {
    this.#guards = guards;
    this.#options = options;
    this.#system = guards.config.getHookSystem();
    this.#tally = new Tally(options.examples);
  }

  async over(files: readonly TranscriptFile[]): Promise<Backtest> {
    await this.#system?.initialize();
    const { jobs, signal } = this.#options;
    const source = this.#readings(files);
    await Promise.all(Array.from({ length: jobs }, () => this.#work(source)));
    this.#system?.dispose();
    const added = this.#added;
    return {
      files: this.#formats,
      events: this.#events,
      judged: this.#judged,
      together: this.#together,
      added: { p50: added.quantile(0.5), p95: added.quantile(0.95), total: added.total },
      hooks: this.#tally.hooks(),
      leftOut: this.#leftOut,
      notUnderstood: [...this.#faults.values()],
      isComplete: !signal.aborted,
    };
  }

  async #work(source: AsyncGenerator<FileReading>): Promise<void> {
    const { signal, onProgress } = this.#options;
    for await (const { file, one } of source) {
      if (signal.aborted) return;
      if (one.kind !== 'event') continue;
      const { place } = one;
      await this.#judge(one, { file, index: this.#index++, place }).catch((error: unknown) =>
        this.#notUnderstood(file, messageOf(error), place),
      );
      onProgress(this.#bytes, this.#calls, this.#together.denied);
    }
  }

  #notUnderstood(file: string, why: string, place: Place = {}): void {
    const known = this.#faults.get(why);
    if (known) known.count += 1;
    else if (this.#faults.size < mostKinds)
      this.#faults.set(why, { file, ...place, why, count: 1 });
  }

  async *#readings(files: readonly TranscriptFile[]): AsyncGenerator<FileReading> {
    const { since = -Infinity, signal } = this.#options;
    const formats = this.#formats;
    for (const { file, isNamed, changedAt } of files)
      for await (const one of readTranscript(file, (count) => (this.#bytes += count))) {
        if (one.kind === 'event') {
          if ((one.at ?? changedAt) >= since) yield { file, one };
        } else if (one.kind === 'format') formats[one.title] = (formats[one.title] ?? 0) + 1;
        else if (one.kind === 'fault') this.#notUnderstood(file, one.message, one.place);
        // A folder may hold other files too.
        else this.#notUnderstood(file, isNamed ? one.message : `a file ${one.message}`);
        if (signal.aborted) return;
      }
  }

  async #judge(past: PastEvent, where: Where): Promise<void> {
    const { file, place } = where;
    const dialect = knownDialects.find(({ name }) => name === past.dialect)!;
    const event = Object.hasOwn(dialect.events, past.event)
      ? dialect.events[past.event]!
      : undefined;
    if (event === undefined) return;
    const read = await dialect.readCall(past.event, past.given);
    if ('faults' in read) {
      const why = `does not match ${past.event}: ${read.faults.join('; ')}`;
      return this.#notUnderstood(file, why, place);
    }
    const system = this.#system;
    const all = [read.fields, ...(read.parts?.calls ?? [])];
    const isGuarded = system !== undefined && all.some((one) => hasHook(system, event, one));
    if (!this.#options.events.has(event)) {
      if (isGuarded) this.#leftOut[event] = (this.#leftOut[event] ?? 0) + 1;
      return;
    }
    this.#events[event] = (this.#events[event] ?? 0) + 1;
    this.#calls += 1;
    if (!isGuarded) return;
    const { folder } = this.#guards;
    const moved = isElsewhere(past.folder, folder)
      ? await dialect.readCall(past.event, inFolder(past.given, past.folder, folder))
      : read;
    if ('faults' in moved) return this.#notUnderstood(file, moved.faults.join('; '), place);
    await this.#fire(past, where, this.#firedAs(event, past, moved, dialect, file), moved.parts);
  }

  #firedAs(
    event: HookEventName,
    { session }: PastEvent,
    { fields, context, parts }: ReadCall,
    dialect: Dialect,
    file: string,
  ): FiredEvent {
    return {
      event,
      fields,
      context: {
        ...context,
        transcriptPath: file,
        // Hooks use it in file names.
        ...(session !== undefined && /^[\w.-]+$/.test(session) && { sessionId: session }),
      },
      folder: this.#guards.folder,
      canAsk: true,
      ...(parts && { parts: parts.calls, partsFor: dialect.family }),
    };
  }

  async #fire(
    past: PastEvent,
    { file, index, place }: Where,
    fired: FiredEvent,
    parts: CallParts | undefined,
  ): Promise<void> {
    const { signal, redactor } = this.#options;
    const startedAt = performance.now();
    const outcome = await fireIn(this.#guards.config, fired, signal);
    if (signal.aborted) return;
    const took = performance.now() - startedAt;
    const results = [outcome.result, ...(outcome.partResults ?? [])].flatMap((one) => one.results);
    if (results.length === 0) return;
    this.#judged += 1;
    this.#added.add(took);
    this.#count(callOutcome(fired, outcome, parts), results);
    const shown: Shown = {
      what: () => redactor.text(whatIn(past), longestShown),
      said: (value) => redactor.value(value) as typeof value,
    };
    const { session } = past;
    const seen = { index, file, ...place, ...(session !== undefined && { session }) };
    for (const result of results) this.#tally.add(result, seen, shown);
  }

  #count(
    { verdict, toolInput }: Pick<ReturnType<typeof callOutcome>, 'verdict' | 'toolInput'>,
    results: readonly HookExecutionResult[],
  ): void {
    const together = this.#together;
    const { decision, stop, changes } = verdict;
    const isChanged = toolInput !== null || Object.keys(changes).length > 0;
    if (decision === 'deny') together.denied += 1;
    if (decision === 'ask' || decision === 'defer') together.asked += 1;
    if (stop) together.stopped += 1;
    if (decision !== 'deny' && isChanged) together.changed += 1;
    if (results.some(({ status }) => status === 'failed' || status === 'timedOut'))
      together.failed += 1;
  }
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
