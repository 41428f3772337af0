import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookSystemConfig } from '../system/hook-system-config.ts';
import type { HookSystem } from '../system/hook-system.ts';
import type { InspectObserver } from '../../core/host/config.ts';
import { messageOf } from '../../base/message-of.ts';
import { reportMissingGuards } from '../relay/report-missing.ts';
import {
  fireIn,
  hooksConfig,
  type Fired,
  type FiredEvent,
  type WhoseHooks,
} from '../relay/run-hooks.ts';
import { sessionNotes, reportedBefore } from '../relay/session-notes.ts';

/**
 * How long a session's hooks are kept without an event, in ms; if it goes on after that, they are started
 * again.
 */
const idleLimit = 60 * 60 * 1000;

/** How many sessions' hooks are kept; beyond that, those that have been idle for longest end. */
const mostSessions = 200;

/** An event that comes from a session. */
export interface SessionEvent {
  readonly fired: FiredEvent;
  /** The host whose session it is. */
  readonly host: string;
  readonly sessionId: string | undefined;
  readonly dialects: readonly Dialect[];
  readonly signal: AbortSignal;
}

/** The options that all sessions share. */
export interface WarmHooksOptions extends Omit<WhoseHooks, 'sessionId'> {
  readonly observe: InspectObserver;
  readonly warn: (line: string) => void;
  /** Default 200. */
  readonly mostSessions?: number;
}

/** Hook systems that are kept for the next event: one for each session and project. */
export class WarmHooks {
  readonly #options: WarmHooksOptions;
  readonly #sessions = new Map<string, WarmSession>();

  constructor(options: WarmHooksOptions) {
    this.#options = options;
  }

  /** Takes an event through the hooks of its session; settings count as they are now. */
  async through(event: SessionEvent): Promise<Fired> {
    const { fired, host, sessionId } = event;
    const key = JSON.stringify([host, fired.folder, sessionId]);
    const session =
      this.#sessions.get(key) ?? new WarmSession(event, this.#options, () => this.#end(key));
    // Keeps the sessions in the order of their last use.
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    try {
      return await session.fire(event);
    } catch (error) {
      // The same failure would meet each later event too.
      this.#end(key);
      throw error;
    } finally {
      if (fired.event === 'SessionEnd') this.#end(key);
      this.#endIdle();
    }
  }

  /** Ends the hooks of all sessions. */
  close(): void {
    for (const key of this.#sessions.keys()) this.#end(key);
  }

  /** Ends sessions beyond the limit, but none whose hooks are running. */
  #endIdle(): void {
    const { mostSessions: most = mostSessions, warn } = this.#options;
    for (const [key, { isIdle, folder }] of this.#sessions) {
      if (this.#sessions.size <= most) return;
      if (!isIdle) continue;
      this.#end(key);
      warn(
        `hooks of ${most} sessions are kept, so those of the session that was idle longest (in ${folder}) were ended; if that session continues, they start again`,
      );
    }
  }

  #end(key: string): void {
    this.#sessions.get(key)?.end();
    this.#sessions.delete(key);
  }
}

class WarmSession {
  readonly folder: string;
  readonly #options: WarmHooksOptions;
  readonly #config: Promise<HookSystemConfig>;
  readonly #idle: NodeJS.Timeout;
  #runsElsewhere: FiredEvent['runsElsewhere'];
  #system: HookSystem | undefined;
  #running = 0;
  #endsWithLast = false;
  #wasRead = false;
  #lastReading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;

  constructor(event: SessionEvent, options: WarmHooksOptions, onIdle: () => void) {
    this.folder = event.fired.folder;
    this.#options = options;
    this.#config = this.#open(event);
    this.#idle = setTimeout(() => {
      if (this.#running === 0) onIdle();
      else this.#idle.refresh();
    }, idleLimit).unref();
  }

  /** Whether none of its hooks is running. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  async fire({ fired, signal }: SessionEvent): Promise<Fired> {
    this.#running++;
    this.#idle.refresh();
    this.#runsElsewhere = fired.runsElsewhere;
    try {
      await this.#freshen();
      const config = await this.#config;
      this.#system ??= config.getHookSystem();
      return await fireIn(config, fired, signal);
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#endsWithLast) this.#system?.dispose();
    }
  }

  /**
   * Ends the session once the events that came before are answered, since hooks that had ended would let
   * everything pass.
   */
  end(): void {
    clearTimeout(this.#idle);
    if (this.#running === 0) this.#system?.dispose();
    else this.#endsWithLast = true;
  }

  async #open({ fired, dialects, sessionId }: SessionEvent): Promise<HookSystemConfig> {
    const { warn, observe, ...whose } = this.#options;
    if (whose.hooks) await reportMissingGuards(this.folder, sessionId);
    return hooksConfig(
      { folder: fired.folder, runsElsewhere: (hook) => this.#runsElsewhere?.(hook) === true },
      dialects,
      { ...whose, ...(sessionId !== undefined && { sessionId }) },
      {
        onNote: sessionNotes(warn, sessionId),
        wasReported: reportedBefore(sessionId),
        onWarning: warn,
        inspect: observe,
      },
    );
  }

  /** Makes settings count as they are now; events that come during a reading share the next one. */
  #freshen(): Promise<void> {
    this.#nextReading ??= this.#lastReading.then(() => {
      this.#nextReading = undefined;
      return (this.#lastReading = this.#read());
    });
    return this.#nextReading;
  }

  async #read(): Promise<void> {
    const config = await this.#config;
    // The first event reads them anyway.
    if (!this.#wasRead) return void (this.#wasRead = true);
    try {
      await (this.#system ? this.#system.reload() : config.reloadSettings?.());
    } catch (error) {
      this.#options.warn(
        `changed settings could not be read, so the previous ones still apply: ${messageOf(error)}`,
      );
    }
  }
}
