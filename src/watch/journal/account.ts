import type {
  AnsweredEntry,
  JournalEntry,
  JournaledHook,
  JournaledMachine,
  JournaledPlan,
  RecordingHeader,
  StartedEntry,
  VerdictEntry,
  TokenCounts,
} from './entry.ts';

type Reported<Entry> = Omit<Entry, 'kind' | 'at' | 'id'>;

/** One hook of an event: how it was planned, and what became of it. */
export interface HookAccount extends Partial<JournaledHook> {
  /** The run of its process; absent if it was not started. */
  readonly id?: string;
  readonly name: string;
  readonly status: 'notStarted' | 'running' | 'ended';
  /** What it read; only if payloads were recorded. */
  readonly stdin?: unknown;
  readonly answer?: Reported<AnsweredEntry>;
}

/** The hooks of one event of a call. */
export interface EventAccount {
  readonly id: string;
  readonly event: string;
  /** Its hooks received the text of the answer while the model produced it. */
  readonly asItComes?: true;
  readonly startedAt: number;
  /** Absent if it had not ended. */
  readonly endedAt?: number;
  /** The event's fields; only if payloads were recorded. */
  readonly given?: unknown;
  readonly mode?: 'parallel' | 'sequential';
  readonly lanes?: JournaledPlan['lanes'];
  readonly hooks: readonly HookAccount[];
  readonly verdict?: Reported<VerdictEntry>;
  /** Absent if it had not ended. */
  readonly status?: string;
}

/** What happened to a turn, a model call, a tool call or an event on its own, and why. */
export interface CallAccount {
  /** Its number in the recording, starting at 1. */
  readonly index: number;
  readonly id: string;
  readonly callId?: string;
  readonly parent?: string;
  readonly session: string;
  readonly machine: JournaledMachine;
  readonly name: string;
  readonly startedAt: number;
  /** Whether arguments, prompts, results and what hooks read and wrote were recorded. */
  readonly payloads: boolean;
  /** The arguments or the request. Like the result, only if payloads were recorded. */
  readonly given?: unknown;
  readonly result?: unknown;
  /** Absent if it had not ended. The same holds for the fields below. */
  readonly endedAt?: number;
  readonly status?: string;
  readonly reason?: string;
  /** For a model call: what it used. */
  readonly usage?: TokenCounts;
  /** The last state it was in. */
  readonly state?: string;
  /** For a turn: the last call whose hook wanted the agent to stop. */
  readonly stoppedIn?: Pick<CallAccount, 'index' | 'name'>;
  readonly events: readonly EventAccount[];
}

type Open<Account> = { -readonly [Key in keyof Account]: Account[Key] };
type OpenEvent = Open<Omit<EventAccount, 'hooks'>> & { hooks: Open<HookAccount>[] };
type OpenCall = Open<Omit<CallAccount, 'events'>> & { events: OpenEvent[] };

interface Run {
  readonly call: OpenCall;
  readonly event?: OpenEvent;
  readonly hook?: Open<HookAccount>;
}

/**
 * Yields the accounts of all calls of a recording, each as soon as it has ended, and finally those that never
 * did. Only calls that have not ended are kept in memory.
 */
export async function* accounts(
  entries: AsyncIterable<JournalEntry | RecordingHeader>,
): AsyncGenerator<CallAccount> {
  const accounting = new Accounting();
  for await (const entry of entries) {
    const ended = accounting.take(entry);
    if (ended) yield ended;
  }
  yield* accounting.open;
}

/** Builds accounts from entries, which must come in the order in which they were recorded. */
export class Accounting {
  readonly #runs = new Map<string, Run>();
  readonly #idsOf = new Map<OpenCall, string[]>();
  #index = 0;
  #payloads: boolean;

  /** Without a header among the entries, `payloads` says whether the journal has payloads. */
  constructor(payloads = false) {
    this.#payloads = payloads;
  }

  /** The calls that have not ended. */
  get open(): Iterable<CallAccount> {
    return this.#idsOf.keys();
  }

