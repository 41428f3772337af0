import { createHash } from 'node:crypto';
import type { HookAnswer, HookEventInput, PlannedHook } from '../../machines/hook-event.ts';
import type { ToolInput } from '../../machines/tool-call.ts';
import type { DurableHookInput, HookClaim } from '../../machines/durable-hook.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { ExecuteTool } from '../core/calls/run-tool-call.ts';
import { failedResult } from '../core/calls/tool-effects.ts';
import { messageOf } from '../base/message-of.ts';
import { errorResult, type ToolResult } from '../core/protocol/tool-result.ts';
import type { RegisteredHook } from '../core/definitions/hook-definition.ts';
import type { HookExecutionResult, EventVerdict } from '../core/answers/results.ts';
import { cutOffOutcome, isUnheard, outcomeFrom, outcomeText } from './hook-outcome.ts';
import type { Ledger } from './ledger.ts';

/** The tool of a call, as a leg uses it. */
export interface LegTool {
  /** If someone else runs the tool: resolves when they are about to. */
  readonly starts?: (toolInput: ToolInput) => Promise<void>;
  readonly execute: ExecuteTool;
  /** Whether the tool may safely run once more after it was cut off. */
  readonly isIdempotent: boolean;
}

/** Thrown by a tool that has done nothing and will be started again. */
export const interruption = new Error('The tool was interrupted.');

/** One attempt to run the tool; undefined if it was interrupted. */
type Attempt = (...given: Parameters<ExecuteTool>) => Promise<ToolResult | undefined>;

/**
 * The effects of one leg of a call: each hook and the tool, at most once. Once the ledger has failed, nothing
 * that this leg does counts any more: a guard that could not be claimed must not be skipped.
 */
export class Effects {
  readonly #ledger: Ledger;
  readonly #abort: (error: unknown) => void;
  readonly #starting = new Set<Promise<void>>();
  /** The effects that may be started once more if they were cut off. */
  readonly #idempotent = new Set<string>();
  #broken: { readonly error: unknown } | undefined;
  /** What the names of the hooks' effects begin with. */
  #round = '';

  /** `abort` is called when the leg must end. */
  constructor(ledger: Ledger, abort: (error: unknown) => void) {
    this.#ledger = ledger;
    this.#abort = abort;
  }

