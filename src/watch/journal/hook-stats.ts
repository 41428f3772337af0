import type { CallAccount, EventAccount, HookAccount } from './account.ts';

/** What one hook did in a recording, and how much time it cost. */
export interface HookStats {
  readonly name: string;
  readonly event: string;
  readonly source?: string;
  readonly dialect?: string;
  readonly runs: number;
  readonly denials: number;
  /** Runs that failed or timed out. */
  readonly failures: number;
  readonly timeouts: number;
  /** The median and the 95th percentile of its durations, in ms. */
  readonly p50: number;
  readonly p95: number;
  /** How much longer its events took because of it, in ms, in total. */
  readonly addedMs: number;
}

/** Returns what each hook of a recording did, the one that added most time first. */
export async function hookStats(calls: AsyncIterable<CallAccount>): Promise<HookStats[]> {
  const counts = new Map<string, Counted>();
  for await (const { events } of calls)
    for (const event of events)
      for (const hook of event.hooks) if (hasRun(hook)) count(counts, hook, event);
  return [...counts.values()].map(statsOf).toSorted((a, b) => b.addedMs - a.addedMs);
}

/** What events with hooks took together, in ms. */
export interface EventsCost {
  readonly events: number;
  readonly ms: number;
  /** How much of it no hook took: hookmachine itself. */
  readonly ownMs: number;
}

/** Passes calls on, and adds up what their events take. */
export class CostCounter {
  #events = 0;
  #ms = 0;
  #ownMs = 0;

  /** The sum of what has been passed on. */
  get cost(): EventsCost {
    return { events: this.#events, ms: this.#ms, ownMs: this.#ownMs };
  }

  async *passing(calls: AsyncIterable<CallAccount>): AsyncGenerator<CallAccount> {
    for await (const call of calls) {
      for (const event of call.events) this.#add(event);
      yield call;
    }
  }

  #add(event: EventAccount): void {
    const { startedAt, endedAt, hooks } = event;
    if (endedAt === undefined || !hooks.some(hasRun)) return;
    this.#events++;
    this.#ms += endedAt - startedAt;
    this.#ownMs += Math.max(0, endedAt - startedAt - lengthOf(event));
  }
}

/** Says what events took, in one sentence. */
export function costInWords({ events, ms, ownMs }: EventsCost): string {
  const total = `${Math.round(ms)} ms`;
  return `${events} ${events === 1 ? 'event' : 'events'} with hooks took ${total}; ${Math.round(ownMs)} ms of it were hookmachine's own`;
}

type Ran = HookAccount & { readonly answer: NonNullable<HookAccount['answer']> };

const hasRun = (hook: HookAccount): hook is Ran =>
  hook.answer !== undefined && !['untrusted', 'skipped'].includes(hook.answer.status);

interface Counted extends Pick<HookStats, 'name' | 'event' | 'source' | 'dialect'> {
  readonly durations: number[];
  denials: number;
  failures: number;
  timeouts: number;
  addedMs: number;
}

function count(counts: Map<string, Counted>, hook: Ran, event: EventAccount): void {
  const { name, source, dialect, command, answer } = hook;
  const key = JSON.stringify([event.event, name, source, dialect, command]);
  let counted = counts.get(key);
  if (counted === undefined) {
    counted = {
      name,
      event: event.event,
      ...(source !== undefined && { source }),
      ...(dialect !== undefined && { dialect }),
      durations: [],
      denials: 0,
      failures: 0,
      timeouts: 0,
      addedMs: 0,
    };
    counts.set(key, counted);
  }
  counted.durations.push(answer.durationMs);
  if (answer.decision === 'deny') counted.denials += 1;
  if (answer.status === 'failed' || answer.status === 'timedOut') counted.failures += 1;
  if (answer.status === 'timedOut') counted.timeouts += 1;
  counted.addedMs += lengthOf(event) - lengthOf(event, hook);
}

const statsOf = ({ durations, ...counted }: Counted): HookStats => {
  const sorted = durations.toSorted((a, b) => a - b);
  return { ...counted, runs: sorted.length, p50: rank(sorted, 0.5), p95: rank(sorted, 0.95) };
};

const rank = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

/** How long the hooks of an event took together, or would have taken without one of them. */
function lengthOf({ hooks, lanes, mode }: EventAccount, without?: HookAccount): number {
  const awaited = hooks.filter((hook) => hook !== without && !hook.async && hasRun(hook)) as Ran[];
  const inLane = (ran: readonly Ran[], how: EventAccount['mode']): number => {
    const durations = ran.map(({ answer }) => answer.durationMs);
    return how === 'sequential'
      ? durations.reduce((sum, each) => sum + each, 0)
      : Math.max(0, ...durations);
  };
  if (lanes === undefined) return inLane(awaited, mode);
  const lengths = lanes.map((lane) =>
    inLane(
      awaited.filter(({ dialect }) => dialect === lane.dialect),
      lane.mode,
    ),
  );
  return Math.max(0, ...lengths);
}
