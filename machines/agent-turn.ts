import { assign, fromPromise, sendTo, setup } from 'xstate';
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

/** What the engine does for a turn. Both keep the history, and both end soon after `cancel`. */
export interface AgentTurnPorts {
  /** The BeforeAgent hooks, if there are any. */
  planBefore(): HookEventInput | undefined;
  /** Takes the prompt into the conversation, with what the hooks add to it. */
  acceptPrompt(before: HookEventOutcome | undefined): void;
  /** The AfterAgent hooks, if there are any; `rejections` answers of this turn were not the last already. */
  planAfter(rejections: number): HookEventInput | undefined;
  /** Takes what the hooks say of the answer, or want done next, into the conversation as the next prompt. */
  sendOn(after: HookEventOutcome): void;
  /** Why a hook stops the agent. */
  stopOf(outcome: HookEventOutcome): TurnStop;
  callModel(): Promise<ModelStep>;
  runTools(calls: readonly WantedToolCall[]): Promise<ToolStep>;
  /** Tells the running call; it still ends with an outcome. */
  cancel(reason: string): void;
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
  /** Model calls begun. */
  readonly steps: number;
  readonly calls: readonly WantedToolCall[];
  readonly stop?: TurnStop | undefined;
  readonly error?: unknown;
  readonly cancelReason?: string;
  readonly limitReached?: string;
  readonly maxRejections: number;
  readonly rejections: number;
  readonly plan?: HookEventInput | undefined;
  readonly before?: HookEventOutcome;
  readonly overruled: boolean;
}

