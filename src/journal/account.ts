import type {
  AnsweredEntry,
  JournalEntry,
  JournaledHook,
  JournaledMachine,
  JournaledPlan,
  RecordingHeader,
  StartedEntry,
  VerdictEntry,
} from './entry.ts';

type Reported<Entry> = Omit<Entry, 'kind' | 'at' | 'id'>;

/** One hook of an event: what was planned, and what came of it. */
export interface HookAccount extends Partial<JournaledHook> {
  /** The run of its process; absent when it was not started. */
  readonly id?: string;
  readonly name: string;
  readonly status: 'notStarted' | 'running' | 'ended';
  /** What it read; only where payloads were recorded. */
  readonly stdin?: unknown;
  readonly answer?: Reported<AnsweredEntry>;
}

/** The hooks of one event of a call. */
export interface EventAccount {
  readonly id: string;
  readonly event: string;
  /** Its hooks got the text of the answer while the model gave it. */
  readonly asItComes?: true;
  readonly startedAt: number;
  /** Absent when it had not ended. */
  readonly endedAt?: number;
  /** The event's fields; only where payloads were recorded. */
  readonly given?: unknown;
  readonly mode?: 'parallel' | 'sequential';
  readonly lanes?: JournaledPlan['lanes'];
  readonly hooks: readonly HookAccount[];
  readonly verdict?: Reported<VerdictEntry>;
  /** Absent when it had not ended. */
  readonly status?: string;
}

/** A turn, a model call, a tool call or an event by itself: what happened to it, and why. */
export interface CallAccount {
  /** Its number in the recording, from 1. */
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
  /** Arguments or request; only where payloads were recorded, as is the result. */
  readonly given?: unknown;
  readonly result?: unknown;
  /** Absent when it had not ended, as are all that follow. */
  readonly endedAt?: number;
  readonly status?: string;
  readonly reason?: string;
  /** The state it was in last. */
  readonly state?: string;
  /** Of a turn: the call whose hook wanted the agent to stop, the last of them. */
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
 * The accounts of all calls of a recording, each as soon as it has ended; those that never did come
 * last. Only what has not ended is kept.
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

/** Makes accounts of entries, which are given in the order in which they were recorded. */
export class Accounting {
  readonly #runs = new Map<string, Run>();
  readonly #idsOf = new Map<OpenCall, string[]>();
  #index = 0;
  #payloads: boolean;

  /** Entries without a header are of a journal with payloads, or without. */
  constructor(payloads = false) {
    this.#payloads = payloads;
  }

  /** The calls that have not ended. */
  get open(): Iterable<CallAccount> {
    return this.#idsOf.keys();
  }

  /** Takes the next entry, and gives the call that ended with it. */
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
      // Lanes run side by side: their hooks do not start in the order of the plan.
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

/** What these are given stands with their event or their hook. */
const isOfHooks = (machine: JournaledMachine): boolean =>
  isOfEvent(machine) || machine === 'hookProcess';

/** Whether these are hooks that an event of a call is for: of an answer's text there may be more, as it comes. */
export const isOfEvent = (machine: JournaledMachine): boolean =>
  machine === 'hookEvent' || machine === 'answerStream';

/** A turn ends when a hook of one of its calls wants the agent to stop. */
function noteStop({ machine, session, index, name, events }: OpenCall, open: Iterable<OpenCall>) {
  if (machine !== 'toolCall' && machine !== 'modelCall') return;
  if (!events.some(({ verdict }) => verdict?.stop)) return;
  for (const call of open)
    if (call.machine === 'agentTurn' && call.session === session) call.stoppedIn = { index, name };
}

/** Whether the call has ended with this. */
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
      return true;
  }
}
