import { isDeepStrictEqual } from 'node:util';
import { createActor, fromPromise, waitFor } from 'xstate';
import { durableHookMachine } from '../../machines/durable-hook.ts';
import { hookEventMachine } from '../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import {
  toolCallMachine,
  type ToolCallContext,
  type ToolCallInput,
  type ToolCallOutcome,
  type ToolCallPorts,
  type ToolInput,
} from '../../machines/tool-call.ts';
import { hookResult, isUnready, readyHookSystem } from '../core/calls/event-hooks.ts';
import {
  endedToolCall,
  type ExecuteTool,
  toolCallInput,
  type ToolCallOptions,
  type ToolCallRequest,
} from '../core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import { cancelOnAbort, hookProcess, onlyWatching } from '../core/run/run-machine.ts';
import { observed, observedSession } from '../core/run/telemetry.ts';
import { errorResult } from '../core/protocol/tool-result.ts';
import { type Approval, type Approvals, isIntact, loadRisk } from './approvals.ts';
import { answerOf } from './answer-of.ts';
import type { CallRow } from './database/calls.ts';
import { Effects, type LegTool, toolEffect } from './effects.ts';
import { contextOf, type Judged, judgedOf, saidOf } from './judged.ts';
import { type Lease, LeaseLost } from './database/effects.ts';
import { Ledger } from './ledger.ts';
import type { EndedCall } from './outcome.ts';
import type { Notices } from './notices.ts';
import { policyOf } from './policy.ts';
import { whenReachable } from './database/postgres.ts';
import type { CallStore } from './database/store.ts';

/** What a host needs to work on calls. */
export interface LegParts {
  readonly store: CallStore;
  readonly approvals: Approvals;
  readonly notices: Notices;
  readonly config: HookSystemConfig;
  /** How long a question waits for its answer, in ms. */
  readonly expiresAfter: number;
}

/** The tool of the call that a leg works on, and what its hooks are told besides the call. */
export interface GivenTool extends LegTool {
  readonly options: Pick<
    ToolCallOptions,
    'invokedBy' | 'notOffered' | 'toolCallId' | 'transcriptPath' | 'cwd'
  >;
}

/** Finds the tool of a call. */
export type ToolOf = (request: ToolCallRequest, signal: AbortSignal) => GivenTool;

/** How a leg may be ended before its call has ended. */
export interface LegSignals {
  /** The caller gives the call up, which ends as cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** The host has lost its session: nothing that it still does counts. */
  readonly lost: AbortSignal;
}

/** Whether the arguments that were shown are still those that the hooks judged. */
const isAsJudged = (approval: Approval, { toolInput }: Judged): boolean =>
  isIntact(approval) && approval.shown === JSON.stringify(toolInput);

/** The highest number of attempts: a call is given up after this many hosts did not survive it. */
const mostAttempts = 10;

/**
 * Works on a call that this host has taken, until its hooks have judged it and someone must be asked, or to
 * its end. The result is in the database when this resolves; if the call has ended, the outcome of its
 * machine is returned.
 *
 * @throws {LeaseLost} if the call was taken over
 */
export async function runLeg(
  parts: LegParts,
  row: CallRow,
  toolOf: ToolOf,
  signals: LegSignals,
): Promise<ToolCallOutcome | undefined> {
  const { store } = parts;
  const lease: Lease = { call: row.id, number: row.lease, host: row.host ?? '' };
  const abort = new AbortController();
  const effects = new Effects(new Ledger(store, lease, row.workspace, signals.lost), (error) =>
    abort.abort(error),
  );
  const lose = (): void => effects.break(new LeaseLost('The host has lost its lease.'));
  if (signals.lost.aborted) lose();
  signals.lost.addEventListener('abort', lose);
  try {
    const signal = signals.signal ? AbortSignal.any([signals.signal, abort.signal]) : abort.signal;
    const leg = new Leg(parts, row, lease, effects, toolOf, signal, signals.lost);
    if (row.attempts > mostAttempts) return await leg.giveUp();
    return await (row.judged === null ? leg.judge() : leg.resume(JSON.parse(row.judged) as Judged));
  } finally {
    signals.lost.removeEventListener('abort', lose);
  }
}

class Leg {
  readonly #parts: LegParts;
  readonly #row: CallRow;
  readonly #lease: Lease;
  readonly #effects: Effects;
  readonly #toolOf: ToolOf;
  readonly #signal: AbortSignal;
  readonly #lost: AbortSignal;
  readonly #request: ToolCallRequest;

  constructor(
    parts: LegParts,
    row: CallRow,
    lease: Lease,
    effects: Effects,
    toolOf: ToolOf,
    signal: AbortSignal,
    lost: AbortSignal,
  ) {
    this.#parts = parts;
    this.#row = row;
    this.#lease = lease;
    this.#effects = effects;
    this.#toolOf = toolOf;
    this.#signal = signal;
    this.#lost = lost;
    const input = JSON.parse(row.input) as ToolCallRequest['input'];
    this.#request = { id: row.id, name: row.tool, input };
  }