  /** Takes the next entry, and returns the call that it ended, if any. */
  take(entry: JournalEntry | RecordingHeader): CallAccount | undefined {
    if (entry.kind === 'recording') this.#payloads = entry.payloads;
    if (entry.kind === 'recording' || entry.kind === 'warned') return undefined;
    if (entry.kind === 'started') {
      const run = begin(entry, this.#runs, {
        payloads: this.#payloads,
        next: () => ++this.#index,
      });
      this.#runs.set(entry.id, run);
      const ids = this.#idsOf.get(run.call);
      if (ids) ids.push(entry.id);
      else this.#idsOf.set(run.call, [entry.id]);
      return undefined;
    }
    const run = this.#runs.get(entry.id);
    if (run === undefined || !follow(run, entry)) return undefined;
    noteStop(run.call, this.#idsOf.keys());
    for (const id of this.#idsOf.get(run.call) ?? []) this.#runs.delete(id);
    this.#idsOf.delete(run.call);
    return run.call;
  }
}

function begin(
  entry: StartedEntry,
  runs: ReadonlyMap<string, Run>,
  { payloads, next }: { readonly payloads: boolean; readonly next: () => number },
): Run {
  const { at, id, callId, parent, session, machine, name, payload } = entry;
  const above = parent === undefined ? undefined : runs.get(parent);
  if (machine === 'hookProcess' && above?.event) {
    const planned = above.event.hooks.find(
      // Lanes run side by side, so their hooks do not start in the order of the plan.
      (hook) => hook.name === name && hook.status === 'notStarted' && !hook.async,
    );
    const hook: Open<HookAccount> = planned ?? { name, status: 'running' };
    hook.id = id;
    hook.status = 'running';
    if (payload !== undefined) hook.stdin = payload;
    if (planned === undefined) above.event.hooks.push(hook);
    return { ...above, hook };
  }
  const call: OpenCall =
    isOfEvent(machine) && above && !above.event
      ? above.call
      : {
          index: next(),
          id,
          ...(callId !== undefined && { callId }),
          ...(parent !== undefined && { parent }),
          session,
          machine,
          name,
          startedAt: at,
          payloads,
          ...(payload !== undefined && !isOfHooks(machine) && { given: payload }),
          events: [],
        };
  if (machine === 'hookProcess' && entry.plan?.outlives !== undefined) {
    const hook: Open<HookAccount> = { id, name, ...entry.plan.hooks[0], status: 'running' };
    if (payload !== undefined) hook.stdin = payload;
    call.events.push({ id, event: entry.plan.outlives, startedAt: at, hooks: [hook] });
    return { call, hook };
  }
  if (!isOfEvent(machine)) return { call };
  const event: OpenEvent = {
    id,
    event: name,
    ...(machine === 'answerStream' && { asItComes: true as const }),
    startedAt: at,
    ...(payload !== undefined && { given: payload }),
    ...(entry.plan && { mode: entry.plan.mode }),
    ...(entry.plan?.lanes && { lanes: entry.plan.lanes }),
    hooks: (entry.plan?.hooks ?? []).map((hook) => ({ ...hook, status: 'notStarted' })),
  };
  call.events.push(event);
  return { call, event };
}

/** What these machines are given is kept with their event or hook. */
const isOfHooks = (machine: JournaledMachine): boolean =>
  isOfEvent(machine) || machine === 'hookProcess';

/**
 * Whether a machine runs the hooks of an event. An answer's text may have more than one such run as it comes.
 */
export const isOfEvent = (machine: JournaledMachine): boolean =>
  machine === 'hookEvent' || machine === 'answerStream';

/** A turn ends when a hook of one of its calls wants the agent to stop. */
function noteStop({ machine, session, index, name, events }: OpenCall, open: Iterable<OpenCall>) {
  if (machine !== 'toolCall' && machine !== 'modelCall') return;
  if (!events.some(({ verdict }) => verdict?.stop)) return;
  for (const call of open)
    if (call.machine === 'agentTurn' && call.session === session) call.stoppedIn = { index, name };
}

/** Returns true if the call has ended with this entry. */
function follow(
  { call, event, hook }: Run,
  entry: Exclude<JournalEntry, { kind: 'started' | 'warned' }>,
): boolean {
  const isCall = entry.id === call.id;
  switch (entry.kind) {
    case 'moved':
      if (isCall) call.state = entry.to;
      return false;
    case 'answered': {
      const { kind: _, at: __, id: ___, ...answer } = entry;
      if (hook) hook.answer = answer;
      return false;
    }
    case 'verdict': {
      const { kind: _, at: __, id: ___, ...verdict } = entry;
      if (event) event.verdict = verdict;
      return false;
    }
    case 'ended':
      if (hook) hook.status = 'ended';
      else if (event) {
        event.status = entry.status;
        event.endedAt = entry.at;
      }
      if (!isCall) return false;
      call.endedAt = entry.at;
      if (entry.payload !== undefined && !isOfHooks(call.machine)) call.result = entry.payload;
      call.status = entry.status;
      if (entry.reason !== undefined) call.reason = entry.reason;
      if (entry.usage) call.usage = entry.usage;
      return true;
  }
}