/** Ports for a machine that is only looked at, without an engine behind it. */
const noPorts: AgentTurnPorts = {
  planBefore: () => undefined,
  acceptPrompt: () => undefined,
  planAfter: () => undefined,
  sendOn: () => undefined,
  stopOf: () => ({ reason: '' }),
  callModel: () => Promise.resolve({ status: 'answered', calls: [] }),
  runTools: () => Promise.resolve({}),
  cancel: () => undefined,
};

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
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    callModel: fromPromise<ModelStep, AgentTurnPorts>(({ input }) => input.callModel()),
    runTools: fromPromise<ToolStep, { ports: AgentTurnPorts; calls: readonly WantedToolCall[] }>(
      ({ input }) => input.ports.runTools(input.calls),
    ),
  },
  actions: {
    planBefore: assign({ plan: ({ context }) => context.ports.planBefore() }),
    planAfter: assign({ plan: ({ context }) => context.ports.planAfter(context.rejections) }),
    keepBefore: assign({ before: (_, outcome: HookEventOutcome) => outcome }),
    acceptPrompt: ({ context }) => context.ports.acceptPrompt(context.before),
    sendOn: ({ context }, outcome: HookEventOutcome) => context.ports.sendOn(outcome),
    countRejection: assign({ rejections: ({ context }) => context.rejections + 1 }),
    noteOverruled: assign({ overruled: true }),
    keepHookStop: assign({
      stop: ({ context }, outcome: HookEventOutcome) =>
        outcome?.verdict.stop ? context.ports.stopOf(outcome) : undefined,
    }),
    cancelBefore: sendTo('beforeHooks', (_, reason: string) => ({
      type: 'cancel' as const,
      reason,
    })),
    cancelAfter: sendTo('afterHooks', (_, reason: string) => ({ type: 'cancel' as const, reason })),
    countStep: assign({ steps: ({ context }) => context.steps + 1 }),
    keepModelStep: assign((_, step: ModelStep) => {
      switch (step?.status) {
        case 'answered':
          return { calls: step.calls, stop: step.stop };
        case 'failed':
          return { error: step.error };
        default:
          return {};
      }
    }),
    keepToolStep: assign({ stop: (_, step: ToolStep) => step?.stop }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    keepLimit: assign({
      limitReached: ({ context }) =>
        `The limit of ${context.maxSteps} model ${context.maxSteps === 1 ? 'call' : 'calls'} was reached.`,
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelCall: ({ context }, reason: string) => context.ports.cancel(reason),
  },
  guards: {
    hasHooks: ({ context }) => context.plan !== undefined,
    hooksBlock: (_, outcome: HookEventOutcome) => outcome?.verdict.blocked ?? false,
    hooksStop: (_, outcome: HookEventOutcome) => outcome?.verdict.stop ?? false,
    hooksWantMore: (_, outcome: HookEventOutcome) =>
      (outcome?.verdict.blocked || outcome?.verdict.followUp) ?? false,
    wantMoreAndMayGoOn: ({ context }, outcome: HookEventOutcome) =>
      ((outcome?.verdict.blocked || outcome?.verdict.followUp) ?? false) &&
      context.rejections < context.maxRejections &&
      context.steps < context.maxSteps,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    gaveUp: (_, step: ModelStep) => step?.status === 'cancelled',
    failed: (_, step: ModelStep) => step?.status === 'failed',
    stops: (_, step: ModelStep | ToolStep) =>
      step !== undefined && 'stop' in step && step.stop !== undefined,
    wantsTools: (_, step: ModelStep) => step?.status === 'answered' && step.calls.length > 0,
    hasStepsLeft: ({ context }) => context.steps < context.maxSteps,
  },
}).createMachine({
  id: 'agentTurn',
  description: 'One turn of the agent: the model and the tools it wants, until it is content.',
  context: ({ input }) => ({
    ports: input?.ports ?? noPorts,
    maxSteps: Math.max(1, input?.maxSteps ?? 1),
    maxRejections: input?.maxRejections ?? 1,
    steps: 0,
    rejections: 0,
    overruled: false,
    calls: [],
  }),
  initial: 'planningBefore',
  states: {
    planningBefore: {
      description: 'Whether BeforeAgent hooks are configured.',
      entry: 'planBefore',
      always: [
        { guard: 'hasHooks', target: 'beforeAgent' },
        { target: 'callingModel', actions: 'acceptPrompt' },
      ],
    },
    beforeAgent: {
      description: 'BeforeAgent hooks may add to the prompt, forbid it or stop the agent.',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.plan!,
        onDone: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            guard: { type: 'hooksBlock', params: ({ event }) => event.output },
            target: 'blocked',
            actions: [
              { type: 'keepBefore', params: ({ event }) => event.output },
              { type: 'keepHookStop', params: ({ event }) => event.output },
            ],
          },
          {
            guard: { type: 'hooksStop', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepHookStop', params: ({ event }) => event.output },
          },
          {
            target: 'callingModel',
            actions: [{ type: 'keepBefore', params: ({ event }) => event.output }, 'acceptPrompt'],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description: 'A hook phase that breaks never blocks: the prompt goes on as it is.',
            target: 'callingModel',
            actions: 'acceptPrompt',
          },
        ],
      },
      on: {
        cancel: {
          actions: [
            { type: 'keepCancel', params: ({ event }) => event.reason },
            { type: 'cancelBefore', params: ({ event }) => event.reason },
          ],
        },
      },
    },
    callingModel: {
      description: 'One model call, with its hooks, runs as a modelCall machine of its own.',
      entry: 'countStep',
      invoke: {
        id: 'modelCall',
        src: 'callModel',
        input: ({ context }) => context.ports,
        onDone: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            guard: { type: 'gaveUp', params: ({ event }) => event.output },
            target: 'cancelled',
          },
          {
            guard: { type: 'failed', params: ({ event }) => event.output },
            target: 'failed',
            actions: { type: 'keepModelStep', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepModelStep', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'wantsTools', params: ({ event }) => event.output },
            target: 'runningTools',
            actions: { type: 'keepModelStep', params: ({ event }) => event.output },
          },
          { target: 'planningAfter' },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            target: 'failed',
            actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
          },
        ],
      },
      on: {
        cancel: {
          actions: [
            { type: 'keepCancel', params: ({ event }) => event.reason },
            { type: 'cancelCall', params: ({ event }) => event.reason },
          ],
        },
      },
    },
    runningTools: {
      description:
        'The tools the model wants run side by side, each a toolCall machine of its own.',
      invoke: {
        id: 'toolBatch',
        src: 'runTools',
        input: ({ context }) => ({ ports: context.ports, calls: context.calls }),
        onDone: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepToolStep', params: ({ event }) => event.output },
          },
          { guard: 'hasStepsLeft', target: 'callingModel' },
          { target: 'stopped', actions: 'keepLimit' },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            target: 'failed',
            actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
          },
        ],
      },
      on: {
        cancel: {
          actions: [
            { type: 'keepCancel', params: ({ event }) => event.reason },
            { type: 'cancelCall', params: ({ event }) => event.reason },
          ],
        },
      },
    },
    planningAfter: {
      description: 'The model is content. Whether AfterAgent hooks are configured.',
      entry: 'planAfter',
      always: [{ guard: 'hasHooks', target: 'afterAgent' }, { target: 'finished' }],
    },
    afterAgent: {
      description:
        'AfterAgent hooks may send the agent on, by a rejection or with follow-ups, or stop it.',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.plan!,
        onDone: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            guard: { type: 'hooksStop', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepHookStop', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'wantMoreAndMayGoOn', params: ({ event }) => event.output },
            target: 'callingModel',
            actions: ['countRejection', { type: 'sendOn', params: ({ event }) => event.output }],
          },
          {
            guard: { type: 'hooksWantMore', params: ({ event }) => event.output },
            target: 'finished',
            actions: 'noteOverruled',
          },
          { target: 'finished' },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          { description: 'A hook phase that breaks rejects nothing.', target: 'finished' },
        ],
      },
      on: {
        cancel: {
          actions: [
            { type: 'keepCancel', params: ({ event }) => event.reason },
            { type: 'cancelAfter', params: ({ event }) => event.reason },
          ],
        },
      },
    },
    finished: {
      type: 'final',
      description: 'The model answered and wants no more tools.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'finished',
        steps: context.steps,
        overruled: context.overruled,
      }),
    },
    blocked: {
      type: 'final',
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
      description: 'The model could not be asked.',
      output: ({ context }): AgentTurnOutcome => ({
        status: 'failed',
        steps: context.steps,
        error: context.error,
      }),
    },
    cancelled: {
      type: 'final',
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
