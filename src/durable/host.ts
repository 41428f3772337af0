import { randomUUID } from 'node:crypto';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import { messageOf } from '../base/message-of.ts';
import type { Holder } from './database/hosts.ts';
import { isUnreachable } from './database/postgres.ts';
import type { CallStore } from './database/store.ts';
import { ownIdentity, stateOf } from './process-identity.ts';

/** How a host takes part. */
export interface HostOptions {
  /** Unique among the running hosts. */
  readonly name: string;
  readonly workspace: string;
  /** How long the others consider this host alive after it last reported, in ms. */
  readonly lostAfter: number;
  /** Whether it takes part only while the database waits for a synchronous standby. */
  readonly requireStandby: boolean;
  readonly warn: (line: string) => void;
}

/** A period in which a host holds its lease without interruption. */
export interface Session {
  /** Aborted when the lease has ended: from then on, others may continue the host's calls. */
  readonly lost: AbortSignal;
}

interface HeldSession extends Session {
  readonly end: (why: Error) => void;
}

/**
 * A host stops shortly before the others take over, by its own clock and counted from before it reported: no
 * two clocks are compared.
 */
const ownShare = 0.9;

/** How often it is checked whether the holder of a name still reports, in ms. */
const nameLook = 250;

const notCopied =
  'the database does not wait for a synchronous standby, which "requireStandby" demands: see synchronous_standby_names and synchronous_commit';

/**
 * A host among others. It is alive as long as it has reported recently enough, by the clock of the database.
 * If its lease ends because the database was away for longer, it rejoins by itself.
 */
export class Host {
  readonly #store: CallStore;
  readonly #options: HostOptions;
  readonly #instance = randomUUID();
  readonly #events = new EventEmitter();
  readonly #left = new AbortController();
  #session: HeldSession | undefined;
  #joining: Promise<void> | undefined;

  constructor(store: CallStore, options: HostOptions) {
    this.#store = store;
    this.#options = options;
    this.#events.setMaxListeners(0);
  }

  /**
   * Joins, and gives back what an earlier host of this name left unfinished.
   *
   * @throws {HookmachineError} `HOST_NAME_TAKEN` if a host of this name is running, `DATABASE_UNAVAILABLE`,
   * `DATABASE_STANDBY`
   */
  async join(): Promise<void> {
    await this.#assertCopied();
    const since = await this.#enrol();
    const lost = new AbortController();
    // Every leg listens to it.
    setMaxListeners(0, lost.signal);
    this.#session = { lost: lost.signal, end: (why) => lost.abort(why) };
    void this.#report(this.#session, since);
    this.#events.emit('joined');
  }

  async #assertCopied(): Promise<void> {
    if (this.#options.requireStandby && !(await this.#store.isCopied()))
      throw new HookmachineError('DATABASE_STANDBY', `This host does not take part: ${notCopied}.`);
  }

