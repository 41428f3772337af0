import { assign, forwardTo, fromPromise, sendTo, setup } from 'xstate';
import type {
  AnswerStreamInput,
  AnswerStreamOutcome,
  answerStreamMachine,
} from './answer-stream.ts';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';

/** The request to the model, in the shape of the SDK in use; opaque to the machine. */
export type ModelRequest = object;

/** The model's response, in the shape of the SDK in use; opaque to the machine. */
export type ModelResponse = object;

/** Receives the text of an answer as the model produces it. */
export interface AnswerText {
  /** Adds more text. */
  add(text: string): void;
  /**
   * Called when no more text follows directly: settles once all text that was added is shown or waits for the
   * whole answer.
   */
  end(): Promise<void>;
}

/** What the engine does for a model call. Only `call` may throw. */
export interface ModelCallPorts {
  /** Prepares the hooks and then plans them; absent when that has been done. */
  readonly planHooks?: () => Promise<ModelCallPorts>;
  /** The hooks planned on the choice of tools; absent when there are none, or nothing to choose from. */
  readonly hooksOnSelection?: (request: ModelRequest) => HookEventInput;
  /** The hooks planned before the model is asked; absent when there are none. */
  readonly hooksBefore?: (request: ModelRequest) => HookEventInput;
  /** The hooks planned on the response's text as it comes; absent when there are none. */
  readonly hooksOnText?: (request: ModelRequest) => AnswerStreamInput;
  /** The hooks planned on the response; absent when there are none. */
  readonly hooksAfter?: (request: ModelRequest, response: ModelResponse) => HookEventInput;
  /** Returns the request with the tool configuration the hooks chose. */
  selectTools(request: ModelRequest, outcome: HookEventOutcome): ModelRequest;
  /** Returns the request with the hooks' changes. */
  rewrite(request: ModelRequest, outcome: HookEventOutcome): ModelRequest;
  /** Returns the response that a blocking or stopping hook gave in the model's place. */
  synthetic(outcome: HookEventOutcome): ModelResponse | undefined;
  /**
   * Asks the model; resolves once the whole response is there. `hooks`, if any, receive its text as it
   * arrives.
   */
  call(request: ModelRequest, signal: AbortSignal, hooks?: AnswerText): Promise<ModelResponse>;
  /**
   * Returns the response with its text as hooks let it through; if a hook has ended it early and there is no
   * response, the text so far.
   */
  streamed(response: ModelResponse | undefined, outcome: AnswerStreamOutcome): ModelResponse;
  /** Returns the response with the hooks' changes. */
  revise(response: ModelResponse, outcome: HookEventOutcome): ModelResponse;
}

export interface ModelCallInput {
  readonly id: string;
  /** The session that the call belongs to, if somebody is watching; a turn sets it for its calls. */
  readonly sessionId?: string;
  readonly request: ModelRequest;
  readonly ports: ModelCallPorts;
}

type HookPhase = 'BeforeToolSelection' | 'BeforeModel' | 'AfterModel';

/** A hook phase that broke; the call went on without it. */
export interface ModelPhaseFailure {
  readonly phase: HookPhase;
  readonly error: unknown;
}

interface Common {
  /** The request that was sent, or would have been. */
  readonly request: ModelRequest;
  readonly selection?: HookEventOutcome;
  readonly before?: HookEventOutcome;
  readonly stream?: AnswerStreamOutcome;
  readonly after?: HookEventOutcome;
  readonly failures: readonly ModelPhaseFailure[];
}

/** How a model call ended. */
export type ModelCallOutcome = Common &
  (
    | { readonly status: 'done'; readonly response: ModelResponse }
    | { readonly status: 'answered'; readonly response: ModelResponse; readonly stop: boolean }
    | { readonly status: 'blocked'; readonly response?: ModelResponse; readonly stop: boolean }
    | { readonly status: 'stopped'; readonly response?: ModelResponse }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'cancelled'; readonly reason: string }
  );

