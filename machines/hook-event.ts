import { assign, enqueueActions, setup, stopChild } from 'xstate';
import type { HookProcessInput, HookProcessOutcome, hookProcessMachine } from './hook-process.ts';

/** What is told to the hooks; opaque to the machine. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** One hook's parsed output, as far as the machine must know it. */
export interface HookAnswer {
  readonly decision: 'deny' | 'ask' | 'allow' | undefined;
  /** The hook wants the agent to stop. */
  readonly stop: boolean;
  /** How the hook itself fared; only an `ok` answer may change what the next hook sees. */
  readonly fared: 'ok' | 'failed' | 'timedOut' | 'cancelled' | 'skipped' | 'untrusted';
}

/** All answers of one event merged, as far as a machine must know it. */
export interface HookVerdict {
  readonly blocked: boolean;
  readonly stop: boolean;
  /** The hooks have more for the agent to do. */
  readonly followUp?: boolean;
}

/** One hook of a plan; opaque to the machine but for its name. */
export interface PlannedHook {
  readonly name: string;
}

/** The rules of a plan: pure functions that the machine calls at the right moment. None may throw. */
export interface HookRules {
  /** What the process of this hook is given, for this payload. */
  prepare(hook: PlannedHook, payload: HookPayload): HookProcessInput;
  /** What the ended process means. */
  read(hook: PlannedHook, outcome: HookProcessOutcome): HookAnswer;
  /** What the next hook of a sequence is told after this answer. */
  chain(payload: HookPayload, answer: HookAnswer): HookPayload;
  /** All answers, in plan order, as one verdict. */
  merge(answers: readonly HookAnswer[], payload: HookPayload): HookVerdict;
}

export interface HookEventInput {
  readonly event: string;
  readonly mode: 'parallel' | 'sequential';
  readonly hooks: readonly PlannedHook[];
  readonly payload: HookPayload;
  readonly rules: HookRules;
}

export type HookEventOutcome =
  | { readonly status: 'settled'; readonly verdict: HookVerdict }
  | { readonly status: 'cancelled'; readonly verdict: HookVerdict; readonly reason: string };

export interface HookEventContext {
  readonly event: string;
  readonly mode: 'parallel' | 'sequential';
  readonly hooks: readonly PlannedHook[];
  readonly payload: HookPayload;
  readonly rules: HookRules;
  /** By plan position, whatever the order of finishing. */
  readonly answers: readonly (HookAnswer | undefined)[];
  /** How many hooks were started. */
  readonly started: number;
  readonly last?: HookAnswer;
  readonly cancelReason?: string;
}

export interface EndedHook {
  readonly actorId: string;
  readonly outcome: HookProcessOutcome;
}

/** Rules for a machine that is only looked at, without an engine behind it. */
const noRules: HookRules = {
  prepare: (hook) => ({
    name: hook.name,
    timeout: 60_000,
    command: { command: '', cwd: '', env: {}, stdin: () => '' },
  }),
  read: () => ({ decision: undefined, stop: false, fared: 'ok' }),
  chain: (payload) => payload,
  merge: () => ({ blocked: false, stop: false }),
};

