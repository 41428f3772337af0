import { assign, fromPromise, setup } from 'xstate';

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
  callModel(): Promise<ModelStep>;
  runTools(calls: readonly WantedToolCall[]): Promise<ToolStep>;
  /** Tells the running call; it still ends with an outcome. */
  cancel(reason: string): void;
}

export interface AgentTurnInput {
  readonly ports: AgentTurnPorts;
  /** How many model calls the turn may take. */
  readonly maxSteps: number;
}

/** How a turn ended. */
export type AgentTurnOutcome = { readonly steps: number } & (
  | { readonly status: 'finished' }
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
}

/** Ports for a machine that is only looked at, without an engine behind it. */
const noPorts: AgentTurnPorts = {
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
    children: {} as { modelCall: 'callModel'; toolBatch: 'runTools' },
  },
  actors: {
    callModel: fromPromise<ModelStep, AgentTurnPorts>(({ input }) => input.callModel()),
    runTools: fromPromise<ToolStep, { ports: AgentTurnPorts; calls: readonly WantedToolCall[] }>(
      ({ input }) => input.ports.runTools(input.calls),
    ),
  },
  actions: {
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
      limitReached: ({ context }) => `The limit of ${context.maxSteps} model calls was reached.`,
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelCall: ({ context }, reason: string) => context.ports.cancel(reason),
  },
  guards: {
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
    maxSteps: input?.maxSteps ?? 1,
    steps: 0,
    calls: [],
  }),
  initial: 'callingModel',
  states: {
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
          { target: 'finished' },
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
    finished: {
      type: 'final',
      description: 'The model answered and wants no more tools.',
      output: ({ context }): AgentTurnOutcome => ({ status: 'finished', steps: context.steps }),
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