  /** Why this leg no longer counts; undefined while it does. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#broken;
  }

  /** Declares that nothing of this leg counts from now on. */
  break(error: unknown): void {
    if (this.#broken) return;
    this.#broken = { error };
    this.#abort(error);
  }

  /** Has the hooks judge once more: what they do from now on are other effects. */
  judgeAgain(round: string): void {
    this.#round = `${round}/`;
  }

  /** Resolves once every hook that nobody waits for was started, or is known to have been started. */
  async started(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /**
   * Names the effect of each hook of an event, and turns a hook that was cut off before the tool into a
   * question.
   */
  event(input: HookEventInput): HookEventInput {
    const prepared = new Set<PlannedHook>();
    const nameOf = (hook: PlannedHook): string =>
      `${this.#round}${input.event}/${input.hooks.indexOf(hook)}/${shortName(hook.name)}`;
    const { rules, unawaited } = input;
    return {
      ...input,
      ...(unawaited && {
        unawaited: {
          ...unawaited,
          start: (hook, payload) => {
            const starting = this.#startUnawaited(nameOf(hook), () =>
              unawaited.start(hook, payload),
            ).finally(() => this.#starting.delete(starting));
            this.#starting.add(starting);
          },
        },
      }),
      rules: {
        ...rules,
        prepare: (hook, payload): DurableHookInput => {
          const effect = prepared.has(hook) ? `${nameOf(hook)}/recheck` : nameOf(hook);
          prepared.add(hook);
          if ((hook as RegisteredHook).idempotent) this.#idempotent.add(effect);
          return { ...rules.prepare(hook, payload), effect };
        },
        read: (hook, outcome, payload, first) => {
          const answer = rules.read(hook, outcome, payload, first);
          const mayAsk = input.event === 'BeforeTool' && answer.decision !== 'deny';
          // Somebody has approved changed arguments, but not that a hook does not judge them.
          const instead = this.#round === '' ? 'ask' : 'deny';
          return isUnheard(outcome) && mayAsk
            ? answerInstead(hook, answer, outcome, instead)
            : answer;
        },
        // Someone can be asked, so an `ask` never counts as consent, in any dialect.
        merge: (answers, payload) => {
          const verdict = rules.merge(answers, payload) as EventVerdict;
          const isAsked = verdict.result.verdict.decision === 'ask';
          const isOpen = !verdict.blocked && !verdict.stop && verdict.defer !== true;
          return isAsked && isOpen ? { ...verdict, ask: true, approved: false } : verdict;
        },
      },
    };
  }

  /** Decides whether a hook may start, for the machine of a durable hook. */
  claimHook(effect: string): Promise<HookClaim> {
    return this.#whole(async () => {
      const claim = await this.#ledger.claim(effect);
      switch (claim.status) {
        case 'claimed':
          return { status: 'claimed' };
        case 'recorded':
          return { status: 'recorded', outcome: outcomeFrom(claim.outcome) };
        case 'cutOff': {
          const mayRunAgain = this.#idempotent.has(effect);
          if (mayRunAgain && (await this.#ledger.claimAgain(effect, claim.token)) !== undefined)
            return { status: 'claimed' };
          const text = outcomeText(cutOffOutcome(claim.host));
          return {
            status: 'recorded',
            outcome: outcomeFrom(await this.#ledger.record(effect, text)),
          };
        }
      }
    });
  }

  /** Records the outcome of a hook. If one is already recorded, that one counts. */
  recordHook(effect: string, outcome: HookProcessOutcome): Promise<HookProcessOutcome> {
    return this.#whole(async () =>
      outcomeFrom(await this.#ledger.record(effect, outcomeText(outcome))),
    );
  }

  /** Runs the tool at most once, or once more after it was cut off if that is safe. */
  tool({ starts, execute, isIdempotent }: LegTool): ExecuteTool {
    const attempt: Attempt = (input, signal) =>
      this.#whole(async () => {
        const claim = await this.#ledger.claim(toolEffect);
        if (claim.status === 'claimed') return run(input, signal);
        if (claim.status === 'recorded') return JSON.parse(claim.outcome) as ToolResult;
        const mayRunAgain = isIdempotent || claim.isInterrupted;
        if (mayRunAgain && (await this.#ledger.claimAgain(toolEffect, claim.token)) !== undefined)
          return run(input, signal);
        const unknown = errorResult(
          `It is unknown whether the tool ran: its host ${claim.host} ended in the meantime. It may have run, in whole or in part, and is not started again. Check the current state before you try again.`,
          'cut_off',
        );
        return this.#recorded(unknown);
      });
    const begin: ExecuteTool = async (input, signal) => {
      // It may have been cancelled while it was being claimed.
      signal.throwIfAborted();
      return execute(input, signal);
    };
    const run: Attempt = async (input, signal) => {
      const outcome = await begin(input, signal).then(
        (result) => ({ result }),
        (error: unknown) => (error === interruption ? undefined : { result: failedResult(error) }),
      );
      this.#assertWhole();
      if (outcome) return this.#recorded(outcome.result);
      await this.#ledger.interrupt(toolEffect);
      return undefined;
    };
    return async (input, signal) => {
      for (;;) {
        await starts?.(input);
        const result = await attempt(input, signal);
        if (result) return result;
      }
    };
  }

  /** Records the result of the tool. If one is already recorded, that one counts. */
  async #recorded(result: ToolResult | undefined): Promise<ToolResult> {
    const text = textOf(result);
    const recorded = await this.#ledger.record(toolEffect, text.json);
    return recorded === text.json && text.isWhole && result
      ? result
      : (JSON.parse(recorded) as ToolResult);
  }

  async #startUnawaited(effect: string, start: () => void): Promise<void> {
    try {
      const claim = await this.#ledger.claim(effect);
      if (claim.status !== 'claimed') return;
      start();
      await this.#ledger.record(effect, JSON.stringify({ status: 'started' }));
    } catch (error) {
      this.break(error);
    }
  }

  #assertWhole(): void {
    if (this.#broken) throw this.#broken.error;
  }

  /** Runs a ledger operation; if it fails, the leg no longer counts. */
  async #whole<Made>(work: () => Promise<Made>): Promise<Made> {
    this.#assertWhole();
    try {
      return await work();
    } catch (error) {
      this.break(error);
      throw error;
    }
  }
}

/** The name of the tool's own effect. */
export const toolEffect = 'tool';

/** Part of a key whose length is limited; the position in the plan distinguishes hooks with the same name. */
const shortName = (name: string): string =>
  name.length <= 100
    ? name
    : `${name.slice(0, 80)}…${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;

/** The answer of a hook whose decision cannot be known: someone must be asked, or it counts as a denial. */
function answerInstead(
  hook: PlannedHook,
  answer: HookAnswer,
  outcome: HookProcessOutcome,
  decision: 'ask' | 'deny',
): HookAnswer {
  const why =
    outcome.status === 'failed' ? outcome.error.message : 'it was cancelled before it had answered';
  const reason = `Hook "${shortName(hook.name)}" was cut off: ${why}.`;
  return {
    ...(answer as HookExecutionResult),
    status: 'ok',
    decision,
    reason,
    effects: [],
    output: { decision, reason },
  } as HookAnswer;
}

function textOf(result: ToolResult | undefined): { json: string; isWhole: boolean } {
  try {
    return {
      json: JSON.stringify(result ?? { llmContent: '', returnDisplay: '' }),
      isWhole: true,
    };
  } catch (error) {
    const unknown = `The tool ran, but its result has no JSON form: ${messageOf(error)}`;
    return { json: JSON.stringify(errorResult(unknown, 'no_json')), isWhole: false };
  }
}
