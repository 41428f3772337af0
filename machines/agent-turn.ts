import { assign, enqueueActions, fromPromise, sendTo, setup, stopChild } from 'xstate';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';
import type { ModelCallInput, ModelCallOutcome, modelCallMachine } from './model-call.ts';
import type { ToolCallInput, ToolCallOutcome, toolCallMachine } from './tool-call.ts';

/** A tool call the model asked for; opaque to the machine. */
export type WantedToolCall = object;

/** A wish to end the agent, and why. */
export interface TurnStop {
  readonly reason: string;
}

/** The result of one model call, as far as the turn must know it. */
export type ModelStep =
  | {
      readonly status: 'answered';
      readonly calls: readonly WantedToolCall[];
      readonly stop?: TurnStop;
    }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'cancelled' };

/**
 * How a tool call of the turn ended; `broken` when its machine broke, `unstarted` when the turn ended first.
 */
export type ToolCallEnd =
  | ToolCallOutcome
  | { readonly status: 'broken'; readonly error: unknown }
  | { readonly status: 'unstarted'; readonly reason: string };

/** A tool call that has ended, as far as the turn must know it. */
export interface EndedToolStep {
  readonly stop?: TurnStop;
  /** It waits for an answer that may come long after the turn. */
  readonly isSuspended?: true;
}

/** A tool call that is kept beyond the process, with how far it got. */
export interface KeptToolStep {
  readonly status: 'kept';
  readonly ended: EndedToolStep;
}

/** The hooks of a turn. */
export interface AgentTurnHooks {
  /** The hooks planned for the prompt; absent when there are none. */
  readonly before?: () => HookEventInput;
  /**
   * The hooks planned for the answer; absent when there are none. `rejections` is how often hooks have
   * already sent the agent on in this turn.
   */
  readonly after?: (rejections: number) => HookEventInput;
}

/** What the engine does for a turn; the engine keeps the history. */
export interface AgentTurnPorts {
  /** Prepares the hooks and plans those of the turn. */
  readonly planHooks: () => Promise<AgentTurnHooks>;
  /** Adds the prompt to the conversation, with what the hooks add to it. */
  acceptPrompt(before: HookEventOutcome | undefined): void;
  /**
   * Settles when the model is to be asked; present where a framework runs the agent, and says when and with
   * what.
   */
  readonly nextRequest?: () => Promise<void>;
  /** Adds what the hooks say about the answer, or want done next, to the conversation as the next prompt. */
  sendOn(after: HookEventOutcome): void;
  /** Why a hook stops the agent. */
  stopOf(outcome: HookEventOutcome): TurnStop;
  /** The next call of the model, with the conversation as it is now. */
  modelCall(): ModelCallInput;
  /** Returns what a model call means for the turn. */
  readAnswer(outcome: ModelCallOutcome): ModelStep;
  /** Adds the model's answer to the conversation. */
  takeAnswer(step: ModelStep): void;
  /** Reports the calls that the model wants. */
  reportCalls(calls: readonly WantedToolCall[]): void;
  /**
   * Runs one call until it ends, or until it asks a question that is answered elsewhere; present when calls
   * are kept beyond the process.
   */
  readonly runKeptCall?: (call: WantedToolCall) => Promise<KeptToolStep>;
  /** A tool call that is about to begin. */
  toolCall(call: WantedToolCall): ToolCallInput;
  /** Returns what a tool call that has ended means for the turn. */
  readResult(call: WantedToolCall, end: ToolCallEnd): EndedToolStep;
  /** Reports the calls that have ended, in the order they were requested. */
  reportResults(ended: readonly (EndedToolStep | undefined)[]): void;
  /**
   * Adds the results of all calls to the conversation; for a suspended turn, only of those that have ended.
   */
  takeResults(ended: readonly (EndedToolStep | undefined)[], isSuspended: boolean): void;
}

export interface AgentTurnInput {
  /** The session that the turn belongs to, if somebody is watching. */
  readonly sessionId?: string;
  /** What the user said, for those who watch. */
  readonly prompt?: string;
  readonly ports: AgentTurnPorts;
  /** The calls of a suspended turn that this turn continues; its prompt was accepted back then. */
  readonly resumed?: readonly WantedToolCall[];
  /** How many model calls the turn may take. */
  readonly maxSteps: number;
  /** How often in a turn AfterAgent hooks may send the agent on. */
  readonly maxRejections: number;
  /** How many tool calls may run at once. */
  readonly toolLimit: number;
}

