import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallKeeper, OpenKeptCall, OpenKeptOptions } from '../core/calls/call-keeper.ts';
import { newCallId } from '../core/calls/event-hooks.ts';
import { OfferedTools, toolsByName } from '../agent/loop/offered-tools.ts';
import type { ToolCallRequest } from '../core/calls/run-tool-call.ts';
import type { ToolInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import { anyText, assertArgument, assertArguments, text } from '../base/arguments.ts';
import { isHookmachineError } from '../base/errors.ts';
import { onAbort } from '../core/run/run-machine.ts';
import { tellOnce, warn } from '../base/log.ts';
import { type AnswerOptions, Approvals } from './approvals.ts';
import { audit, type Audit } from './audit.ts';
import type { CallStore } from './database/store.ts';
import { type CallRow, isOfAnAgent, type Submitted } from './database/calls.ts';
import { Fleet } from './fleet.ts';
import { Host } from './host.ts';
import { isLeaseLost } from './database/effects.ts';
import { type LegParts, runLeg, type ToolOf } from './leg.ts';
import { type Hold, OpenCall } from './open-call.ts';
import { callRules, type DurableOptions, type DurableRequest, optionRules } from './options.ts';
import { blockedBy, type DurableOutcome, outcomeOf } from './outcome.ts';
import { untilExpiry, type WaitOptions } from './outcome.ts';
import { isUnreachable, whenReachable } from './database/postgres.ts';
import type { Metric } from './database/metrics.ts';
import { News, scattered } from './news.ts';
import { Notices } from './notices.ts';
import { openStore } from './open-store.ts';
import { takeOver } from './take-over.ts';
import { messageOf } from '../base/message-of.ts';

/**
 * Joins the hosts of a workspace. The database must have been migrated: `hookmachine durable migrate`.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA`, `DATABASE_ROLE`, `DATABASE_STANDBY`,
 * `HOST_NAME_TAKEN`, `HUB_REFUSED`
 * @example
 * const durable = await connectDurable({ database, config, tools, workspace: 'shop' });
 * const outcome = await durable.call({ id: 'c-1', name: 'write_file', input });
 * if (outcome.status === 'suspended') console.log(`${outcome.approval.id} waits for an answer`);
 */
export async function connectDurable(options: DurableOptions): Promise<Durable> {
  assertArguments('connectDurable', options, optionRules);
  const own = options.name ?? `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const { store, prefix } = await openStore(options, `hookmachine ${own}`);
  const name = prefix + own;
  try {
    const { workspace, lostAfter = 30_000, requireStandby = false, config } = options;
    const tell = (line: string): void => warn(config.onWarning, line);
    const host = new Host(store, { name, workspace, lostAfter, requireStandby, warn: tell });
    await host.join();
    return new Durable(options, name, store, host);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** How a call is to be worked on. */
type Working = Partial<Omit<Hold, 'signal' | 'wait' | 'onFound'>> & Pick<WaitOptions, 'signal'>;

/** How often a worker looks for questions that expire and for hosts that have ended, in ms. */
const sweepEvery = { first: 2_000, longest: 5_000 } as const;

/** How long a new call waits while its host is without the database, in ms. */
const beginPatience = 5_000;

/** The durable calls of one host. */
export class Durable implements CallKeeper {
  readonly name: string;
  readonly workspace: string;
  readonly config: HookSystemConfig;
  readonly approvals: Approvals;
  readonly #store: CallStore;
  readonly #host: Host;
  readonly #news: News;
  readonly #fleet: Fleet;
  readonly #parts: LegParts;
  readonly #toolOf: ToolOf;
  readonly #warn: (line: string) => void;
  readonly #options: DurableOptions;
  /** The calls that this host is working on. */
  readonly #working = new Set<string>();

  /** Called by `connectDurable` only. */
  constructor(options: DurableOptions, name: string, store: CallStore, host: Host) {
    const { config, allowGuardWrites } = options;
    const tools = toolsByName(options.tools ?? []);
    const { expiresAfter = 7 * 24 * 60 * 60 * 1000 } = options;
    this.name = name;
    this.workspace = options.workspace;
    this.config = config;
    this.#options = options;
    this.#store = store;
    this.#host = host;
    this.#fleet = new Fleet(store, config);
    this.#warn = tellOnce((line) => warn(config.onWarning, line));
    this.#news = new News(store, options.workspace, this.#warn);
    this.approvals = new Approvals(store);
    const { approvals } = this;
    const notices = new Notices(store, config, options.workspace);
    this.#parts = { store, approvals, notices, config, expiresAfter };
    const offered = new OfferedTools({ config, tools, allowGuardWrites });
    this.#toolOf = (request, signal) => ({
      ...offered.call(request, signal),
      isIdempotent: tools.get(request.name)?.idempotent === true,
    });
  }

  /**
   * Makes a call here and now, or continues the one that has this id. A call that is made while the database
   * is unreachable is blocked: nothing runs unguarded.
   *
   * @throws {HookmachineError} `CALL_CONFLICT` if another call has this id, `DATABASE_UNAVAILABLE` if the
   * database went away meanwhile and did not come back
   */
  async call(request: DurableRequest, options: WaitOptions = {}): Promise<DurableOutcome> {
    assertArguments('durable.call', request, callRules);
    const { id = newCallId(), name, input, session } = request;
    const { workspace } = this.#options;
    const json = JSON.stringify(input);
    try {
      // Nothing has been submitted yet, so if this fails it is certain that nothing runs.
      await this.#ready();
    } catch (error) {
      if (!isUnreachable(error) && !isHookmachineError(error, 'POLICY_UNUSABLE')) throw error;
      return blockedBy(error, id, JSON.parse(json) as ToolInput);
    }
    const isCallers = false;
    const submission = { id, workspace, session, tool: name, input: json, isCallers };
    const submitted = await this.#submitted(() => this.#store.submit(submission, this.name));
    if (submitted.isNew) await this.#work(submitted.row, options);
    return this.#follow(id, options);
  }

  /**
   * Returns the outcome of a call that was submitted on any host, once it has ended or waits for an answer.
   *
   * @throws {HookmachineError} `CALL_UNKNOWN` if there is none
   */
  async outcome(id: string, options: WaitOptions = {}): Promise<DurableOutcome> {
    assertArgument('the id of a call', id, text);
    return this.#follow(id, options);
  }

  /**
   * Begins a call whose tool is run by someone else, such as a framework; or continues the one with this id,
   * which then keeps the arguments that it was begun with. No worker continues it.
   */
  open(
    request: ToolCallRequest,
    { signal, isNew = false, sessionId: session, ...told }: OpenKeptOptions = {},
  ): OpenKeptCall {
    const { workspace } = this.#options;
    const { id, name: tool, input } = request;
    const submission = { id, workspace, session, tool, input: JSON.stringify(input) };
    const submitAs = isNew ? this.#store.submitNew : this.#store.submitAgain;
    let submitted: Submitted | undefined;
    const proceed = async (hold: Hold): Promise<DurableOutcome> => {
      if (submitted === undefined) {
        try {
          await this.#ready();
        } catch (error) {
          if (!isUnreachable(error) && !isHookmachineError(error, 'POLICY_UNUSABLE')) throw error;
          return blockedBy(error, id, input);
        }
        submitted = await this.#submitted(() =>
          submitAs({ ...submission, isCallers: true }, this.name),
        );
        if (submitted.isNew) await this.#work(submitted.row, hold);
        else hold.onFound(JSON.parse(submitted.row.input) as ToolInput);
      }
      return this.#follow(submitted.row.id, hold);
    };
    const { approvals, name: hostName } = this;
    const say = (question: string, answer: AnswerOptions): Promise<unknown> =>
      this.#retried(() => approvals.answer(question, answer));
    return new OpenCall(request, { say, hostName, proceed }, { signal, told });
  }

  /** Withdraws the question that a call waits for: the tool does not run, and the model is told why. */
  async withdraw(id: string, why: string): Promise<void> {
    assertArguments('durable.withdraw', { id, why }, { id: text, why: anyText });
    const call = await this.#store.findLast(id);
    const approval = call && (await this.approvals.of(call.id));
    if (approval === undefined || approval.answer !== undefined) return;
    const answer = { decision: 'withdraw', by: this.name, note: why } as const;
    const { accepted } = await this.approvals.answer(approval.id, answer);
    // Someone answered at that very moment: the call is left to the host that runs its tool.
    if (!accepted) return;
    // Perhaps nobody will come to continue it, and all that is left to do is to record the refusal.
    const taken = await this.#store.takeReady(this.workspace, this.name, approval.call);
    if (taken) await this.#work(taken);
  }

  /** Returns every effect of a call, with what was asked and answered. */
  async audit(id: string): Promise<Audit> {
    assertArgument('the id of a call', id, text);
    return audit(this.#store, id);
  }

  /**
   * Works on calls of the workspace that were answered or whose hosts have ended, until the signal is
   * aborted; then finishes those in progress before it resolves.
   */
  async work(signal: AbortSignal): Promise<void> {
    const { concurrency = 8 } = this.#options;
    const running = new Set<Promise<void>>();
    let isFree = new AbortController();
    let [sweepAt, sweepWait] = [0, sweepEvery.first as number];
    for (let rounds = 0; !signal.aborted;) {
      try {
        await this.#host.session(beginPatience);
        if (performance.now() >= sweepAt) {
          const factor = this.#store.isScarce ? 2 : 1;
          sweepAt = performance.now() + scattered(factor * sweepWait);
          const isAny = await this.#sweep();
          sweepWait = isAny ? sweepEvery.first : Math.min(sweepWait * 1.5, sweepEvery.longest);
        }
        await this.#fleet.refresh();
        const row = running.size < concurrency ? await this.#takeNext() : undefined;
        if (row) {
          rounds = 0;
          const leg = this.#work(row).finally(() => {
            running.delete(leg);
            isFree.abort();
          });
          running.add(leg);
          continue;
        }
      } catch (error) {
        this.#sayUnlessAway(error);
      }
      const atMost = Math.max(sweepAt - performance.now(), 100);
      await this.#news.wait(rounds, AbortSignal.any([signal, isFree.signal]), undefined, atMost);
      rounds = isFree.signal.aborted ? 0 : rounds + 1;
      isFree = new AbortController();
    }
    await Promise.all(running);
  }

  #sayUnlessAway(error: unknown): void {
    if (!isUnreachable(error)) this.#warn(`the worker cannot continue yet: ${messageOf(error)}`);
  }

  /** Waits until this host may begin a call: for a moment, if the database is away. */
  async #ready(): Promise<void> {
    await this.#host.session(beginPatience);
    await whenReachable(() => this.#fleet.refresh(), AbortSignal.timeout(beginPatience));
  }

  #takeNext(): Promise<CallRow | undefined> {
    const { workspaceConcurrency: most, workspace } = this.#options;
    return most === undefined
      ? this.#store.takeReady(workspace, this.name)
      : this.#store.takeWithin(workspace, this.name, most);
  }

  /** Whether this host has its lease: without it, it begins and continues no calls. */
  get hasLease(): boolean {
    return this.#host.hasLease;
  }

  /** Returns what a monitor watches: what waits and for how long, who lives, and what was lost. */
  async metrics(): Promise<readonly Metric[]> {
    return this.#store.metrics();
  }

  /** Leaves the other hosts, which may continue the calls that have not ended. */
  async close(): Promise<void> {
    await this.#host.leave();
    await this.#news.close();
    await this.#store.close();
  }

  /**
   * Ends the questions that expire, tells of those that nobody was told of, and gives back the calls of dead
   * hosts. Returns whether any expired or were given back.
   */
  async #sweep(): Promise<boolean> {
    const isAnyExpired = await this.approvals.expire();
    void this.#parts.notices.tell().catch((error: unknown) => this.#sayUnlessAway(error));
    return (await takeOver(this.#store, this.name, this.workspace)) || isAnyExpired;
  }

  /**
   * Works on a call that this host has taken. The outcome is in the database; a call that could not be
   * continued is released for the first host to take it.
   */
  async #work(row: CallRow, { signal, tool, left, onEnd }: Working = {}): Promise<void> {
    const lease = { call: row.id, number: row.lease, host: this.name };
    const lost = new AbortController();
    const stopListening: (() => void)[] = [];
    this.#working.add(row.id);
    try {
      for (const end of [(await this.#host.session(0)).lost, left]) {
        if (end?.aborted) lost.abort(end.reason);
        if (end) stopListening.push(onAbort(end, () => lost.abort(end.reason)));
      }
      const toolOf = tool ? () => tool : this.#toolOf;
      const outcome = await runLeg(this.#parts, row, toolOf, { signal, lost: lost.signal });
      if (outcome) onEnd?.(outcome);
    } catch (error) {
      const isExpected = isUnreachable(error) || isLeaseLost(error);
      if (!isExpected) this.#warn(`the call ${row.id} could not be continued: ${messageOf(error)}`); // prettier-ignore
      // If the database stays away, this host's lease is lost, and the call is given back when the host
      // returns.
      const hasLeft = left?.aborted === true;
      await this.#retried(() => this.#store.letGo(lease, { hasLeft })).catch(() => undefined);
    } finally {
      this.#working.delete(row.id);
      for (const stop of stopListening) stop();
    }
  }

  /** Waits until a call has ended or waits for an answer. A call that is ready is continued here. */
  async #follow(id: string, how: WaitOptions & Working): Promise<DurableOutcome> {
    const { workspace } = this.#options;
    const { wait = false, signal, left } = how;
    for (let rounds = 0; ; rounds += 1) {
      const row = await this.#retried(() => this.#store.findCall(id));
      const outcome = await this.#retried(() => outcomeOf(row, this.approvals));
      if (outcome && !(wait && outcome.status === 'suspended')) return outcome;
      signal?.throwIfAborted();
      left?.throwIfAborted();
      if (row.status === 'ready' && row.workspace === workspace) {
        if (row.is_callers && how.tool === undefined) throw isOfAnAgent(row);
        await this.#retried(() => this.#fleet.refresh());
        const taken = await this.#retried(() => this.#store.takeReady(workspace, this.name, id));
        if (taken) {
          await this.#work(taken, how);
          continue;
        }
      }
      if (row.status === 'running')
        await this.#retried(() => takeOver(this.#store, this.name, workspace));
      if (row.status === 'suspended') await this.#retried(() => this.approvals.expire());
      const atMost = row.status === 'running' ? sweepEvery.first : untilExpiry(outcome);
      await this.#news.wait(rounds, signal, id, atMost);
    }
  }

  /**
   * Submits a call. If the connection is lost meanwhile, the call may have been submitted all the same, and
   * nobody but this host would know: it is released, for the first to take it.
   */
  #submitted(submitting: () => Promise<Submitted>): Promise<Submitted> {
    let isUncertain = false;
    return this.#retried(async () => {
      try {
        const submitted = await submitting();
        const { row, isNew } = submitted;
        const isForgotten = isUncertain && !isNew && !this.#working.has(row.id);
        if (isForgotten && row.status === 'running' && row.host === this.name) {
          const lease = { call: row.id, number: row.lease, host: this.name };
          await this.#store.letGo(lease, { hasLeft: true });
        }
        return submitted;
      } catch (error) {
        isUncertain = true;
        throw error;
      }
    });
  }

  /** Runs a database operation, and repeats it if the database went away and came back. */
  async #retried<Made>(work: () => Promise<Made>): Promise<Made> {
    const until = Date.now() + (this.#options.patience ?? 60_000);
    for (;;) {
      try {
        await this.#host.session(Math.max(1, until - Date.now()));
        return await work();
      } catch (error) {
        const isOver = this.#host.hasLeft || Date.now() >= until;
        if (!isUnreachable(error) || isOver) throw error;
        await sleep(250);
      }
    }
  }
}