/** All hooks of one event: side by side, or one after another with the changes passed on. */
export const hookEventMachine = setup({
  types: {
    context: {} as HookEventContext,
    events: {} as
      | { type: `xstate.done.actor.${string}`; output: HookProcessOutcome; actorId: string }
      | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string }
      | { type: 'cancel'; reason: string },
    input: {} as HookEventInput,
    output: {} as HookEventOutcome,
  },
  actors: { hookProcess: {} as typeof hookProcessMachine },
  actions: {
    startAll: enqueueActions(({ context, enqueue }) => {
      for (const [index, hook] of context.hooks.entries())
        enqueue.spawnChild('hookProcess', {
          id: `hook.${index}`,
          input: context.rules.prepare(hook, context.payload),
        });
      enqueue.assign({ started: context.hooks.length });
    }),
    startNext: enqueueActions(({ context, enqueue }) => {
      const hook = context.hooks[context.started];
      if (hook === undefined) return;
      enqueue.spawnChild('hookProcess', {
        id: `hook.${context.started}`,
        input: context.rules.prepare(hook, context.payload),
      });
      enqueue.assign({ started: context.started + 1 });
    }),
    keepAnswer: assign(({ context }, { actorId, outcome }: EndedHook) => {
      const index = Number(actorId.slice('hook.'.length));
      const hook = context.hooks[index];
      if (hook === undefined) return {};
      const last = context.rules.read(hook, outcome);
      return { last, answers: context.answers.with(index, last) };
    }),
    passOn: assign({
      payload: ({ context }) =>
        context.last ? context.rules.chain(context.payload, context.last) : context.payload,
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelRunning: enqueueActions(({ context, enqueue }) => {
      for (const [index, answer] of context.answers.entries())
        if (answer === undefined && index < context.started)
          enqueue.sendTo(`hook.${index}`, { type: 'cancel', reason: context.cancelReason ?? '' });
    }),
  },
  guards: {
    isSequential: ({ context }) => context.mode === 'sequential',
    allAnswered: ({ context }) =>
      context.answers.every((answer, index) => answer !== undefined || index >= context.started),
    blocks: ({ context }) => context.last?.decision === 'deny',
    stops: ({ context }) => context.last?.stop === true,
    isLast: ({ context }) => context.started === context.hooks.length,
    failed: ({ context }) => context.last !== undefined && context.last.fared !== 'ok',
  },
}).createMachine({
  id: 'hookEvent',
  description: 'The hooks planned for one event, and what they say together.',
  context: ({ input }) => ({
    event: input?.event ?? '',
    mode: input?.mode ?? 'parallel',
    hooks: input?.hooks ?? [],
    payload: input?.payload ?? {},
    rules: input?.rules ?? noRules,
    answers: (input?.hooks ?? []).map(() => undefined),
    started: 0,
  }),
  initial: 'choosing',
  states: {
    choosing: {
      description: 'One group that asked for a sequence makes the whole plan a sequence.',
      always: [{ guard: 'isSequential', target: 'sequence' }, { target: 'parallel' }],
    },
    parallel: {
      description: 'All hooks run side by side; every one is heard, in plan order.',
      entry: 'startAll',
      always: { guard: 'allAnswered', target: 'settled' },
      on: {
        'xstate.done.actor.*': {
          actions: [
            {
              type: 'keepAnswer',
              params: ({ event }) => ({ actorId: event.actorId, outcome: event.output }),
            },
            stopChild(({ event }) => event.actorId),
          ],
        },
        'xstate.error.actor.*': {
          actions: {
            type: 'keepAnswer',
            params: ({ event }) => ({
              actorId: event.actorId,
              outcome: { status: 'failed', error: new Error(String(event.error)) },
            }),
          },
        },
        cancel: {
          target: 'cancelling',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
    },
    sequence: {
      description: 'One hook at a time; each sees what those before it changed.',
      initial: 'next',
      on: {
        cancel: {
          target: 'cancelling',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
      states: {
        running: {
          description: 'The next hook of the plan runs.',
          entry: 'startNext',
          on: {
            'xstate.done.actor.*': {
              target: 'chaining',
              actions: [
                {
                  type: 'keepAnswer',
                  params: ({ event }) => ({ actorId: event.actorId, outcome: event.output }),
                },
                stopChild(({ event }) => event.actorId),
              ],
            },
            'xstate.error.actor.*': {
              target: 'chaining',
              actions: {
                type: 'keepAnswer',
                params: ({ event }) => ({
                  actorId: event.actorId,
                  outcome: { status: 'failed', error: new Error(String(event.error)) },
                }),
              },
            },
          },
        },
        chaining: {
          description:
            'A block or a stop ends the sequence; a failed hook changes nothing; any other passes its changes on.',
          always: [
            { guard: 'blocks', target: '#hookEvent.settled' },
            { guard: 'stops', target: '#hookEvent.settled' },
            { guard: 'failed', target: 'next' },
            { target: 'next', actions: 'passOn' },
          ],
        },
        next: {
          description: 'On to the next hook, if there is one.',
          always: [{ guard: 'isLast', target: '#hookEvent.settled' }, { target: 'running' }],
        },
      },
    },
    cancelling: {
      description: 'The caller gave up: running hooks are ended, each heard out to its end.',
      entry: 'cancelRunning',
      always: { guard: 'allAnswered', target: 'cancelled' },
      on: {
        'xstate.done.actor.*': {
          actions: [
            {
              type: 'keepAnswer',
              params: ({ event }) => ({ actorId: event.actorId, outcome: event.output }),
            },
            stopChild(({ event }) => event.actorId),
          ],
        },
        'xstate.error.actor.*': {
          actions: {
            type: 'keepAnswer',
            params: ({ event }) => ({
              actorId: event.actorId,
              outcome: { status: 'failed', error: new Error(String(event.error)) },
            }),
          },
        },
      },
    },
    settled: {
      type: 'final',
      description: 'Every started hook was heard; their verdict stands.',
      output: ({ context }): HookEventOutcome => ({
        status: 'settled',
        verdict: context.rules.merge(
          context.answers.filter((answer) => answer !== undefined),
          context.payload,
        ),
      }),
    },
    cancelled: {
      type: 'final',
      description: 'The caller gave up before the hooks had spoken.',
      output: ({ context }): HookEventOutcome => ({
        status: 'cancelled',
        reason: context.cancelReason ?? '',
        verdict: context.rules.merge(
          context.answers.filter((answer) => answer !== undefined),
          context.payload,
        ),
      }),
    },
  },
  output: ({ event }) => event.output as HookEventOutcome,
});