/** How a turn ended. */
export type AgentTurnOutcome = { readonly steps: number } &
  /** `overruled`: the hooks wanted more after the last answer too, but may not continue forever. */
  (
    | { readonly status: 'finished'; readonly overruled: boolean }
    | { readonly status: 'blocked'; readonly before: HookEventOutcome; readonly stop?: TurnStop }
    | { readonly status: 'stopped'; readonly by: 'hook' | 'limit'; readonly reason: string }
    | { readonly status: 'suspended' }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'cancelled'; readonly reason: string }
  );

export interface AgentTurnContext {
  readonly ports: AgentTurnPorts;
  readonly maxSteps: number;
  readonly maxRejections: number;
  readonly hooks: AgentTurnHooks;
  readonly resumed: readonly WantedToolCall[];
  /** Model calls begun. */
  readonly steps: number;
  readonly rejections: number;
  readonly before?: HookEventOutcome;
  readonly after?: HookEventOutcome;
  readonly step?: ModelStep;
  /**
   * The tool calls that the model wants, how many of them have begun, and those that have ended, by position.
   */
  readonly calls: readonly WantedToolCall[];
  readonly begun: number;
  readonly ended: readonly (EndedToolStep | undefined)[];
  /** The positions of the running calls. An actor is named by its slot, so that there are few names. */
  readonly slots: readonly (number | undefined)[];
  readonly stop?: TurnStop | undefined;
  readonly failure?: { readonly error: unknown };
  readonly cancelReason?: string;
  readonly limitReached?: string;
  /** Calls of the last answer wait for answers, and nothing else ends the turn. */
  readonly isSuspended: boolean;
  readonly overruled: boolean;
}