export interface ModelCallContext extends Common {
  readonly id: string;
  readonly ports: ModelCallPorts;
  readonly response?: ModelResponse | undefined;
  readonly error?: unknown;
  readonly cancelReason?: string;
}

const common = ({
  request,
  failures,
  selection,
  before,
  stream,
  after,
}: ModelCallContext): Common => ({
  request,
  failures,
  ...(selection && { selection }),
  ...(before && { before }),
  ...(stream && { stream }),
  ...(after && { after }),
});

/** What asks the model: when hooks are planned on its text, the machine that passes it to them. */
export interface Asking {
  readonly ports: ModelCallPorts;
  readonly request: ModelRequest;
  readonly streaming?: { readonly send: (event: TextEvent) => void };
}

/** Text of the response on its way to hooks. */
export type TextEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'text.end'; readonly whenShown: () => void };

const textFor = (call: NonNullable<Asking['streaming']>): AnswerText => ({
  add: (text) => call.send({ type: 'text', text }),
  end: () => new Promise((whenShown) => call.send({ type: 'text.end', whenShown })),
});

/** One model call with the hooks before and after it. */
export const modelCallMachine = setup({
  types: {
    context: {} as ModelCallContext,
    events: {} as { type: 'cancel'; reason: string } | TextEvent,
    input: {} as ModelCallInput,
    output: {} as ModelCallOutcome,
    children: {} as {
      hooks: 'planHooks';
      selectionHooks: 'hookEvent';
      beforeHooks: 'hookEvent';
      model: 'callModel';
      stream: 'answerStream';
      afterHooks: 'hookEvent';
    },
    tags: {} as 'hooks' | 'work' | 'ended',
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    planHooks: fromPromise<ModelCallPorts, ModelCallPorts>(({ input }) => input.planHooks!()),
    answerStream: {} as typeof answerStreamMachine,
    callModel: fromPromise<ModelResponse, Asking>(
      ({ input: { ports, request, streaming }, signal }) =>
        ports.call(request, signal, streaming && textFor(streaming)),
    ),
  },
  actions: {
    keepPorts: assign({ ports: (_, ports: ModelCallPorts) => ports }),
    keepSelection: assign({ selection: (_, outcome: HookEventOutcome) => outcome }),
    keepBefore: assign({ before: (_, outcome: HookEventOutcome) => outcome }),
    keepAfter: assign({ after: (_, outcome: HookEventOutcome) => outcome }),
    selectTools: assign({
      request: ({ context: { ports, request, selection } }) =>
        selection ? ports.selectTools(request, selection) : request,
    }),
    rewriteRequest: assign({
      request: ({ context: { ports, request, before } }) =>
        before ? ports.rewrite(request, before) : request,
    }),
    takeSynthetic: assign({
      response: ({ context: { ports, before } }) => (before ? ports.synthetic(before) : undefined),
    }),
    keepResponse: assign({ response: (_, response: ModelResponse) => response }),
    endText: sendTo('stream', { type: 'finish' }),
    keepStream: assign({ stream: (_, outcome: AnswerStreamOutcome) => outcome }),
    adoptText: assign({
      response: ({ context: { ports, response, stream } }) =>
        stream ? ports.streamed(response, stream) : response,
    }),
    reviseResponse: assign({
      response: ({ context: { ports, response, after } }) =>
        after ? ports.revise(response ?? {}, after) : response,
    }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    noteFailure: assign({
      failures: ({ context }, failure: ModelPhaseFailure) => [...context.failures, failure],
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelSelection: sendTo('selectionHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    cancelBefore: sendTo('beforeHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    cancelText: sendTo('stream', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    cancelAfter: sendTo('afterHooks', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
  },
  guards: {
    isUnplanned: ({ context }) => context.ports.planHooks !== undefined,
    hasHooksOnSelection: ({ context }) => context.ports.hooksOnSelection !== undefined,
    hasHooksBefore: ({ context }) => context.ports.hooksBefore !== undefined,
    hasHooksOnText: ({ context }) => context.ports.hooksOnText !== undefined,
    hasHooksAfter: ({ context }) => context.ports.hooksAfter !== undefined,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    isStoppedOnSelection: ({ context }) => context.selection?.verdict.stop === true,
    isDenied: ({ context }) => context.before?.verdict.blocked === true,
    isAnswered: ({ context: { before, response } }) =>
      before?.verdict.blocked === true && response !== undefined,
    isStoppedBefore: ({ context }) => context.before?.verdict.stop === true,
    isStoppedAfter: ({ context }) => context.after?.verdict.stop === true,
    isStoppedInText: ({ context }) => context.stream?.status === 'stopped',
    isBlockedInText: ({ context }) => context.stream?.status === 'blocked',
  },
}).createMachine({
  id: 'modelCall',
  description: 'One model call: hooks on tools and request, the model, hooks on the response.',
  context: ({ input }) => ({
    id: input?.id,
    request: input?.request,
    ports: input?.ports,
    failures: [],
  }),
  initial: 'preparing',
  states: {
    preparing: {
      description: 'Whether BeforeToolSelection hooks are configured.',
      always: [
        { guard: 'isUnplanned', target: 'planning' },
        { guard: 'hasHooksOnSelection', target: 'selectingTools' },
        { target: 'assembling' },
      ],
    },
    planning: {
      description: 'The hooks are prepared first, and then planned.',
      invoke: {
        id: 'hooks',
        src: 'planHooks',
        input: ({ context }) => context.ports,
        onDone: {
          target: 'preparing',
          actions: { type: 'keepPorts', params: ({ event }) => event.output },
        },
        onError: {
          description: 'It is unknown what guards the call, so the model is not asked.',
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    selectingTools: {
      description: 'BeforeToolSelection hooks may restrict the tools or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'selectionHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksOnSelection!(context.request),
        onDone: {
          target: 'judgingSelection',
          actions: { type: 'keepSelection', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never restricts; the failure is kept.',
          target: 'judgingSelection',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'BeforeToolSelection', error: event.error }),
          },
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
          entry: 'cancelSelection',
        },
      },
    },
    judgingSelection: {
      description: 'What the hooks decided together.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStoppedOnSelection', target: 'stopped' },
        { target: 'assembling', actions: 'selectTools' },
      ],
    },
    assembling: {
      description: 'The request is kept, except for what BeforeModel hooks change.',
      always: [
        { guard: 'hasHooksBefore', target: 'beforeHooks' },
        { guard: 'hasHooksOnText', target: 'streaming' },
        { target: 'calling' },
      ],
    },
    beforeHooks: {
      description:
        'BeforeModel hooks may change the request, answer in the model’s place, block or stop.',
      tags: 'hooks',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksBefore!(context.request),
        onDone: {
          target: 'judgingBefore',
          actions: [{ type: 'keepBefore', params: ({ event }) => event.output }, 'takeSynthetic'],
        },
        onError: {
          description:
            'A hook phase that breaks never blocks; the model gets the request as it was.',
          target: 'judgingBefore',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'BeforeModel', error: event.error }),
          },
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
    judgingBefore: {
      description: 'What the hooks decided together.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isAnswered', target: 'answered' },
        { guard: 'isDenied', target: 'blocked' },
        { guard: 'isStoppedBefore', target: 'stopped' },
        { guard: 'hasHooksOnText', target: 'streaming', actions: 'rewriteRequest' },
        { target: 'calling', actions: 'rewriteRequest' },
      ],
    },
    calling: {
      description: 'The model answers; its chunks become one response. Cancelling aborts the call.',
      tags: 'work',
      invoke: {
        id: 'model',
        src: 'callModel',
        input: ({ context }) => ({ ports: context.ports, request: context.request }),
        onDone: {
          target: 'judgingResponse',
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
    streaming: {
      description:
        'The model answers, and hooks get the text as it arrives: their denial or stop ends the answer, and the model call with it. Cancelling aborts both.',
      tags: ['work', 'hooks'],
      invoke: [
        {
          id: 'stream',
          src: 'answerStream',
          input: ({ context }) => context.ports.hooksOnText!(context.request),
          onDone: [
            { guard: 'wasCancelled', target: 'cancelled' },
            {
              target: 'judgingResponse',
              actions: [{ type: 'keepStream', params: ({ event }) => event.output }, 'adoptText'],
            },
          ],
          onError: [
            { guard: 'wasCancelled', target: 'cancelled' },
            {
              description: 'It is unknown how much of the text was shown.',
              target: 'failed',
              actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
            },
          ],
        },
        {
          id: 'model',
          src: 'callModel',
          input: ({ context, self }) => ({
            ports: context.ports,
            request: context.request,
            streaming: self,
          }),
          onDone: {
            actions: [{ type: 'keepResponse', params: ({ event }) => event.output }, 'endText'],
          },
          onError: [
            { guard: 'wasCancelled', target: 'cancelled' },
            {
              target: 'failed',
              actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
            },
          ],
        },
      ],
      on: {
        text: { actions: forwardTo('stream') },
        'text.end': { actions: forwardTo('stream') },
      },
      initial: 'running',
      states: {
        running: {
          description: 'The model and the hooks run.',
          on: {
            cancel: {
              description: 'A response that broke off is never shown to AfterModel hooks.',
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'A hook that has text was asked to end, and is waited for.',
          entry: 'cancelText',
        },
      },
    },
    judgingResponse: {
      description: 'Whether hooks look at the response.',
      always: [
        { guard: 'hasHooksAfter', target: 'afterHooks' },
        { guard: 'isStoppedInText', target: 'stopped' },
        { guard: 'isBlockedInText', target: 'blocked' },
        { target: 'done' },
      ],
    },
    afterHooks: {
      description:
        'AfterModel hooks may change or replace the response, hide it or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksAfter!(context.request, context.response ?? {}),
        onDone: {
          target: 'judgingAfter',
          actions: { type: 'keepAfter', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks changes nothing; the response is kept.',
          target: 'judgingAfter',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'AfterModel', error: event.error }),
          },
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
          entry: 'cancelAfter',
        },
      },
    },
    judgingAfter: {
      description: 'What the hooks decided together.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStoppedAfter', target: 'stopped', actions: 'reviseResponse' },
        { guard: 'isStoppedInText', target: 'stopped', actions: 'reviseResponse' },
        { guard: 'isBlockedInText', target: 'blocked', actions: 'reviseResponse' },
        { target: 'done', actions: 'reviseResponse' },
      ],
    },
    done: {
      type: 'final',
      tags: 'ended',
      description: 'The model answered.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'done',
        ...common(context),
        response: context.response ?? {},
      }),
    },
    answered: {
      type: 'final',
      tags: 'ended',
      description: 'A hook answered in the model’s place; the model was not asked.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'answered',
        ...common(context),
        response: context.response ?? {},
        stop: context.before?.verdict.stop ?? false,
      }),
    },
    blocked: {
      type: 'final',
      tags: 'ended',
      description:
        'A hook forbade the call and gave no answer, so the model was not asked; or it ended the answer.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'blocked',
        ...common(context),
        ...(context.response && { response: context.response }),
        stop: (context.stream ?? context.before)?.verdict.stop ?? false,
      }),
    },
    stopped: {
      type: 'final',
      tags: 'ended',
      description: 'A hook stopped the agent; an answer that already exists is delivered first.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'stopped',
        ...common(context),
        ...(context.response && { response: context.response }),
      }),
    },
    failed: {
      type: 'final',
      tags: 'ended',
      description: 'The provider failed, or its stream broke off.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'failed',
        ...common(context),
        error: context.error,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description: 'The caller gave up.',
      output: ({ context }): ModelCallOutcome => ({
        status: 'cancelled',
        ...common(context),
        reason: context.cancelReason ?? '',
      }),
    },
  },
  output: ({ event }) => event.output as ModelCallOutcome,
});
