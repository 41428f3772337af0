import type { HookExecutionResult } from '../../core/answers/results.ts';
import { Durations } from './durations.ts';

/** A call about which a hook had something to say. */
export interface Example {
  readonly file: string;
  /** The line in the file, the call's number in a recording, or the message's in a chat. */
  readonly line?: number;
  readonly call?: number;
  readonly message?: number;
  readonly session?: string;
  /** The call, prompt or request. */
  readonly what: string;
  readonly did: Did;
  readonly reason?: string;
  /** The value that replaced arguments, a prompt or a result. */
  readonly changed?: unknown;
}

/** The things that a hook can do to a call. */
export const dids = ['denied', 'asked', 'stopped', 'changed', 'failed'] as const;
export type Did = (typeof dids)[number];
export type Counts = Readonly<Record<Did, number>>;

/** The counts of what one hook would have done. */
export interface HookTally {
  readonly hook: string;
  readonly event: string;
  readonly dialect: string;
  readonly source: string;
  readonly place: string;
  readonly runs: number;
  readonly counts: Counts;
  /** In ms. */
  readonly p50: number;
  readonly p95: number;
  readonly total: number;
  readonly examples: readonly Example[];
}

/** Where a call was found. */
export type Occurrence = Pick<Example, 'file' | 'line' | 'call' | 'message' | 'session'> & {
  /** Its place among all events. */
  readonly index: number;
};

/** Turns a call, and what a hook said about it, into what may be shown; called only for examples. */
export interface Shown {
  readonly what: () => string;
  readonly said: <Value>(value: Value) => Value;
}

interface Counted {
  readonly first: HookExecutionResult;
  readonly counts: Record<Did, number>;
  readonly durations: Durations;
  examples: (Example & { readonly index: number })[];
  runs: number;
}

/** Counts what hooks said about a great many calls, of which only the first examples are kept. */
export class Tally {
  readonly #hooks = new Map<string, Counted>();
  readonly #most: number;

  constructor(mostExamples: number) {
    this.#most = mostExamples;
  }

  /** Counts what a hook said about a call; a hook that was not started said nothing. */
  add(result: HookExecutionResult, seen: Occurrence, { what, said }: Shown): void {
    const { hook, event, status, durationMs } = result;
    if (status === 'untrusted' || status === 'skipped') return;
    const key = JSON.stringify([
      event,
      hook.dialect,
      hook.source,
      hook.file,
      hook.place,
      hook.name,
    ]);
    let counted = this.#hooks.get(key);
    if (counted === undefined) {
      counted = {
        first: result,
        counts: noCounts(),
        durations: new Durations(),
        examples: [],
        runs: 0,
      };
      this.#hooks.set(key, counted);
    }
    counted.runs += 1;
    counted.durations.add(durationMs);
    const { index, ...call } = seen;
    for (const did of didIn(result)) {
      counted.counts[did] += 1;
      const same = counted.examples.filter((example) => example.did === did);
      if (same.length >= this.#most && same.every((example) => example.index < index)) continue;
      const example = { ...call, index, what: what(), did, ...said(saidIn(result, did)) };
      const others = counted.examples.filter((other) => other.did !== did);
      const kept = [...same, example].toSorted((one, other) => one.index - other.index);
      counted.examples = [...others, ...kept.slice(0, this.#most)];
    }
  }

  /** The hooks that denied most come first. */
  hooks(): readonly HookTally[] {
    return [...this.#hooks.values()]
      .map(tallied)
      .toSorted(
        (one, other) =>
          other.counts.denied - one.counts.denied ||
          other.counts.asked - one.counts.asked ||
          other.runs - one.runs,
      );
  }
}

export const noCounts = (): Record<Did, number> => ({
  denied: 0,
  asked: 0,
  stopped: 0,
  changed: 0,
  failed: 0,
});

const tallied = ({ first, counts, durations, examples, runs }: Counted): HookTally => {
  const { name, nativeEvent, dialect, source, file, place } = first.hook;
  return {
    hook: name,
    event: nativeEvent ?? first.event,
    dialect,
    source,
    place: [file, place].filter(Boolean).join(' '),
    runs,
    counts,
    p50: durations.quantile(0.5),
    p95: durations.quantile(0.95),
    total: durations.total,
    examples: examples
      .toSorted(
        (one, other) => dids.indexOf(one.did) - dids.indexOf(other.did) || one.index - other.index,
      )
      .map(({ index: _, ...example }) => example),
  };
};

function didIn({ status, decision, stop, effects, hook }: HookExecutionResult): readonly Did[] {
  const hasFailed = status === 'failed' || status === 'timedOut';
  const isDenied = decision === 'deny' || (hasFailed && hook.onFailure === 'block');
  return [
    ...(isDenied ? (['denied'] as const) : []),
    ...(decision === 'ask' || decision === 'defer' ? (['asked'] as const) : []),
    ...(stop ? (['stopped'] as const) : []),
    ...(!isDenied && changesIn(effects).length > 0 ? (['changed'] as const) : []),
    ...(hasFailed ? (['failed'] as const) : []),
  ];
}

function saidIn(
  { reason, stopReason, error, effects }: HookExecutionResult,
  did: Did,
): Pick<Example, 'reason' | 'changed'> {
  const why =
    did === 'failed' ? error?.message : did === 'stopped' ? (stopReason ?? reason) : reason;
  return {
    ...(why !== undefined && { reason: why }),
    ...(did === 'changed' && { changed: Object.assign({}, ...changesIn(effects)) as unknown }),
  };
}

const changesIn = (effects: HookExecutionResult['effects']): readonly object[] =>
  effects.flatMap((effect) =>
    effect.kind === 'replace' || effect.kind === 'patch' ? [{ [effect.slot]: effect.value }] : [],
  );