/** One turn of the agent: it asks the model and runs the tools the model wants until it wants no more. */
export const agentTurnMachine = setup({
  types: {
    context: {} as AgentTurnContext,
    events: {} as
      | {
          type: `xstate.done.actor.tool.${number}`;
          output: ToolCallOutcome | KeptToolStep;
          actorId: string;
        }
      | { type: `xstate.error.actor.tool.${number}`; error: unknown; actorId: string }
      | { type: 'cancel'; reason: string },
    input: {} as AgentTurnInput,
    output: {} as AgentTurnOutcome,
    children: {} as {
      hooks: 'planHooks';
      request: 'nextRequest';
      beforeHooks: 'hookEvent';
      modelCall: 'modelCall';
      [tool: `tool.${number}`]: 'toolCall' | 'keptToolCall';
      afterHooks: 'hookEvent';
    },
    tags: {} as 'hooks' | 'work' | 'ended',
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    modelCall: {} as typeof modelCallMachine,
    toolCall: {} as typeof toolCallMachine,
    keptToolCall: fromPromise<
      KeptToolStep,
      { run: NonNullable<AgentTurnPorts['runKeptCall']>; call: WantedToolCall }
    >(({ input: { run, call } }) => run(call)),
    planHooks: fromPromise<AgentTurnHooks, AgentTurnPorts['planHooks']>(({ input }) => input()),
    nextRequest: fromPromise<void, NonNullable<AgentTurnPorts['nextRequest']>>(({ input }) =>
      input(),
    ),
  },
  actions: {
    keepHooks: assign({ hooks: (_, hooks: AgentTurnHooks | undefined) => hooks ?? {} }),
    keepBefore: assign({
      before: (_, outcome: HookEventOutcome) => outcome,
      stop: ({ context }, outcome: HookEventOutcome) =>
        outcome?.verdict.stop ? context.ports.stopOf(outcome) : undefined,
    }),
    keepAfter: assign({
      after: (_, outcome: HookEventOutcome) => outcome,
      stop: ({ context }, outcome: HookEventOutcome) =>
        outcome?.verdict.stop ? context.ports.stopOf(outcome) : undefined,
    }),
    acceptPrompt: ({ context }) => context.ports.acceptPrompt(context.before),
    sendOn: ({ context: { ports, after } }) => after && ports.sendOn(after),
    countRejection: assign({ rejections: ({ context }) => context.rejections + 1 }),
    noteOverruled: assign({ overruled: true }),
    countStep: assign({ steps: ({ context }) => context.steps + 1 }),
    readAnswer: assign(({ context }, outcome: ModelCallOutcome) => {
      const step = context.ports.readAnswer(outcome);
      return {
        step,
        ...(step.status === 'answered' && { stop: step.stop }),
        ...(step.status === 'failed' && { failure: { error: step.error } }),
      };
    }),
    takeAnswer: ({ context: { ports, step } }) => step && ports.takeAnswer(step),
    keepCalls: assign(({ context: { step } }) => {
      const calls = step?.status === 'answered' ? step.calls : [];
      return { calls, begun: 0, ended: calls.map(() => undefined) };
    }),
    takeUpCalls: assign({
      calls: ({ context }) => context.resumed,
      begun: 0,
      ended: ({ context }) => context.resumed.map(() => undefined),
    }),
    reportCalls: ({ context: { ports, calls } }) => ports.reportCalls(calls),
    startCalls: enqueueActions(({ context, enqueue }) => {
      const { ports, calls, slots } = context;
      const run = ports.runKeptCall;
      let { begun } = context;
      const filled = slots.map((place, slot) => {
        const call = calls[begun];
        if (place !== undefined || call === undefined) return place;
        const id = `tool.${slot}` as const;
        if (run) enqueue.spawnChild('keptToolCall', { id, input: { run, call } });
        else enqueue.spawnChild('toolCall', { id, input: ports.toolCall(call) });
        return begun++;
      });
      enqueue.assign({ slots: filled, begun });
    }),
    keepResult: assign(
      ({ context }, { actorId, end }: { actorId: string; end: ToolCallEnd | KeptToolStep }) => {
        const { ports, calls, ended } = context;
        const slot = context.slots.findIndex((_, index) => actorId === `tool.${index}`);
        const place = context.slots[slot];
        if (place === undefined) return {};
        const slots = context.slots.with(slot, undefined);
        const result = end.status === 'kept' ? end.ended : ports.readResult(calls[place]!, end);
        return {
          slots,
          ended: ended.with(place, result),
          ...(result.stop && { stop: result.stop }),
        };
      },
    ),
    reportResults: ({ context: { ports, ended } }) => ports.reportResults(ended),
    endUnstarted: assign({
      ended: ({ context: { ports, calls, ended, cancelReason } }) => {
        const reason = cancelReason ?? 'a hook stopped the agent before this call began';
        return ended.map(
          (end, place) => end ?? ports.readResult(calls[place]!, { status: 'unstarted', reason }),
        );
      },
    }),
    keepStops: assign(({ context: { ended, cancelReason } }) => {
      const reasons = ended.flatMap((end) => end?.stop?.reason ?? []);
      const waits = ended.some((end) => end?.isSuspended);
      const isOver = cancelReason !== undefined || reasons.length > 0;
      return {
        stop: reasons.length > 0 ? { reason: [...new Set(reasons)].join('\n') } : undefined,
        isSuspended: waits && !isOver,
      };
    }),
    takeResults: ({ context: { ports, ended, isSuspended } }) =>
      ports.takeResults(ended, isSuspended),
    closeCalls: assign({ calls: [], ended: [] }),
    keepFailure: assign({ failure: (_, failure: { error: unknown }) => failure }),
    keepLimit: assign({
      limitReached: ({ context }) =>
        `The limit of ${context.maxSteps} model ${context.maxSteps === 1 ? 'call' : 'calls'} was reached.`,
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelBefore: sendTo('beforeHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    cancelModelCall: sendTo('modelCall', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    cancelCalls: enqueueActions(({ context: { slots, cancelReason = '' }, enqueue }) => {
      for (const [slot, place] of slots.entries())
        if (place !== undefined)
          enqueue.sendTo(`tool.${slot}`, { type: 'cancel', reason: cancelReason });
    }),
    cancelAfter: sendTo('afterHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
  },
  guards: {
    hasHooksBefore: ({ context }) => context.hooks.before !== undefined,
    hasHooksAfter: ({ context }) => context.hooks.after !== undefined,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    isDriven: ({ context: { ports, steps, maxSteps } }) =>
      ports.nextRequest !== undefined && steps < maxSteps,
    isResumed: ({ context }) => context.resumed.length > 0,
    isSuspended: ({ context }) => context.isSuspended,
    isDenied: ({ context }) => context.before?.verdict.blocked === true,
    isStopped: ({ context }) => context.stop !== undefined,
    wantsMore: ({ context: { after } }) =>
      after?.verdict.blocked === true || after?.verdict.followUp === true,
    wantsMoreAndMayGoOn: ({ context: { after, rejections, maxRejections, steps, maxSteps } }) =>
      (after?.verdict.blocked === true || after?.verdict.followUp === true) &&
      rejections < maxRejections &&
      steps < maxSteps,
    modelGaveUp: ({ context }) => context.step?.status === 'cancelled',
    hasFailed: ({ context }) => context.failure !== undefined,
    wantsTools: ({ context: { step } }) => step?.status === 'answered' && step.calls.length > 0,
    noneRuns: ({ context: { slots } }) => slots.every((place) => place === undefined),
    mayStart: ({ context: { calls, begun, slots, stop } }) =>
      begun < calls.length && slots.includes(undefined) && stop === undefined,
    hasStepsLeft: ({ context }) => context.steps < context.maxSteps,
  },
}).createMachine({
  id: 'agentTurn',
  description: 'One turn of the agent: the model and the tools it wants, until it is done.',
  context: ({ input }) => ({
    ports: input?.ports,
    maxSteps: Math.max(1, input?.maxSteps ?? 1),
    maxRejections: input?.maxRejections ?? 1,
    hooks: {},
    resumed: input?.resumed ?? [],
    steps: 0,
    rejections: 0,
    calls: [],
    begun: 0,
    ended: [],
    slots: Array.from({ length: Math.max(1, input?.toolLimit ?? 1) }, () => undefined),
    isSuspended: false,
    overruled: false,
  }),
  initial: 'planning',
  states: {
    planning: {
      description: 'The hooks are prepared, and those of the turn are planned.',
      invoke: {
        id: 'hooks',
        src: 'planHooks',
        input: ({ context }) => context.ports.planHooks,
        onDone: {
          target: 'admitting',
          actions: { type: 'keepHooks', params: ({ event }) => event.output },
        },
        onError: {
          target: 'failed',
          actions: { type: 'keepFailure', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    admitting: {
      description:
        'Whether a suspended turn continues, and whether BeforeAgent hooks are configured.',
      always: [
        { guard: 'isResumed', target: 'runningTools', actions: 'takeUpCalls' },
        { guard: 'hasHooksBefore', target: 'beforeAgent' },
        { guard: 'isDriven', target: 'awaitingRequest', actions: 'acceptPrompt' },
        { target: 'callingModel', actions: 'acceptPrompt' },
      ],
    },
    beforeAgent: {
      description: 'BeforeAgent hooks may add to the prompt, forbid it or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.hooks.before!(),
        onDone: {
          target: 'judgingPrompt',
          actions: { type: 'keepBefore', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never blocks; the prompt is used as it is.',
          target: 'judgingPrompt',
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The hooks run; a cancel is passed on to them.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The hooks were asked to end, and are waited for.',
          entry: 'cancelBefore',
        },
      },
    },
    judgingPrompt: {
      description: 'What the hooks decided together.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isDenied', target: 'blocked' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'isDriven', target: 'awaitingRequest', actions: 'acceptPrompt' },
        { target: 'callingModel', actions: 'acceptPrompt' },
      ],
    },
    awaitingRequest: {
      description: 'A framework runs the agent, and says when the model is asked.',
      invoke: {
        id: 'request',
        src: 'nextRequest',
        input: ({ context }) => context.ports.nextRequest!,
        onDone: 'callingModel',
        onError: {
          target: 'failed',
          actions: { type: 'keepFailure', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    callingModel: {
      description: 'One model call, with its hooks.',
      tags: 'work',
      entry: 'countStep',
      invoke: {
        id: 'modelCall',
        src: 'modelCall',
        input: ({ context }) => context.ports.modelCall(),
        onDone: {
          target: 'judgingModelCall',
          actions: [{ type: 'readAnswer', params: ({ event }) => event.output }, 'takeAnswer'],
        },
        onError: {
          target: 'judgingModelCall',
          actions: { type: 'keepFailure', params: ({ event }) => ({ error: event.error }) },
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The call runs; a cancel is passed on to it.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The call was asked to end, and still ends with an outcome.',
          entry: 'cancelModelCall',
        },
      },
    },
    judgingModelCall: {
      description: 'The result of the model and of the hooks around it.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'modelGaveUp', target: 'cancelled' },
        { guard: 'hasFailed', target: 'failed' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'wantsTools', target: 'runningTools', actions: ['keepCalls', 'reportCalls'] },
        { guard: 'hasHooksAfter', target: 'afterAgent' },
        { target: 'finished' },
      ],
    },
    runningTools: {
      description:
        'The tools the model wants run in parallel, each as a toolCall; those that are kept, and those of a framework, run elsewhere.',
      tags: 'work',
      on: {
        'xstate.done.actor.*': {
          actions: [
            {
              type: 'keepResult',
              params: ({ event }) => ({ actorId: event.actorId, end: event.output }),
            },
            'reportResults',
            stopChild(({ event }) => event.actorId),
          ],
        },
        'xstate.error.actor.*': {
          description: 'A call whose machine broke has an error as its result.',
          actions: [
            {
              type: 'keepResult',
              params: ({ event }) => ({
                actorId: event.actorId,
                end: { status: 'broken', error: event.error },
              }),
            },
            'reportResults',
            stopChild(({ event }) => event.actorId),
          ],
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'As many tools run as may run at once; after a stop, no further one starts.',
          always: [
            { guard: 'mayStart', actions: 'startCalls' },
            { guard: 'noneRuns', target: '#agentTurn.judgingTools' },
          ],
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The tools were asked to end, and each still ends with an outcome.',
          entry: 'cancelCalls',
          always: { guard: 'noneRuns', target: '#agentTurn.judgingTools' },
        },
      },
    },
    judgingTools: {
      description: 'The results of the tools and of the hooks around them.',
      entry: ['endUnstarted', 'reportResults', 'keepStops', 'takeResults', 'closeCalls'],
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'isSuspended', target: 'suspended' },
        { guard: 'isDriven', target: 'awaitingRequest' },
        { guard: 'hasStepsLeft', target: 'callingModel' },
        { target: 'stopped', actions: 'keepLimit' },
      ],
    },
    afterAgent: {
      description:
        'AfterAgent hooks may make the agent continue, by a rejection or with follow-ups, or stop it.',
      tags: 'hooks',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.hooks.after!(context.rejections),
        onDone: {
          target: 'judgingAnswer',
          actions: { type: 'keepAfter', params: ({ event }) => event.output },
        },
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          { description: 'A hook phase that breaks rejects nothing.', target: 'finished' },
        ],
      },
      initial: 'running',
      states: {
        running: {
          description: 'The hooks run; a cancel is passed on to them.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The hooks were asked to end, and are waited for.',
          entry: 'cancelAfter',
        },
      },
    },
    judgingAnswer: {
      description: 'What the hooks say about the answer.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStopped', target: 'stopped' },
        {
          guard: 'wantsMoreAndMayGoOn',
          target: 'callingModel',
          actions: ['countRejection', 'sendOn'],
        },
        { guard: 'wantsMore', target: 'finished', actions: 'noteOverruled' },
        { target: 'finished' },
      ],
    },
    finished: {
      type: 'final',
      tags: 'ended',
      description: 'The model answered and wants no more tools.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'finished',
        steps: context.steps,
        overruled: context.overruled,
      }),
    },
    blocked: {
      type: 'final',
      tags: 'ended',
      description: 'A hook forbade the prompt; the model never reads it.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'blocked',
        steps: context.steps,
        before: context.before!,
        ...(context.stop && { stop: context.stop }),
      }),
    },
    stopped: {
      type: 'final',
      tags: 'ended',
      description: 'A hook stopped the agent, or the turn reached its limit of model calls.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'stopped',
        steps: context.steps,
        by: context.limitReached === undefined ? 'hook' : 'limit',
        reason: context.limitReached ?? context.stop?.reason ?? '',
      }),
    },
    suspended: {
      type: 'final',
      tags: 'ended',
      description:
        'Tool calls wait for answers, which may come much later; another turn continues with them.',
      output: ({ context }): AgentTurnOutcome => ({ status: 'suspended', steps: context.steps }),
    },
    failed: {
      type: 'final',
      tags: 'ended',
      description: 'The model could not be asked.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'failed',
        steps: context.steps,
        error: context.failure?.error,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description: 'The user gave up; whatever was running was ended first.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'cancelled',
        steps: context.steps,
        reason: context.cancelReason ?? '',
      }),
    },
  },
  output: ({ event }) => event.output as AgentTurnOutcome,
});
