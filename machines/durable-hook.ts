import { assign, fromPromise, sendTo, setup } from 'xstate';
import type { HookProcessInput, HookProcessOutcome, hookProcessMachine } from './hook-process.ts';

/** Whether a hook may start: it may if nobody has claimed it, otherwise there is already an outcome. */
export type HookClaim =
  | { readonly status: 'claimed' }
  | { readonly status: 'recorded'; readonly outcome: HookProcessOutcome };

/** A hook's process, with the name of its effect in the ledger. */
export interface DurableHookInput extends HookProcessInput {
  readonly effect: string;
}

export interface DurableHookContext {
  readonly input: DurableHookInput;
  readonly outcome?: HookProcessOutcome;
  readonly cancelReason?: string;
}

const outcomeOf = ({ outcome, cancelReason }: DurableHookContext): HookProcessOutcome =>
  outcome ?? { status: 'cancelled', reason: cancelReason ?? '' };

const unreachable: HookProcessOutcome = {
  status: 'cancelled',
  reason: 'its ledger is out of reach',
};

/**
 * A hook that is started at most once, whichever host dies: it is claimed first, and its outcome is written
 * once.
 */
export const durableHookMachine = setup({
  types: {
    context: {} as DurableHookContext,
    events: {} as { type: 'cancel'; reason: string },
    input: {} as DurableHookInput,
    output: {} as HookProcessOutcome,
    children: {} as { claim: 'claim'; process: 'hookProcess'; record: 'record' },
    tags: {} as 'work' | 'ended',
  },
  actors: {
    claim: fromPromise<HookClaim, string>(() => {
      throw new Error('Provide the actor "claim".');
    }),
    hookProcess: {} as typeof hookProcessMachine,
    record: fromPromise<HookProcessOutcome, { effect: string; outcome: HookProcessOutcome }>(() => {
      throw new Error('Provide the actor "record".');
    }),
  },
  actions: {
    keepOutcome: assign({ outcome: (_, outcome: HookProcessOutcome) => outcome }),
    keepClaimed: assign({
      outcome: ({ context }, claim: HookClaim) =>
        claim.status === 'recorded' ? claim.outcome : context.outcome,
    }),
    keepBroken: assign({
      outcome: (_, { error }: { error: unknown }): HookProcessOutcome => ({
        status: 'failed',
        error: new Error(String(error)),
      }),
    }),
    giveUp: assign({ outcome: () => unreachable }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelProcess: sendTo('process', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
  },
  guards: {
    // A simulator's event carries nothing.
    isRecorded: (_, claim: HookClaim | undefined) => claim?.status === 'recorded',
    endedAs: ({ context }, { status }: { status: HookProcessOutcome['status'] }) =>
      outcomeOf(context).status === status,
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
  },
}).createMachine({
  id: 'durableHook',
  description: 'One hook that is started at most once, whichever host dies.',
  context: ({ input }) => ({ input }),
  initial: 'claiming',
  on: {
    cancel: { actions: { type: 'keepCancel', params: ({ event }) => event.reason } },
  },
  states: {
    claiming: {
      description: 'The claim is committed before anything starts.',
      invoke: {
        id: 'claim',
        src: 'claim',
        input: ({ context }) => context.input.effect,
        onDone: [
          {
            guard: { type: 'isRecorded', params: ({ event }) => event.output },
            target: 'ending',
            actions: { type: 'keepClaimed', params: ({ event }) => event.output },
          },
          { guard: 'wasCancelled', target: 'recording' },
          { target: 'running' },
        ],
        onError: {
          description: 'It is unknown whether it ran, so nothing starts, and its call is given up.',
          target: 'ending',
          actions: 'giveUp',
        },
      },
    },
    running: {
      description: 'The hook runs like any other.',
      tags: 'work',
      invoke: {
        id: 'process',
        src: 'hookProcess',
        input: ({ context }) => context.input,
        onDone: {
          target: 'recording',
          actions: { type: 'keepOutcome', params: ({ event }) => event.output },
        },
        onError: {
          target: 'recording',
          actions: { type: 'keepBroken', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        cancel: {
          actions: [{ type: 'keepCancel', params: ({ event }) => event.reason }, 'cancelProcess'],
        },
      },
    },
    recording: {
      description: 'The first outcome that is written wins.',
      invoke: {
        id: 'record',
        src: 'record',
        input: ({ context }) => ({ effect: context.input.effect, outcome: outcomeOf(context) }),
        onDone: {
          target: 'ending',
          actions: { type: 'keepOutcome', params: ({ event }) => event.output },
        },
        onError: {
          description: 'An answer that others cannot read does not count.',
          target: 'ending',
          actions: 'giveUp',
        },
      },
    },
    ending: {
      description: 'What is written is what counts, whoever wrote it.',
      always: [
        { guard: { type: 'endedAs', params: { status: 'exited' } }, target: 'exited' },
        { guard: { type: 'endedAs', params: { status: 'timedOut' } }, target: 'timedOut' },
        { guard: { type: 'endedAs', params: { status: 'failed' } }, target: 'failed' },
        { target: 'cancelled' },
      ],
    },
    exited: {
      type: 'final',
      tags: 'ended',
      description: 'The hook ended in time; its exit says what it wants.',
      output: ({ context }): HookProcessOutcome => outcomeOf(context),
    },
    timedOut: {
      type: 'final',
      tags: 'ended',
      description: 'The hook overran its deadline.',
      output: ({ context }): HookProcessOutcome => outcomeOf(context),
    },
    failed: {
      type: 'final',
      tags: 'ended',
      description: 'The hook could not be run, or its host ended while it ran.',
      output: ({ context }): HookProcessOutcome => outcomeOf(context),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description:
        'The caller gave up, or the ledger is out of reach: then the call is continued later.',
      output: ({ context }): HookProcessOutcome => outcomeOf(context),
    },
  },
  output: ({ event }) => event.output as HookProcessOutcome,
});
