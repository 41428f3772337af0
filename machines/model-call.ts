import { assign, fromPromise, sendTo, setup } from 'xstate';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';

/** What the model is asked, in the shape of the SDK in use; opaque to the machine. */
export type ModelRequest = object;

/** What the model answered, in the shape of the SDK in use; opaque to the machine. */
export type ModelResponse = object;

/** What the engine does for a model call. The planning functions are synchronous and answer `undefined` when no hook is meant. */
export interface ModelCallPorts {
  planSelection(request: ModelRequest): HookEventInput | undefined;
  planBefore(request: ModelRequest): HookEventInput | undefined;
  planAfter(request: ModelRequest, response: ModelResponse): HookEventInput | undefined;
  /** The request with the tool configuration the hooks chose. */
  selectTools(request: ModelRequest, outcome: HookEventOutcome): ModelRequest;
  /** The request with the hooks' changes. */
  rewrite(request: ModelRequest, outcome: HookEventOutcome): ModelRequest;
  /** The response a blocking or stopping hook gave in the model's place. */
  synthetic(outcome: HookEventOutcome): ModelResponse | undefined;
  /** Asks the model; answers once the whole response is there. */
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
  /** The response with the hooks' changes. */
  revise(response: ModelResponse, outcome: HookEventOutcome): ModelResponse;
}

export interface ModelCallInput {
  readonly id: string;
  readonly request: ModelRequest;
  readonly ports: ModelCallPorts;
}

type HookPhase = 'BeforeToolSelection' | 'BeforeModel' | 'AfterModel';

/** A hook phase that broke; the call went on without it. */
export interface ModelPhaseFailure {
  readonly phase: HookPhase;
  readonly error: unknown;
}

interface Told {
  /** The request that was sent, or would have been. */
  readonly request: ModelRequest;
  readonly selection?: HookEventOutcome;
  readonly before?: HookEventOutcome;
  readonly after?: HookEventOutcome;
  readonly failures: readonly ModelPhaseFailure[];
}

/** How a model call ended. */
export type ModelCallOutcome = Told &
  (
    | { readonly status: 'done'; readonly response: ModelResponse }
    | { readonly status: 'answered'; readonly response: ModelResponse; readonly stop: boolean }
    | { readonly status: 'blocked'; readonly stop: boolean }
    | { readonly status: 'stopped'; readonly response?: ModelResponse }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'cancelled'; readonly reason: string }
  );

export interface ModelCallContext extends Told {
  readonly id: string;
  readonly ports: ModelCallPorts;
  readonly plan?: HookEventInput | undefined;
  readonly response?: ModelResponse | undefined;
  readonly error?: unknown;
  readonly cancelReason?: string;
}

/** Ports for a machine that is only looked at, without an engine behind it. */
const noPorts: ModelCallPorts = {
  planSelection: () => undefined,
  planBefore: () => undefined,
  planAfter: () => undefined,
  selectTools: (request) => request,
  rewrite: (request) => request,
  synthetic: () => undefined,
  call: () => Promise.resolve({}),
  revise: (response) => response,
};

const told = ({ request, failures, selection, before, after }: ModelCallContext): Told => ({
  request,
  failures,
  ...(selection && { selection }),
  ...(before && { before }),
  ...(after && { after }),
});

