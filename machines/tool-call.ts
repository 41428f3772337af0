import { assign, fromPromise, sendTo, setup } from 'xstate';
import type { HookEventInput, HookEventOutcome, hookEventMachine } from './hook-event.ts';

/** A tool's arguments. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What the tool returned, including a thrown error; opaque to the machine. */
export type ToolCallResult = object;

/** Why a tool never ran, though no hook denied it. */
export type RefusedBy = 'selection' | 'user' | 'expiry';

/** What the engine does for a tool call. Only `planHooks` and `execute` may fail. */
export interface ToolCallPorts {
  /** Prepares the hooks and then plans them; absent when that has been done. */
  readonly planHooks?: (() => Promise<ToolCallPorts>) | undefined;
  /** The hooks planned before the tool; absent when none matches. */
  readonly hooksBefore?: ((toolInput: ToolInput) => HookEventInput) | undefined;
  /** The hooks planned for the question to the user; absent when none matches or nobody is asked. */
  readonly hooksOnPermission?: ((toolInput: ToolInput) => HookEventInput) | undefined;
  /** The hooks planned for a tool that failed; absent when none matches. */
  readonly hooksOnFailure?:
    | ((toolInput: ToolInput, result: ToolCallResult) => HookEventInput)
    | undefined;
  /** The hooks planned after the tool; absent when none matches. */
  readonly hooksAfter?:
    | ((toolInput: ToolInput, result: ToolCallResult) => HookEventInput)
    | undefined;
  /** The arguments as the hooks before the tool, or those of the question, left them. */
  rewrite(toolInput: ToolInput, outcome: HookEventOutcome): ToolInput;
  /**
   * Asks the user whether the tool may run with these arguments, and passes the answer on later; absent when
   * nobody is asked.
   */
  readonly ask?:
    | ((toolInput: ToolInput, answer: AnswerToolCall, before: HookEventOutcome | undefined) => void)
    | undefined;
  /** The user is asked only if a hook wants it; absent when the host asks its own question for every call. */
  readonly asksForHooksAlone?: boolean | undefined;
  execute(toolInput: ToolInput, signal: AbortSignal): Promise<ToolCallResult>;
  /**
   * Takes the function that raises the host's own question, for hosts that only know of one after the hooks
   * have let the call run.
   */
  readonly takeQuestion?: ((raise: () => void) => void) | undefined;
  /** Turns a thrown error into a result that the model can read and AfterTool hooks can see. */
  failure(error: unknown): ToolCallResult;
  /** Whether a result is that of a tool that failed; needed only for the hooks on failed tools. */
  hasFailed?(result: ToolCallResult): boolean;
}

/** Gives the user's answer to a tool call. */
export type AnswerToolCall = (approved: boolean, reason: string) => void;

export interface ToolCallInput {
  readonly id: string;
  /**
   * The session that the call belongs to, for those who watch the machine, which does not use it; a turn sets
   * it for its calls.
   */
  readonly sessionId?: string;
  readonly toolName: string;
  readonly toolInput: ToolInput;
  /** Why the tool is not offered, for the model; if it is set, the call ends as soon as it begins. */
  readonly notOffered?: string | undefined;
  readonly ports: ToolCallPorts;
}

/** A hook phase that broke; the call went on without it. */
export interface PhaseFailure {
  readonly phase: 'BeforeTool' | 'ToolPermission' | 'ToolFailed' | 'AfterTool';
  readonly error: unknown;
}

interface Common {
  /** The arguments the tool received, or would have received. */
  readonly toolInput: ToolInput;
  readonly before?: HookEventOutcome;
  readonly permission?: HookEventOutcome;
  readonly failed?: HookEventOutcome;
  readonly after?: HookEventOutcome;
  readonly failures: readonly PhaseFailure[];
}

/** How a tool call ended. */
export type ToolCallOutcome = Common &
  (
    | { readonly status: 'done'; readonly result: ToolCallResult }
    | { readonly status: 'blocked'; readonly stop: boolean }
    | { readonly status: 'stopped'; readonly result?: ToolCallResult }
    | { readonly status: 'refused'; readonly by: RefusedBy; readonly reason: string }
    /** With what is needed to make the call later. */
    | { readonly status: 'deferred'; readonly id: string; readonly toolName: string }
    /** Nobody knows which hooks guard the tool. */
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'cancelled'; readonly reason: string; readonly result?: ToolCallResult }
  );

export interface ToolCallContext extends Common {
  readonly id: string;
  readonly toolName: string;
  readonly ports: ToolCallPorts;
  readonly refusal?: { readonly by: RefusedBy; readonly reason: string };
  readonly result?: ToolCallResult;
  readonly cancelReason?: string;
  /** The host raised its own question, which it may do once. */
  readonly isQuestioned?: true;
  /** Why the hooks could not be planned. */
  readonly error?: unknown;
}

