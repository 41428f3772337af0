import type { Dialect } from '../dialects/dialect.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import type { InspectObserver } from '../telemetry.ts';
import { messageOf } from '../message-of.ts';
import { reportMissingGuards } from './report-missing.ts';
import { fireIn, hooksConfig, type Fired, type FiredEvent, type WhoseHooks } from './run-hooks.ts';
import { sessionNotes, reportedBefore } from './session-notes.ts';
import { stampSettings, type SettingsStamp } from './settings-stamp.ts';

/**
 * How long a session's hooks are kept without an event, in ms; if it goes on after that, they are started
 * again.
 */
const idleLimit = 60 * 60 * 1000;

/** How many sessions' hooks are kept; beyond that, those that have been idle for longest end. */
const mostSessions = 200;

/**
 * How long a reading counts if nothing that can be seen at a glance has changed, in ms; files deep in a
 * plugin cannot be seen so.
 */
const readingLimit = 1_000;

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
    const session = this.#sessions.get(key) ?? this.#begin(key, event);
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
    }
  }

  /** Ends the hooks of all sessions. */
  close(): void {
    for (const key of this.#sessions.keys()) this.#end(key);
  }

  #begin(key: string, event: SessionEvent): WarmSession {
    const { mostSessions: most = mostSessions, warn } = this.#options;
    const idle = [...this.#sessions].find(([, { isIdle }]) => isIdle);
    if (this.#sessions.size >= most && idle !== undefined) {
      this.#end(idle[0]);
      warn(
        `hooks of ${most} sessions are kept, so those of the session that was idle longest (in ${idle[1].folder}) were ended; if that session continues, they start again`,
      );
    }
    const session = new WarmSession(event, this.#options, () => this.#end(key));
    this.#sessions.set(key, session);
    return session;
  }

  /** Live hooks and modules belong to a project: they end with its last session. */
  #end(key: string): void {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    const isShared = [...this.#sessions.values()].some(({ folder }) => folder === session.folder);
    session.end(isShared);
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
  #stamp: SettingsStamp | undefined;
  #readAt = 0;
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
   * everything pass. Processes that other sessions of the project share go on.
   */
  end(isShared: boolean): void {
    clearTimeout(this.#idle);
    if (isShared) return;
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

  #filesOfHooks(): string[] {
    if (!this.#system?.isInitialized()) return [];
    const hooks = this.#system.getRegistry().getAllHooks();
    return hooks.flatMap(({ file }) => file ?? []);
  }

  async #read(): Promise<void> {
    const config = await this.#config;
    const last = this.#stamp;
    this.#stamp = stampSettings(this.folder, this.#filesOfHooks());
    const isSame = last?.text === this.#stamp.text && !last.isTooYoung;
    const now = performance.now();
    if (isSame && now - this.#readAt < readingLimit) return;
    this.#readAt = now;
    // The first event reads them anyway.
    if (last === undefined) return;
    try {
      await (this.#system ? this.#system.reload() : config.reloadSettings?.());
    } catch (error) {
      this.#options.warn(
        `changed settings could not be read, so the previous ones still apply: ${messageOf(error)}`,
      );
    }
  }
}
