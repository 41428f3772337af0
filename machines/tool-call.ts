import { assign, fromPromise, sendTo, setup } from 'xstate';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';

/** A tool's arguments. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What the tool gave back, a thrown error included; opaque to the machine. */
export type ToolCallResult = object;

/** What the engine does for a tool call. Only `execute` may throw; the planning functions answer `undefined` when no hook matches. */
export interface ToolCallPorts {
  planBefore(toolInput: ToolInput): HookEventInput | undefined;
  planAfter(toolInput: ToolInput, result: ToolCallResult): HookEventInput | undefined;
  /** The arguments after the hooks' rewrites. */
  rewrite(toolInput: ToolInput, before: HookEventOutcome): ToolInput;
  execute(toolInput: ToolInput, signal: AbortSignal): Promise<ToolCallResult>;
  /** A thrown error as a result that the model can read and AfterTool hooks can see. */
  failure(error: unknown): ToolCallResult;
}

export interface ToolCallInput {
  readonly id: string;
  readonly toolName: string;
  readonly toolInput: ToolInput;
  readonly ports: ToolCallPorts;
}

/** A hook phase that broke; the call went on without it. */
export interface PhaseFailure {
  readonly phase: 'BeforeTool' | 'AfterTool';
  readonly error: unknown;
}

interface Told {
  /** The arguments the tool got, or would have got. */
  readonly toolInput: ToolInput;
  readonly before?: HookEventOutcome;
  readonly after?: HookEventOutcome;
  readonly failures: readonly PhaseFailure[];
}

/** How a tool call ended. */
export type ToolCallOutcome = Told &
  (
    | { readonly status: 'done'; readonly result: ToolCallResult }
    | { readonly status: 'blocked'; readonly stop: boolean }
    | { readonly status: 'stopped'; readonly result?: ToolCallResult }
    | { readonly status: 'cancelled'; readonly reason: string; readonly result?: ToolCallResult }
  );

export interface ToolCallContext extends Told {
  readonly id: string;
  readonly toolName: string;
  readonly ports: ToolCallPorts;
  readonly plan?: HookEventInput | undefined;
  readonly result?: ToolCallResult;
  readonly cancelReason?: string;
}

const noPorts: ToolCallPorts = {
  planBefore: () => undefined,
  planAfter: () => undefined,
  rewrite: (toolInput) => toolInput,
  execute: () => Promise.resolve({}),
  failure: (error) => ({ error }),
};

const told = (context: ToolCallContext): Told => ({
  toolInput: context.toolInput,
  failures: context.failures,
  ...(context.before && { before: context.before }),
  ...(context.after && { after: context.after }),
});