const common = (context: ToolCallContext): Common => ({
  toolInput: context.toolInput,
  failures: context.failures,
  ...(context.before && { before: context.before }),
  ...(context.permission && { permission: context.permission }),
  ...(context.failed && { failed: context.failed }),
  ...(context.after && { after: context.after }),
});

/** Whether the user is asked, unless hooks answer in the user's place. */
const isAsked = ({ ports, before }: ToolCallContext): boolean =>
  ports.ask !== undefined && (ports.asksForHooksAlone !== true || before?.verdict.ask === true);

/** The order to the hooks of a phase that passes a cancel on to them. */
const cancelOrder = ({ context }: { context: ToolCallContext }) => ({
  type: 'cancel' as const,
  reason: context.cancelReason ?? '',
});

/** One tool call with the hooks before and after it. */
export const toolCallMachine = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as
      | { type: 'answer'; approved: boolean; reason: string }
      | { type: 'question' }
      | { type: 'expire'; reason: string }
      | { type: 'cancel'; reason: string },
    input: {} as ToolCallInput,
    output: {} as ToolCallOutcome,
    children: {} as {
      hooks: 'planHooks';
      beforeHooks: 'hookEvent';
      permissionHooks: 'hookEvent';
      tool: 'executeTool';
      failureHooks: 'hookEvent';
      afterHooks: 'hookEvent';
    },
    tags: {} as 'hooks' | 'work' | 'suspended' | 'ended',
  },
  actors: {
    hookEvent: {} as typeof hookEventMachine,
    planHooks: fromPromise<ToolCallPorts, ToolCallPorts>(({ input }) => input.planHooks!()),
    executeTool: fromPromise<ToolCallResult, { ports: ToolCallPorts; toolInput: ToolInput }>(
      ({ input, signal }) => input.ports.execute(input.toolInput, signal),
    ),
  },
  actions: {
    keepPorts: assign({ ports: (_, ports: ToolCallPorts) => ports }),
    ask: ({ context: { ports, toolInput, before }, self }) => {
      const answer: AnswerToolCall = (approved, reason) => {
        // The call may have been cancelled meanwhile.
        if (self.getSnapshot().status === 'active') self.send({ type: 'answer', approved, reason });
      };
      ports.ask?.(toolInput, answer, before);
    },
    offerQuestion: ({ context: { ports }, self }) =>
      ports.takeQuestion?.(() => {
        // The call may have ended meanwhile.
        if (self.getSnapshot().status === 'active') self.send({ type: 'question' });
      }),
    noteQuestion: assign({ isQuestioned: () => true as const }),
    keepBefore: assign({ before: (_, outcome: HookEventOutcome) => outcome }),
    keepPermission: assign({ permission: (_, outcome: HookEventOutcome) => outcome }),
    keepFailed: assign({ failed: (_, outcome: HookEventOutcome) => outcome }),
    keepAfter: assign({ after: (_, outcome: HookEventOutcome) => outcome }),
    rewriteInput: assign({
      toolInput: ({ context: { ports, toolInput, before } }) =>
        before ? ports.rewrite(toolInput, before) : toolInput,
    }),
    rewritePermitted: assign({
      toolInput: ({ context: { ports, toolInput, permission } }) =>
        permission ? ports.rewrite(toolInput, permission) : toolInput,
    }),
    keepResult: assign({ result: (_, result: ToolCallResult) => result }),
    keepThrown: assign({
      result: ({ context }, { error }: { error: unknown }) => context.ports.failure(error),
    }),
    noteFailure: assign({
      failures: ({ context }, failure: PhaseFailure) => [...context.failures, failure],
    }),
    keepRefusal: assign({
      refusal: (_, refusal: { by: RefusedBy; reason: string }) => refusal,
    }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelBefore: sendTo('beforeHooks', cancelOrder),
    cancelPermission: sendTo('permissionHooks', cancelOrder),
    cancelFailure: sendTo('failureHooks', cancelOrder),
    cancelAfter: sendTo('afterHooks', cancelOrder),
  },
  guards: {
    isNotOffered: ({ context }) => context.refusal !== undefined,
    isUnplanned: ({ context }) => context.ports.planHooks !== undefined,
    hasHooksBefore: ({ context }) => context.ports.hooksBefore !== undefined,
    hasHooksAfter: ({ context }) => context.ports.hooksAfter !== undefined,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    isDenied: ({ context }) => context.before?.verdict.blocked === true,
    isStoppedBefore: ({ context }) => context.before?.verdict.stop === true,
    isStoppedAfter: ({ context: { after, failed } }) =>
      after?.verdict.stop === true || failed?.verdict.stop === true,
    isDeniedAtPermission: ({ context }) => context.permission?.verdict.blocked === true,
    isStoppedAtPermission: ({ context }) => context.permission?.verdict.stop === true,
    isPermitted: ({ context: { before, permission } }) =>
      permission?.verdict.approved === true && before?.verdict.ask !== true,
    hasHooksOnPermission: ({ context }) =>
      isAsked(context) && context.ports.hooksOnPermission !== undefined,
    hasHooksOnQuestion: ({ context }) =>
      context.isQuestioned === undefined && context.ports.hooksOnPermission !== undefined,
    isUnquestioned: ({ context }) => context.isQuestioned === undefined,
    hasHooksOnFailure: ({ context: { ports, result } }) =>
      ports.hooksOnFailure !== undefined &&
      result !== undefined &&
      ports.hasFailed?.(result) === true,
    isDeferred: ({ context }) => context.before?.verdict.defer === true,
    isApprovedByHooks: ({ context }) => context.before?.verdict.approved === true,
    mustAsk: ({ context }) => isAsked(context),
    isApproved: (_, approved: boolean) => approved,
  },
}).createMachine({
  id: 'toolCall',
  description: 'One tool call: hooks before it, the tool, hooks after it.',
  context: ({ input }) => ({
    id: input?.id,
    toolName: input?.toolName,
    toolInput: input?.toolInput,
    ports: input?.ports,
    ...(input?.notOffered !== undefined && {
      refusal: { by: 'selection', reason: input.notOffered },
    }),
    failures: [],
  }),
  initial: 'admitting',
  states: {
    admitting: {
      description: 'Whether the tool is available, and whether hooks match it.',
      always: [
        { guard: 'isNotOffered', target: 'refused' },
        { guard: 'isUnplanned', target: 'planning' },
        { guard: 'hasHooksBefore', target: 'beforeHooks' },
        { target: 'approving' },
      ],
    },
    planning: {
      description: 'The hooks are prepared first, and then planned.',
      invoke: {
        id: 'hooks',
        src: 'planHooks',
        input: ({ context }) => context.ports,
        onDone: {
          target: 'admitting',
          actions: { type: 'keepPorts', params: ({ event }) => event.output },
        },
        onError: {
          description: 'It is unknown what guards the tool, so it does not run.',
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
    beforeHooks: {
      description: 'BeforeTool hooks may block the call, rewrite its arguments or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'beforeHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksBefore!(context.toolInput),
        onDone: {
          target: 'judgingBefore',
          actions: { type: 'keepBefore', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never blocks; the failure is kept.',
          target: 'judgingBefore',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'BeforeTool', error: event.error }),
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
        { guard: 'isDenied', target: 'blocked' },
        { guard: 'isStoppedBefore', target: 'stopped' },
        { guard: 'isDeferred', target: 'deferred', actions: 'rewriteInput' },
        { target: 'approving', actions: 'rewriteInput' },
      ],
    },
    approving: {
      description:
        'Whether the user is asked, with the final arguments: if the hooks approve, the host does not ask its own question.',
      always: [
        { guard: 'isApprovedByHooks', target: 'executing' },
        { guard: 'hasHooksOnPermission', target: 'permissionHooks' },
        { guard: 'mustAsk', target: 'asking' },
        { target: 'executing' },
      ],
    },
    permissionHooks: {
      description:
        'ToolPermission hooks may answer in the user’s place, change the arguments or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'permissionHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksOnPermission!(context.toolInput),
        onDone: {
          target: 'judgingPermission',
          actions: { type: 'keepPermission', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks decides nothing; the user is asked.',
          target: 'judgingPermission',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'ToolPermission', error: event.error }),
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
          entry: 'cancelPermission',
        },
      },
    },
    judgingPermission: {
      description:
        'What the hooks decided together; the user is asked unless they approved and no earlier hook wants the question.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isDeniedAtPermission', target: 'blocked' },
        { guard: 'isStoppedAtPermission', target: 'stopped' },
        { guard: 'isPermitted', target: 'executing', actions: 'rewritePermitted' },
        { target: 'asking', actions: 'rewritePermitted' },
      ],
    },
    asking: {
      description: 'The user is asked; nothing runs, and nothing is timed, until the answer comes.',
      tags: 'suspended',
      entry: 'ask',
      on: {
        answer: [
          {
            guard: { type: 'isApproved', params: ({ event }) => event.approved },
            target: 'executing',
          },
          {
            target: 'refused',
            actions: {
              type: 'keepRefusal',
              params: ({ event }) => ({ by: 'user', reason: event.reason }),
            },
          },
        ],
        expire: {
          target: 'refused',
          actions: {
            type: 'keepRefusal',
            params: ({ event }) => ({ by: 'expiry', reason: event.reason }),
          },
        },
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    executing: {
      description: 'The tool runs with the arguments the hooks left; cancelling aborts its signal.',
      tags: 'work',
      entry: 'offerQuestion',
      invoke: {
        id: 'tool',
        src: 'executeTool',
        input: ({ context }) => ({ ports: context.ports, toolInput: context.toolInput }),
        onDone: {
          target: 'judgingResult',
          actions: { type: 'keepResult', params: ({ event }) => event.output },
        },
        onError: {
          description:
            'A tool that throws gives a result with an error, which AfterTool hooks see.',
          target: 'judgingResult',
          actions: { type: 'keepThrown', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        question: [
          {
            description:
              'The host has a question of its own before it runs the tool, and hooks may answer it.',
            guard: 'hasHooksOnQuestion',
            target: 'permissionHooks',
            actions: 'noteQuestion',
          },
          { guard: 'isUnquestioned', target: 'asking', actions: 'noteQuestion' },
        ],
        cancel: {
          target: 'cancelled',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    judgingResult: {
      description: 'Whether hooks look at the result.',
      always: [
        { guard: 'hasHooksOnFailure', target: 'failureHooks' },
        { guard: 'hasHooksAfter', target: 'afterHooks' },
        { target: 'done' },
      ],
    },
    failureHooks: {
      description:
        'ToolFailed hooks may add context to the failure of the tool, or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'failureHooks',
        src: 'hookEvent',
        input: ({ context }) =>
          context.ports.hooksOnFailure!(context.toolInput, context.result ?? {}),
        onDone: {
          target: 'judgingFailure',
          actions: { type: 'keepFailed', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never blocks; the result is kept.',
          target: 'judgingFailure',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'ToolFailed', error: event.error }),
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
          entry: 'cancelFailure',
        },
      },
    },
    judgingFailure: {
      description: 'AfterTool hooks see the result of a tool that failed, too.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'hasHooksAfter', target: 'afterHooks' },
        { guard: 'isStoppedAfter', target: 'stopped' },
        { target: 'done' },
      ],
    },
    afterHooks: {
      description:
        'AfterTool hooks may add context, hide the result from the user or stop the agent.',
      tags: 'hooks',
      invoke: {
        id: 'afterHooks',
        src: 'hookEvent',
        input: ({ context }) => context.ports.hooksAfter!(context.toolInput, context.result ?? {}),
        onDone: {
          target: 'judgingAfter',
          actions: { type: 'keepAfter', params: ({ event }) => event.output },
        },
        onError: {
          description: 'A hook phase that breaks never blocks; the result is kept.',
          target: 'judgingAfter',
          actions: {
            type: 'noteFailure',
            params: ({ event }) => ({ phase: 'AfterTool', error: event.error }),
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
      description: 'What the hooks decided together; the result is kept in any case.',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStoppedAfter', target: 'stopped' },
        { target: 'done' },
      ],
    },
    done: {
      type: 'final',
      tags: 'ended',
      description: 'The tool ran and its result goes to the model.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'done',
        ...common(context),
        result: context.result ?? {},
      }),
    },
    blocked: {
      type: 'final',
      tags: 'ended',
      description: 'A hook forbade the call; the model reads the reason instead of a result.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'blocked',
        ...common(context),
        stop: (context.permission ?? context.before)?.verdict.stop === true,
      }),
    },
    stopped: {
      type: 'final',
      tags: 'ended',
      description: 'A hook stopped the agent; a result the tool already gave is kept.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'stopped',
        ...common(context),
        ...(context.result && { result: context.result }),
      }),
    },
    refused: {
      type: 'final',
      tags: 'ended',
      description: 'The tool was not available, or the user did not let it run.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'refused',
        ...common(context),
        ...context.refusal!,
      }),
    },
    deferred: {
      type: 'final',
      tags: 'ended',
      description:
        'A hook deferred the call; it can be made later, with the arguments the hooks left.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'deferred',
        ...common(context),
        id: context.id,
        toolName: context.toolName,
      }),
    },
    failed: {
      type: 'final',
      tags: 'ended',
      description: 'The hooks could not be planned, so the tool did not run.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'failed',
        ...common(context),
        error: context.error,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description: 'The caller gave up.',
      output: ({ context }): ToolCallOutcome => ({
        status: 'cancelled',
        ...common(context),
        reason: context.cancelReason ?? '',
        ...(context.result && { result: context.result }),
      }),
    },
  },
  output: ({ event }) => event.output as ToolCallOutcome,
});
