import { assign, fromPromise, sendTo, setup, type AnyActorRef } from 'xstate';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';

/** A tool call the model asked for; opaque to the machine. */
export type WantedToolCall = object;

/** A wish to end the agent, and why. */
export interface TurnStop {
  readonly reason: string;
}

/** What one model call came to. */
export type ModelStep =
  | {
      readonly status: 'answered';
      readonly calls: readonly WantedToolCall[];
      readonly stop?: TurnStop;
    }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'cancelled' };

/** What one batch of tool calls came to. */
export interface ToolStep {
  readonly stop?: TurnStop;
}

/** What the engine does for a turn; it keeps the history. */
export interface AgentTurnPorts {
  /** The hooks planned for the prompt; absent when there are none. */
  readonly hooksBefore?: () => HookEventInput;
  /** The hooks planned for the answer; absent when there are none. `rejections` answers of this turn were not the last already. */
  readonly hooksAfter?: (rejections: number) => HookEventInput;
  /** Takes the prompt into the conversation, with what the hooks add to it. */
  acceptPrompt(before: HookEventOutcome | undefined): void;
  /** Takes what the hooks say of the answer, or want done next, into the conversation as the next prompt. */
  sendOn(after: HookEventOutcome): void;
  /** Why a hook stops the agent. */
  stopOf(outcome: HookEventOutcome): TurnStop;
  /** Asks the model, as a `modelCall` that is a child of `parent`, and takes its answer into the conversation. */
  callModel(parent: AnyActorRef): Promise<ModelStep>;
  /** Runs the calls, each as a `toolCall` that is a child of `parent`, and takes their results into the conversation. */
  runTools(calls: readonly WantedToolCall[], parent: AnyActorRef): Promise<ToolStep>;
  /** Tells what runs to end; it still ends with an outcome. */
  cancelCalls(reason: string): void;
}

export interface AgentTurnInput {
  readonly ports: AgentTurnPorts;
  /** How many model calls the turn may take. */
  readonly maxSteps: number;
  /** How often in a turn AfterAgent hooks may send the agent on. */
  readonly maxRejections: number;
}

/** How a turn ended. */
export type AgentTurnOutcome = { readonly steps: number } &
  /** `overruled`: the hooks wanted more after the last answer too, but may not go on for ever. */
  (
    | { readonly status: 'finished'; readonly overruled: boolean }
    | { readonly status: 'blocked'; readonly before: HookEventOutcome; readonly stop?: TurnStop }
    | { readonly status: 'stopped'; readonly by: 'hook' | 'limit'; readonly reason: string }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'cancelled'; readonly reason: string }
  );

export interface AgentTurnContext {
  readonly ports: AgentTurnPorts;
  readonly maxSteps: number;
  readonly maxRejections: number;
  /** Model calls begun. */
  readonly steps: number;
  readonly rejections: number;
  readonly before?: HookEventOutcome;
  readonly after?: HookEventOutcome;
  readonly step?: ModelStep;
  readonly stop?: TurnStop | undefined;
  readonly failure?: { readonly error: unknown };
  readonly cancelReason?: string;
  readonly limitReached?: string;
  readonly overruled: boolean;
}