/** One tool call with the hooks before and after it. */
export const toolCallMachine = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as { type: 'cancel'; reason: string },
    input: {} as ToolCallInput,
    output: {} as ToolCallOutcome,
    children: {} as { beforeHooks: 'hookEvent'; tool: 'executeTool'; afterHooks: 'hookEvent' },
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    executeTool: fromPromise<ToolCallResult, { ports: ToolCallPorts; toolInput: ToolInput }>(
      ({ input, signal }) => input.ports.execute(input.toolInput, signal),
    ),
  },
  actions: {
    planBefore: assign({ plan: ({ context }) => context.ports.planBefore(context.toolInput) }),
    planAfter: assign({
      plan: ({ context }) => context.ports.planAfter(context.toolInput, context.result ?? {}),
    }),
    keepBefore: assign({ before: (_, outcome: HookEventOutcome) => outcome }),
    keepAfter: assign({ after: (_, outcome: HookEventOutcome) => outcome }),
    rewriteInput: assign({
      toolInput: ({ context }) =>
        context.before
          ? context.ports.rewrite(context.toolInput, context.before)
          : context.toolInput,
    }),
    keepResult: assign({ result: (_, result: ToolCallResult) => result }),
    keepThrown: assign({
      result: ({ context }, { error }: { error: unknown }) => context.ports.failure(error),
    }),
    noteFailure: assign({
      failures: ({ context }, failure: PhaseFailure) => [...context.failures, failure],
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelBefore: sendTo('beforeHooks', (_, reason: string) => ({
      type: 'cancel' as const,
      reason,
    })),
    cancelAfter: sendTo('afterHooks', (_, reason: string) => ({ type: 'cancel' as const, reason })),
  },
  guards: {
    hasHooks: ({ context }) => context.plan !== undefined,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    blocks: (_, outcome: HookEventOutcome) => outcome?.verdict.blocked ?? false,
    stops: (_, outcome: HookEventOutcome) => outcome?.verdict.stop ?? false,
  },
}).createMachine({
  id: 'toolCall',
  description: 'One tool call: hooks before it, the tool, hooks after it.',
  context: ({ input }) => ({
    id: input?.id ?? '',
    toolName: input?.toolName ?? '',
    toolInput: input?.toolInput ?? {},
    ports: input?.ports ?? noPorts,
    failures: [],
  }),
  initial: 'planningBefore',
  states: {
    planningBefore: {
      description: 'Which BeforeTool hooks match this tool; none is the common case.',
      entry: 'planBefore',
      always: [{ guard: 'hasHooks', target: 'beforeHooks' }, { target: 'executing' }],
    },
    beforeHooks: {
      description: 'BeforeTool hooks may block the call, rewrite its arguments or stop the agent.',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.plan!,
        onDone: [
          {
            guard: 'wasCancelled',
            target: 'cancelled',
            actions: { type: 'keepBefore', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'blocks', params: ({ event }) => event.output },
            target: 'blocked',
            actions: { type: 'keepBefore', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepBefore', params: ({ event }) => event.output },
          },
          {
            target: 'executing',
            actions: [{ type: 'keepBefore', params: ({ event }) => event.output }, 'rewriteInput'],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description:
              'A hook phase that breaks never blocks: the tool runs, and the failure is kept.',
            target: 'executing',
            actions: {
              type: 'noteFailure',
              params: ({ event }) => ({ phase: 'BeforeTool', error: event.error }),
            },
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
    executing: {
      description: 'The tool runs with the arguments the hooks left; cancelling aborts its signal.',
      invoke: {
        id: 'tool',
        src: 'executeTool',
        input: ({ context }) => ({ ports: context.ports, toolInput: context.toolInput }),
        onDone: {
          target: 'planningAfter',
          actions: { type: 'keepResult', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A tool that throws is a result with an error, and AfterTool hooks see it.',
          target: 'planningAfter',
          actions: { type: 'keepThrown', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    planningAfter: {
      description: 'Which AfterTool hooks match this tool.',
      entry: 'planAfter',
      always: [{ guard: 'hasHooks', target: 'afterHooks' }, { target: 'done' }],
    },
    afterHooks: {
      description:
        'AfterTool hooks may add context, hide the result from the user or stop the agent.',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.plan!,
        onDone: [
          {
            guard: 'wasCancelled',
            target: 'cancelled',
            actions: { type: 'keepAfter', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepAfter', params: ({ event }) => event.output },
          },
          {
            target: 'done',
            actions: { type: 'keepAfter', params: ({ event }) => event.output },
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description:
              'A hook phase that breaks never blocks: the result stands, and the failure is kept.',
            target: 'done',
            actions: {
              type: 'noteFailure',
              params: ({ event }) => ({ phase: 'AfterTool', error: event.error }),
            },
          },
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
    done: {
      type: 'final',
      description: 'The tool ran and its result goes to the model.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'done',
        ...told(context),
        result: context.result ?? {},
      }),
    },
    blocked: {
      type: 'final',
      description: 'A hook forbade the call; the model reads the reason instead of a result.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'blocked',
        ...told(context),
        stop: context.before?.verdict.stop === true,
      }),
    },
    stopped: {
      type: 'final',
      description: 'A hook stopped the agent; a result the tool already gave is kept.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'stopped',
        ...told(context),
        ...(context.result && { result: context.result }),
      }),
    },
    cancelled: {
      type: 'final',
      description: 'The caller gave up.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'cancelled',
        ...told(context),
        reason: context.cancelReason ?? '',
        ...(context.result && { result: context.result }),
      }),
    },
  },
  output: ({ event }) => event.output as ToolCallOutcome,
});
