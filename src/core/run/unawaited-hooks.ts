import type { HookProcessInput, HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { NamedAnswer } from '../answers/answer.ts';
import { emptyVerdict, joinTexts } from '../answers/merge-effects.ts';
import type { Verdict } from '../answers/verdict.ts';
import { hookPointOf } from '../points/hook-points.ts';
import { errorOf } from '../../base/message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import { defined } from '../../base/json.ts';
import type { HookExecutionResult } from '../answers/results.ts';
import { hookProcess, runMachine } from './run-machine.ts';
import type { InspectObserver } from '../host/config.ts';

/** How many answers are kept for a session's next turn; a session may have no next turn. */
const mostKept = 100;

interface StartOptions {
  readonly inspect?: InspectObserver;
  /** Runs the hook elsewhere. */
  readonly outlive?: ((hook: HookProcessInput) => Promise<void>) | undefined;
}

/**
 * Hooks that nobody waits for: they outlive their events, and what they say is reported with the next turn.
 */
export class UnawaitedHooks {
  readonly #running = new Set<AbortController>();
  /** By session, in the order in which hooks ended. */
  readonly #said = new Map<string, NamedAnswer[]>();

  /** Starts a hook as a separate actor. If its end cannot be interpreted, the hook has failed. */
  start(
    input: HookProcessInput,
    onEnd: (outcome: HookProcessOutcome) => HookExecutionResult | undefined,
    { outlive, ...observed }: StartOptions,
  ): void {
    if (outlive) {
      void outlive(input).catch((error: unknown) =>
        onEnd({ status: 'failed', error: errorOf(error) }),
      );
      return;
    }
    const abort = new AbortController();
    this.#running.add(abort);
    const end = (outcome: HookProcessOutcome): void => {
      this.#running.delete(abort);
      const answer = onEnd(outcome);
      if (answer?.status === 'ok') this.#keep(input.outlives?.sessionId ?? '', answer);
    };
    void runMachine(hookProcess, input, { signal: abort.signal, ...observed }).then(
      end,
      (error: unknown) => end({ status: 'failed', error: errorOf(error) }),
    );
  }

  /**
   * Whether there is something to report with an event of this session, or of any session while it is not
   * known yet.
   */
  hasSaid(event: HookEventName, sessionId: string | undefined): boolean {
    return (
      this.#said.size > 0 &&
      hookPointOf(event).tellsLate !== undefined &&
      (sessionId === undefined || this.#said.has(sessionId))
    );
  }

  /** Returns what there is to report with an event of this session, once; it decides nothing. */
  take(event: HookEventName, sessionId: string): Verdict | undefined {
    const { tellsLate } = hookPointOf(event);
    const said = tellsLate && this.#said.get(sessionId);
    if (said === undefined) return undefined;
    this.#said.delete(sessionId);
    const context = textsOf('context', said);
    const message = textsOf('message', said);
    const notice = textsOf('notice', said);
    return defined<Verdict>({
      ...emptyVerdict,
      ...(tellsLate === 'context'
        ? { context, message }
        : { message: joinTexts([context, message]) }),
      notice,
    });
  }

  /** Ends the hooks that still run. */
  end(): void {
    for (const abort of this.#running) abort.abort('the host ended before the hook had');
  }

  #keep(sessionId: string, answer: HookExecutionResult): void {
    const named = { hook: answer.hook.name, answer };
    if (kinds.every((kind) => textsOf(kind, [named]) === undefined)) return;
    const said = this.#said.get(sessionId) ?? [];
    said.push(named);
    if (said.length > mostKept) said.shift();
    this.#said.set(sessionId, said);
  }
}

/** What can be reported later. */
const kinds = ['context', 'message', 'notice'] as const;

const textsOf = (kind: (typeof kinds)[number], said: readonly NamedAnswer[]): string | undefined =>
  joinTexts(
    said.flatMap(({ answer }) =>
      answer.effects.map((effect) => (effect.kind === kind ? effect.text : undefined)),
    ),
  );