/** One turn of the agent: it asks the model and runs the tools it wants until the model is content. */
export const agentTurnMachine = setup({
  types: {
    context: {} as AgentTurnContext,
    events: {} as { type: 'cancel'; reason: string },
    input: {} as AgentTurnInput,
    output: {} as AgentTurnOutcome,
    children: {} as {
      beforeHooks: 'hookEvent';
      modelCall: 'callModel';
      toolBatch: 'runTools';
      afterHooks: 'hookEvent';
    },
    tags: {} as 'hooks' | 'work' | 'ended',
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    callModel: fromPromise<ModelStep, AgentTurnPorts>(({ input, self }) => input.callModel(self)),
    runTools: fromPromise<ToolStep, { ports: AgentTurnPorts; calls: readonly WantedToolCall[] }>(
      ({ input, self }) => input.ports.runTools(input.calls, self),
    ),
  },
  actions: {
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
    keepModelStep: assign((_, step: ModelStep) => ({
      step,
      ...(step?.status === 'answered' && { stop: step.stop }),
      ...(step?.status === 'failed' && { failure: { error: step.error } }),
    })),
    keepToolStep: assign({ stop: (_, step: ToolStep) => step?.stop }),
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
    cancelCalls: ({ context }) => context.ports.cancelCalls(context.cancelReason ?? ''),
    cancelAfter: sendTo('afterHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
  },
  guards: {
    hasHooksBefore: ({ context }) => context.ports.hooksBefore !== undefined,
    hasHooksAfter: ({ context }) => context.ports.hooksAfter !== undefined,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
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
    hasStepsLeft: ({ context }) => context.steps < context.maxSteps,
  },
}).createMachine({
  id: 'agentTurn',
  description: 'One turn of the agent: the model and the tools it wants, until it is content.',
  context: ({ input }) => ({
    ports: input?.ports,
    maxSteps: Math.max(1, input?.maxSteps ?? 1),
    maxRejections: input?.maxRejections ?? 1,
    steps: 0,
    rejections: 0,
    overruled: false,
  }),
  initial: 'admitting',
  states: {
    admitting: {
      description: 'Whether BeforeAgent hooks are configured.',
      always: [
        { guard: 'hasHooksBefore', target: 'beforeAgent' },
        { target: 'callingModel', actions: 'acceptPrompt' },
      ],
    },
    beforeAgent: {
      description: 'BeforeAgent hooks may add to the prompt, forbid it or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksBefore!(),
        onDone: {
          target: 'judgingPrompt',
          actions: { type: 'keepBefore', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never blocks; the prompt goes on as it is.',
          target: 'judgingPrompt',
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The hooks work; a cancel is passed on to them.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The hooks were told to end, and are heard out.',
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
        { target: 'callingModel', actions: 'acceptPrompt' },
      ],
    },
    callingModel: {
      description: 'One model call, with its hooks.',
      tags: 'work',
      entry: 'countStep',
      invoke: {
        id: 'modelCall',
        src: 'callModel',
        input: ({ context }) => context.ports,
        onDone: {
          target: 'judgingModelCall',
          actions: { type: 'keepModelStep', params: ({ event }) => event.output },
        },
        onError: {
          target: 'judgingModelCall',
          actions: { type: 'keepFailure', params: ({ event }) => ({ error: event.error }) },
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The call works; a cancel is passed on to it.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The call was told to end, and still ends with an outcome.',
          entry: 'cancelCalls',
        },
      },
    },
    judgingModelCall: {
      description: 'What the model, and the hooks around it, came to.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'modelGaveUp', target: 'cancelled' },
        { guard: 'hasFailed', target: 'failed' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'wantsTools', target: 'runningTools' },
        { guard: 'hasHooksAfter', target: 'afterAgent' },
        { target: 'finished' },
      ],
    },
    runningTools: {
      description: 'The tools the model wants run side by side, each as a toolCall of its own.',
      tags: 'work',
      invoke: {
        id: 'toolBatch',
        src: 'runTools',
        input: ({ context: { ports, step } }) => ({
          ports,
          calls: step?.status === 'answered' ? step.calls : [],
        }),
        onDone: {
          target: 'judgingTools',
          actions: { type: 'keepToolStep', params: ({ event }) => event.output },
        },
        onError: {
          target: 'judgingTools',
          actions: { type: 'keepFailure', params: ({ event }) => ({ error: event.error }) },
        },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The tools work; a cancel is passed on to them.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The tools were told to end, and each still ends with an outcome.',
          entry: 'cancelCalls',
        },
      },
    },
    judgingTools: {
      description: 'What the tools, and the hooks around them, came to.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'hasFailed', target: 'failed' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'hasStepsLeft', target: 'callingModel' },
        { target: 'stopped', actions: 'keepLimit' },
      ],
    },
    afterAgent: {
      description:
        'AfterAgent hooks may send the agent on, by a rejection or with follow-ups, or stop it.',
      tags: 'hooks',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksAfter!(context.rejections),
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
          description: 'The hooks work; a cancel is passed on to them.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The hooks were told to end, and are heard out.',
          entry: 'cancelAfter',
        },
      },
    },
    judgingAnswer: {
      description: 'What the hooks say of the answer.',
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
      description: 'A hook stopped the agent, or the turn took as many model calls as it may.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'stopped',
        steps: context.steps,
        by: context.limitReached === undefined ? 'hook' : 'limit',
        reason: context.limitReached ?? context.stop?.reason ?? '',
      }),
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
      description: 'The user gave up; what ran was ended first.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'cancelled',
        steps: context.steps,
        reason: context.cancelReason ?? '',
      }),
    },
  },
  output: ({ event }) => event.output as AgentTurnOutcome,
});