/** One model call with the hooks before and after it. */
export const modelCallMachine = setup({
  types: {
    context: {} as ModelCallContext,
    events: {} as { type: 'cancel'; reason: string },
    input: {} as ModelCallInput,
    output: {} as ModelCallOutcome,
    children: {} as {
      selectionHooks: 'hookEvent';
      beforeHooks: 'hookEvent';
      model: 'callModel';
      afterHooks: 'hookEvent';
    },
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    callModel: fromPromise<ModelResponse, { ports: ModelCallPorts; request: ModelRequest }>(
      ({ input, signal }) => input.ports.call(input.request, signal),
    ),
  },
  actions: {
    planSelection: assign({ plan: ({ context }) => context.ports.planSelection(context.request) }),
    planBefore: assign({ plan: ({ context }) => context.ports.planBefore(context.request) }),
    planAfter: assign({
      plan: ({ context }) => context.ports.planAfter(context.request, context.response ?? {}),
    }),
    keepSelection: assign({ selection: (_, outcome: HookEventOutcome) => outcome }),
    keepBefore: assign({ before: (_, outcome: HookEventOutcome) => outcome }),
    keepAfter: assign({ after: (_, outcome: HookEventOutcome) => outcome }),
    selectTools: assign({
      request: ({ context }) =>
        context.selection
          ? context.ports.selectTools(context.request, context.selection)
          : context.request,
    }),
    rewriteRequest: assign({
      request: ({ context }) =>
        context.before ? context.ports.rewrite(context.request, context.before) : context.request,
    }),
    takeSynthetic: assign({
      response: ({ context }) =>
        context.before ? context.ports.synthetic(context.before) : undefined,
    }),
    keepResponse: assign({ response: (_, response: ModelResponse) => response }),
    reviseResponse: assign({
      response: ({ context }) =>
        context.after
          ? context.ports.revise(context.response ?? {}, context.after)
          : context.response,
    }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    noteFailure: assign({
      failures: ({ context }, failure: ModelPhaseFailure) => [...context.failures, failure],
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelSelection: sendTo('selectionHooks', (_, reason: string) => ({
      type: 'cancel' as const,
      reason,
    })),
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
    hasAnswer: ({ context }, outcome: HookEventOutcome) =>
      (outcome?.verdict.blocked ?? false) && context.ports.synthetic(outcome) !== undefined,
  },
}).createMachine({
  id: 'modelCall',
  description: 'One model call: hooks on tools and request, the model, hooks on the response.',
  context: ({ input }) => ({
    id: input?.id ?? '',
    request: input?.request ?? {},
    ports: input?.ports ?? noPorts,
    failures: [],
  }),
  initial: 'planningSelection',
  states: {
    planningSelection: {
      description: 'Whether BeforeToolSelection hooks are configured.',
      entry: 'planSelection',
      always: [{ guard: 'hasHooks', target: 'selectingTools' }, { target: 'planningBefore' }],
    },
    selectingTools: {
      description: 'BeforeToolSelection hooks may restrict the tools or stop the agent.',
      invoke: {
        id: 'selectionHooks',
        src: 'hookEvent',
        input: ({ context }) => context.plan!,
        onDone: [
          {
            guard: 'wasCancelled',
            target: 'cancelled',
            actions: { type: 'keepSelection', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: { type: 'keepSelection', params: ({ event }) => event.output },
          },
          {
            target: 'planningBefore',
            actions: [
              { type: 'keepSelection', params: ({ event }) => event.output },
              'selectTools',
            ],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description: 'A hook phase that breaks never restricts: the failure is kept.',
            target: 'planningBefore',
            actions: {
              type: 'noteFailure',
              params: ({ event }) => ({ phase: 'BeforeToolSelection', error: event.error }),
            },
          },
        ],
      },
      on: {
        cancel: {
          actions: [
            { type: 'keepCancel', params: ({ event }) => event.reason },
            { type: 'cancelSelection', params: ({ event }) => event.reason },
          ],
        },
      },
    },
    planningBefore: {
      description: 'Whether BeforeModel hooks are configured.',
      entry: 'planBefore',
      always: [{ guard: 'hasHooks', target: 'beforeHooks' }, { target: 'calling' }],
    },
    beforeHooks: {
      description:
        'BeforeModel hooks may change the request, answer in the model’s place, block or stop.',
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
            guard: { type: 'hasAnswer', params: ({ event }) => event.output },
            target: 'answered',
            actions: [{ type: 'keepBefore', params: ({ event }) => event.output }, 'takeSynthetic'],
          },
          {
            guard: { type: 'blocks', params: ({ event }) => event.output },
            target: 'blocked',
            actions: { type: 'keepBefore', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'stops', params: ({ event }) => event.output },
            target: 'stopped',
            actions: [{ type: 'keepBefore', params: ({ event }) => event.output }, 'takeSynthetic'],
          },
          {
            target: 'calling',
            actions: [
              { type: 'keepBefore', params: ({ event }) => event.output },
              'rewriteRequest',
            ],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description: 'A hook phase that breaks never blocks: the model is asked as it was.',
            target: 'calling',
            actions: {
              type: 'noteFailure',
              params: ({ event }) => ({ phase: 'BeforeModel', error: event.error }),
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
    calling: {
      description: 'The model answers; its chunks become one response. Cancelling aborts the call.',
      invoke: {
        id: 'model',
        src: 'callModel',
        input: ({ context }) => ({ ports: context.ports, request: context.request }),
        onDone: {
          target: 'planningAfter',
          actions: { type: 'keepResponse', params: ({ event }) => event.output },
        },
        onError: {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          description: 'A response that broke off is never shown to AfterModel hooks.',
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    planningAfter: {
      description: 'Whether AfterModel hooks are configured.',
      entry: 'planAfter',
      always: [{ guard: 'hasHooks', target: 'afterHooks' }, { target: 'done' }],
    },
    afterHooks: {
      description:
        'AfterModel hooks may change or replace the response, hide it or stop the agent.',
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
            actions: [{ type: 'keepAfter', params: ({ event }) => event.output }, 'reviseResponse'],
          },
          {
            target: 'done',
            actions: [{ type: 'keepAfter', params: ({ event }) => event.output }, 'reviseResponse'],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'cancelled' },
          {
            description: 'A hook phase that breaks changes nothing: the response stands.',
            target: 'done',
            actions: {
              type: 'noteFailure',
              params: ({ event }) => ({ phase: 'AfterModel', error: event.error }),
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
      description: 'The model answered.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'done',
        ...told(context),
        response: context.response ?? {},
      }),
    },
    answered: {
      type: 'final',
      description: 'A hook answered in the model’s place; the model was not asked.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'answered',
        ...told(context),
        response: context.response ?? {},
        stop: context.before?.verdict.stop ?? false,
      }),
    },
    blocked: {
      type: 'final',
      description: 'A hook forbade the call and gave no answer; the model was not asked.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'blocked',
        ...told(context),
        stop: context.before?.verdict.stop ?? false,
      }),
    },
    stopped: {
      type: 'final',
      description: 'A hook stopped the agent; an answer there is already is delivered first.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'stopped',
        ...told(context),
        ...(context.response && { response: context.response }),
      }),
    },
    failed: {
      type: 'final',
      description: 'The provider failed, or its stream broke off.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'failed',
        ...told(context),
        error: context.error,
      }),
    },
    cancelled: {
      type: 'final',
      description: 'The caller gave up.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'cancelled',
        ...told(context),
        reason: context.cancelReason ?? '',
      }),
    },
  },
  output: ({ event }) => event.output as ModelCallOutcome,
});
