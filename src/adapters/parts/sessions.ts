import { hasNoHooks } from '../../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { fireEvent } from './fire-event.ts';

/**
 * The most sessions that are remembered. Nobody tells a server that a session has ended, so beyond this the
 * one that was quiet longest ends.
 */
const mostSessions = 1_000;

/** The sessions of an agent that a framework runs, and the events that belong to them. */
export class Sessions {
  readonly #config: HookSystemConfig;
  readonly #notice: (notice: string) => void;
  readonly #begun = new Map<string, Promise<readonly string[]>>();

  /** `notice` receives what hooks say to the user alone. */
  constructor(config: HookSystemConfig, notice: (notice: string) => void) {
    this.#config = config;
    this.#notice = notice;
  }

  /** Fires SessionStart once per session; what its hooks add belongs to the first prompt. */
  async begin(sessionId: string): Promise<readonly string[]> {
    // A server has ever more sessions, so they are remembered only if they have hooks.
    if (hasNoHooks(this.#config, 'SessionStart') && hasNoHooks(this.#config, 'SessionEnd'))
      return [];
    const known = this.#begun.get(sessionId);
    if (known) {
      this.#begun.delete(sessionId);
      this.#begun.set(sessionId, known);
      await known;
      return [];
    }
    const [quietest] = this.#begun;
    if (quietest && this.#begun.size >= mostSessions) {
      this.#begun.delete(quietest[0]);
      void this.#end(quietest, 'other');
    }
    const begun = this.fire('SessionStart', { source: 'startup' }, sessionId, 'startup').then(
      (result) => {
        const context = result?.verdict.context;
        return context === undefined ? [] : [context];
      },
    );
    this.#begun.set(sessionId, begun);
    return begun;
  }

  /** Fires SessionEnd for every session that has begun. */
  async endAll(reason: HookEventFields['SessionEnd']['reason']): Promise<void> {
    const sessions = [...this.#begun];
    this.#begun.clear();
    for (const session of sessions) await this.#end(session, reason);
  }

  async #end(
    [sessionId, begun]: readonly [string, Promise<unknown>],
    reason: HookEventFields['SessionEnd']['reason'],
  ): Promise<void> {
    await begun;
    await this.fire('SessionEnd', { reason }, sessionId, reason);
  }

  /** Fires an event that is not a call; resolves to undefined if no hook matches it. Never rejects. */
  async fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    sessionId: string,
    subject?: string,
    signal?: AbortSignal,
  ): Promise<AggregatedHookResult | undefined> {
    const result = await fireEvent(this.#config, event, fields, { subject, sessionId, signal });
    if (result?.verdict.notice !== undefined) this.#notice(result.verdict.notice);
    return result;
  }
}