  /** Ends the call, which is not attempted again. */
  async giveUp(): Promise<undefined> {
    const { attempts, id } = this.#row;
    await this.#end({
      id,
      status: 'failed',
      toolInput: this.#request.input,
      toolResult: errorResult(
        `Given up: ${attempts - 1} times a host ended while it worked on this call. To see whether the tool ran: hookmachine durable audit ${id}`,
        'gave_up',
      ),
    });
  }

  /**
   * The first leg: the hooks before the tool judge the call. If it is repeated, it finds what was recorded.
   */
  async judge(): Promise<ToolCallOutcome | undefined> {
    const changed = await this.#keepPolicy();
    if (changed !== undefined) {
      await this.#end(changed);
      return undefined;
    }
    const input = await this.#input();
    const actor = createActor(machineOf(this.#effects), {
      input,
      ...this.#inspection(),
    });
    const outcome = await this.#run(actor);
    if (outcome !== undefined) {
      await this.#end(this.#ended(outcome));
      return outcome;
    }
    const { context } = actor.getSnapshot();
    await this.#suspend(context);
    actor.stop();
    return undefined;
  }

  /** The second leg: the question was answered, and the arguments are those that were shown. */
  async resume(judged: Judged): Promise<ToolCallOutcome | undefined> {
    const approval = await this.#reach(() => this.#parts.approvals.of(this.#row.id));
    if (approval?.answer === undefined) throw new Error(`${this.#row.id} was not answered`);
    await this.#keepPolicy();
    if (approval.answer.decision === 'approved' && !isAsJudged(approval, judged)) {
      await this.#end({
        id: this.#row.id,
        status: 'blocked',
        toolInput: judged.toolInput,
        toolResult: errorResult(
          `The arguments of ${approval.id} were changed in the database after the hooks had judged them, so what was approved is not what would run. The tool did not run. Make the call again.`,
          'approval_altered',
        ),
      });
      return undefined;
    }
    const { edited } = approval;
    if (approval.answer.decision === 'approved' && edited !== undefined)
      return this.#judgeEdited(approval, edited);
    const input = await this.#input();
    const machine = machineOf(this.#effects);
    const { id, toolName, ports } = input;
    const context: ToolCallContext = {
      id,
      toolName,
      ports,
      ...contextOf(judged),
      toolInput: JSON.parse(approval.shown) as ToolCallContext['toolInput'],
    };
    const actor = createActor(machine, {
      snapshot: machine.resolveState({ value: 'asking', context }),
      input,
      ...this.#inspection(),
    });
    const outcome = await this.#run(actor, () => actor.send(answerOf(approval)));
    if (outcome !== undefined) await this.#end(this.#ended(outcome));
    return outcome;
  }

  /**
   * Has the hooks judge the arguments that somebody has changed with their approval. A denial denies the call; who
   * approved these arguments has answered whatever the hooks ask about them.
   */
  async #judgeEdited(approval: Approval, edited: string): Promise<ToolCallOutcome> {
    this.#effects.judgeAgain('edited');
    const toolInput = JSON.parse(edited) as ToolCallRequest['input'];
    const input = await this.#input({ ...this.#request, input: toolInput }, approval);
    const actor = createActor(machineOf(this.#effects), { input, ...this.#inspection() });
    const outcome =
      (await this.#run(actor)) ?? (await this.#run(actor, () => actor.send(answerOf(approval))))!;
    await this.#end(this.#ended(outcome));
    return outcome;
  }

  /** Runs a machine until it has ended or waits for an answer; in the latter case returns undefined. */
  async #run(
    actor: ReturnType<typeof createActor<typeof toolCallMachine>>,
    begin: () => void = () => undefined,
  ): Promise<ToolCallOutcome | undefined> {
    actor.start();
    const stopListening = cancelOnAbort(actor, this.#signal);
    begin();
    const { output } = await waitFor(
      actor,
      (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('suspended'),
    ).finally(stopListening);
    await this.#effects.started();
    if (this.#effects.broken) throw this.#effects.broken.error;
    return output;
  }

  #inspection() {
    const { inspect } = observed(this.#parts.config);
    return inspect ? { inspect: onlyWatching(inspect) } : {};
  }

  async #input(request = this.#request, approved?: Approval): Promise<ToolCallInput> {
    const { config } = this.#parts;
    const { session } = this.#row;
    const ready = await readyHookSystem(config);
    const found = this.#toolOf(request, this.#signal);
    const tool = approved ? { ...found, execute: onlyAs(approved, request.input, found.execute) } : found; // prettier-ignore
    const sessionId = session ?? undefined;
    const input = toolCallInput(config, ready, request, this.#effects.tool(tool), {
      ...tool.options,
      asks: 'where a hook wants it',
      // Someone can be asked; the approvals keep track of who is.
      confirm: () => false,
      sessionId,
    });
    return { ...input, ...observedSession(config, sessionId), ports: this.#ports(input.ports) };
  }

  /** The hooks of a call, each as an effect. No question is asked here. */
  #ports(ports: ToolCallPorts): ToolCallPorts {
    const effects = this.#effects;
    const { hooksBefore, hooksOnPermission, hooksOnFailure, hooksAfter } = ports;
    return {
      ...ports,
      hooksBefore: hooksBefore && ((...given) => effects.event(hooksBefore(...given))),
      hooksOnPermission:
        hooksOnPermission && ((...given) => effects.event(hooksOnPermission(...given))),
      hooksOnFailure: hooksOnFailure && ((...given) => effects.event(hooksOnFailure(...given))),
      hooksAfter: hooksAfter && ((...given) => effects.event(hooksAfter(...given))),
      ask: () => undefined,
    };
  }

  /** Records what the call is judged by. If hooks had begun to judge it by another policy, the call ends. */
  async #keepPolicy(): Promise<EndedCall | undefined> {
    const { config, store } = this.#parts;
    const ready = await readyHookSystem(config);
    const isReady = ready !== undefined && !isUnready(ready);
    const system = isReady ? config.getHookSystem() : undefined;
    const policy = await policyOf(config, system);
    const { policy: judgedBy, judged, id } = this.#row;
    if (judged === null && judgedBy !== null && judgedBy !== policy.digest) {
      const claimed = await this.#reach(() => store.claimedEffects(id));
      const isBegun = claimed.includes(toolEffect);
      const what = isBegun
        ? 'after its tool had started and its host had ended. It may have run, in whole or in part, and not all hooks checked its result. Check the current state before you try again.'
        : 'while this call was being judged, after a host had ended: it was not run. Make the call again.';
      if (claimed.length > 0)
        return {
          id,
          status: 'blocked',
          toolInput: this.#request.input,
          toolResult: errorResult(`The hooks changed ${what}`, 'policy_changed'),
        };
    }
    await this.#reach(() => store.keepPolicy(this.#lease, policy, judged !== null));
    return undefined;
  }

  async #suspend(context: ToolCallContext): Promise<void> {
    const { store, config, expiresAfter } = this.#parts;
    const { riskOf } = await loadRisk();
    const reason = hookResult(context.before)?.verdict.reason;
    const hooks = saidOf(context);
    const judged = judgedOf(context);
    const question = {
      judged: JSON.stringify(judged),
      shown: JSON.stringify(judged.toolInput),
      asked: JSON.stringify({ ...(reason !== undefined && { reason }), hooks }),
      risk: await riskOf(this.#row.tool, judged.toolInput, config.getWorkingDir()),
      expiresAfter,
    };
    await this.#reach(() => store.suspend(this.#lease, question));
    await this.#reach(() => this.#parts.notices.tell(this.#row.id));
  }

  #ended(outcome: ToolCallOutcome): EndedCall {
    const { toolResult, stop, notice } = endedToolCall(outcome);
    return {
      id: this.#row.id,
      status: outcome.status,
      ...(outcome.status === 'refused' && { by: outcome.by }),
      toolInput: outcome.toolInput,
      toolResult,
      ...(stop && { stop }),
      ...(notice !== undefined && { notice }),
    };
  }

  #end(ended: EndedCall): Promise<void> {
    return this.#reach(() => this.#parts.store.end(this.#lease, JSON.stringify(ended)));
  }

  /** Waits for a database that is away, as long as the host has its lease. */
  #reach<Made>(work: () => Promise<Made>): Promise<Made> {
    return whenReachable(work, this.#lost);
  }
}

/** A tool that runs only with the arguments that somebody has approved, and not as a hook has changed them. */
const onlyAs =
  ({ id }: Approval, approved: ToolInput, execute: ExecuteTool): ExecuteTool =>
  async (given, signal) =>
    isDeepStrictEqual(given, approved)
      ? execute(given, signal)
      : errorResult(
          `A hook changed the arguments with which ${id} was approved, so what was approved is not what would run. The tool did not run.`,
          'approval_altered',
        );

/** The machine of a tool call whose hooks are started at most once. */
function machineOf(effects: Effects): typeof toolCallMachine {
  const durableHook = durableHookMachine.provide({
    actors: {
      claim: fromPromise(({ input }: { input: string }) => effects.claimHook(input)),
      hookProcess,
      record: fromPromise(({ input }: { input: { effect: string; outcome: HookProcessOutcome } }) =>
        effects.recordHook(input.effect, input.outcome),
      ),
    },
  });
  const hookEvent = hookEventMachine.provide({
    // It takes the same input as the machine of a hook, and ends with the same output.
    actors: { hookProcess: durableHook as unknown as typeof hookProcess },
  });
  return toolCallMachine.provide({ actors: { hookEvent } });
}