  /** Takes the name, and returns when the lease began at the latest, by this process's clock. */
  async #enrol(): Promise<number> {
    const { name } = this.#options;
    let before: string | undefined;
    for (;;) {
      const since = performance.now();
      const holder = await this.#tryEnrol();
      if (holder === undefined) return since;
      // The host that has this name either reports again, or its lease ends.
      if (before !== undefined && holder.seen !== before)
        throw new HookmachineError(
          'HOST_NAME_TAKEN',
          `Another host with the name ${name} is already running: give each host its own name.`,
        );
      before = holder.seen;
      await sleep(nameLook, undefined, { signal: this.#left.signal });
    }
  }

  /** Takes the name unless a host that may be alive holds it. Returns that host. */
  async #tryEnrol(): Promise<Holder | undefined> {
    const { name, workspace, lostAfter } = this.#options;
    const own = { name, workspace, lostAfter, instance: this.#instance, pid: process.pid };
    const identity = ownIdentity();
    const holder = await this.#store.joinHost({ ...own, process: identity });
    if (holder === undefined || stateOf(holder.process) !== 'ended') return holder;
    return this.#store.joinHost({ ...own, process: identity, ended: holder.instance });
  }

  /** Reports regularly that the host is alive, until its lease has ended. */
  async #report(session: HeldSession, joinedAt: number): Promise<void> {
    const { name, lostAfter } = this.#options;
    const ended = AbortSignal.any([session.lost, this.#left.signal]);
    const expiry = new Expiry(ownShare * lostAfter, () =>
      this.#lose(session, `the database was out of reach for ${lostAfter / 1_000} s`),
    );
    expiry.extend(joinedAt);
    let isAway = false;
    while (!ended.aborted) {
      const wait = isAway ? Math.min(1_000, lostAfter / 20) : Math.min(10_000, lostAfter / 3);
      await sleep(wait, undefined, { signal: ended, ref: false }).catch(() => undefined);
      if (ended.aborted) break;
      const since = performance.now();
      try {
        const problem = await this.#extend();
        if (problem !== undefined) {
          this.#lose(session, problem);
          break;
        }
        expiry.extend(since);
        if (isAway) this.#options.warn(`host ${name} reaches the database again, before its lease ended`); // prettier-ignore
        isAway = false;
      } catch (error) {
        if (!isAway && !ended.aborted)
          this.#options.warn(
            `host ${name} cannot reach the database (${messageOf(error)}): what runs continues as long as the lease of ${lostAfter / 1_000} s lasts`,
          );
        isAway = true;
      }
    }
    expiry.end();
  }

  /** Reports that this host is alive, and returns why its lease has ended all the same. */
  async #extend(): Promise<string | undefined> {
    const { name, requireStandby, lostAfter } = this.#options;
    const extended = await this.#store.extendHost(name, this.#instance, lostAfter / 4);
    if (extended === undefined) return 'another host took it over, or the database lost it';
    return requireStandby && !extended.isCopied ? notCopied : undefined;
  }

  #lose(session: HeldSession, why: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    session.end(new Error(why));
    if (this.#left.signal.aborted) return;
    this.#options.warn(
      `the lease of host ${this.#options.name} was lost (${why}): its hooks and tools are ended, and it joins again as soon as it can`,
    );
    this.#joining ??= this.#comeBack().finally(() => (this.#joining = undefined));
  }

  async #comeBack(): Promise<void> {
    let last: string | undefined;
    for (let wait = 250; !this.#left.signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      await sleep(wait, undefined, { signal: this.#left.signal }).catch(() => undefined);
      if (this.#left.signal.aborted) return;
      try {
        await this.join();
        this.#options.warn(`host ${this.#options.name} has joined again`);
        return;
      } catch (error) {
        const isExpected = isUnreachable(error) || isHookmachineError(error, 'HOST_NAME_TAKEN');
        const said = messageOf(error);
        if (!isExpected && said !== last) this.#options.warn(`it cannot join yet: ${said}`);
        last = said;
      }
    }
  }

  /**
   * Returns the current session, and waits up to `timeout` ms for one to begin.
   *
   * @throws {HookmachineError} `DATABASE_UNAVAILABLE` if none begins
   */
  async session(timeout: number): Promise<Session> {
    if (this.#session) return this.#session;
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), this.#left.signal]);
    await once(this.#events, 'joined', { signal }).catch(() => undefined);
    if (this.#session) return this.#session;
    throw new HookmachineError(
      'DATABASE_UNAVAILABLE',
      this.#left.signal.aborted
        ? 'This host was closed.'
        : `The database has been out of reach for ${Math.round(timeout / 1000)} s.`,
    );
  }

  /** Whether the host has its lease: then it may begin and continue calls. */
  get hasLease(): boolean {
    return this.#session !== undefined;
  }

  /** Whether the host was closed: it does not rejoin. */
  get hasLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /** Leaves. Others may continue what this host has not finished. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.#joining;
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    await this.#store.leaveHost(this.#options.name, this.#instance).catch(() => undefined);
    session.end(new Error('the host has left'));
  }
}

/** Calls `end` once a time has passed since it was last extended. */
class Expiry {
  readonly #after: number;
  readonly #end: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(after: number, end: () => void) {
    this.#after = after;
    this.#end = end;
  }

  /** `since` is a time of `performance.now()`. */
  extend(since: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, since + this.#after - performance.now()).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
