import { assign, enqueueActions, setup, stopChild } from 'xstate';
import type { HookProcessInput, HookProcessOutcome, hookProcessMachine } from './hook-process.ts';

/** What is told to the hooks; opaque to the machine. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** One hook's parsed output, as far as the machine must know it. */
export interface HookAnswer {
  readonly decision: 'deny' | 'ask' | 'allow' | undefined;
  /** The hook wants the agent to stop. */
  readonly stop: boolean;
  /** How the hook itself ended; only an `ok` answer may change what the next hook sees. */
  readonly status: 'ok' | 'failed' | 'timedOut' | 'cancelled' | 'skipped' | 'untrusted';
  /** In a sequence: what the next hook is given after this answer; absent when it changes nothing. */
  readonly passesOn?: HookPayload;
}

/** All answers of one event merged, as far as a machine must know it. */
export interface HookVerdict {
  readonly blocked: boolean;
  readonly stop: boolean;
  /** The tool is not to run now. */
  readonly defer?: boolean;
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
  /** What the ended process means, for a hook that was given this payload. */
  read(hook: PlannedHook, outcome: HookProcessOutcome, payload: HookPayload): HookAnswer;
  /** All answers, in plan order, as one verdict. */
  merge(answers: readonly HookAnswer[], payload: HookPayload): HookVerdict;
}

/** Reports what happens to whoever follows the event: telemetry, the log, the user. Nothing may throw. */
export interface HookReports {
  answered(answer: HookAnswer): void;
  decided(verdict: HookVerdict): void;
}

export interface HookEventInput {
  readonly event: string;
  readonly mode: 'parallel' | 'sequential';
  readonly hooks: readonly PlannedHook[];
  readonly payload: HookPayload;
  readonly rules: HookRules;
  readonly reports: HookReports;
}

export type HookEventOutcome =
  | { readonly status: 'settled'; readonly verdict: HookVerdict }
  | { readonly status: 'cancelled'; readonly verdict: HookVerdict; readonly reason: string };

export interface HookEventContext {
  readonly input: HookEventInput;
  /** What the next hook is given: in a sequence, with the changes of those before it. */
  readonly payload: HookPayload;
  /** By plan position, whatever the order of finishing. */
  readonly answers: readonly (HookAnswer | undefined)[];
  /** How many hooks were started. */
  readonly started: number;
  readonly last?: HookAnswer;
  readonly cancelReason?: string;
  readonly verdict?: HookVerdict;
}

/** A child that has ended; one that broke has an error in the place of an outcome. */
export interface EndedChild {
  readonly actorId: string;
  readonly outcome: HookProcessOutcome;
}

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
    tags: {} as 'hooks' | 'ended',
  },
  actors: { hookProcess: {} as typeof hookProcessMachine },
  actions: {
    startAll: enqueueActions(({ context: { input, payload }, enqueue }) => {
      for (const [position, hook] of input.hooks.entries())
        enqueue.spawnChild('hookProcess', {
          id: `hook.${position}`,
          input: { ...input.rules.prepare(hook, payload), position },
        });
      enqueue.assign({ started: input.hooks.length });
    }),
    startNext: enqueueActions(({ context: { input, payload, started }, enqueue }) => {
      const hook = input.hooks[started];
      if (hook === undefined) return;
      enqueue.spawnChild('hookProcess', {
        id: `hook.${started}`,
        input: { ...input.rules.prepare(hook, payload), position: started },
      });
      enqueue.assign({ started: started + 1 });
    }),
    keepAnswer: assign(({ context }, { actorId, outcome }: EndedChild) => {
      const { answers, input, payload } = context;
      const position = input.hooks.findIndex((_, index) => actorId === `hook.${index}`);
      const hook = input.hooks[position];
      if (hook === undefined) return {};
      const last = input.rules.read(hook, outcome, payload);
      return { last, answers: answers.with(position, last) };
    }),
    passOn: assign({
      payload: ({ context: { payload, last } }) => last?.passesOn ?? payload,
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelRunning: enqueueActions(({ context, enqueue }) => {
      for (const [position, answer] of context.answers.entries())
        if (answer === undefined && position < context.started)
          enqueue.sendTo(`hook.${position}`, {
            type: 'cancel',
            reason: context.cancelReason ?? '',
          });
    }),
    mergeAnswers: assign({
      verdict: ({ context: { input, answers } }) =>
        input.rules.merge(
          answers.filter((answer) => answer !== undefined),
          input.payload,
        ),
    }),
    reportAnswer: ({ context: { input, last } }) => last && input.reports.answered(last),
    reportVerdict: ({ context: { input, verdict } }) => verdict && input.reports.decided(verdict),
  },
  guards: {
    isSequential: ({ context }) => context.input.mode === 'sequential',
    allAnswered: ({ context }) =>
      context.answers.every((answer, index) => answer !== undefined || index >= context.started),
    blocks: ({ context }) => context.last?.decision === 'deny',
    stops: ({ context }) => context.last?.stop === true,
    isLast: ({ context }) => context.started === context.input.hooks.length,
    failed: ({ context }) => context.last !== undefined && context.last.status !== 'ok',
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
  },
}).createMachine({
  id: 'hookEvent',
  description: 'The hooks planned for one event, and what they say together.',
  context: ({ input }) => ({
    input,
    payload: input?.payload ?? {},
    answers: (input?.hooks ?? []).map(() => undefined),
    started: 0,
  }),
  initial: 'hearing',
  states: {
    hearing: {
      description: 'Hooks run, and each is heard as it ends.',
      tags: 'hooks',
      initial: 'choosing',
      on: {
        'xstate.done.actor.*': {
          actions: [
            {
              type: 'keepAnswer',
              params: ({ event }) => ({ actorId: event.actorId, outcome: event.output }),
            },
            'reportAnswer',
            stopChild(({ event }) => event.actorId),
          ],
        },
        'xstate.error.actor.*': {
          description: 'A hook whose machine broke has failed.',
          actions: [
            {
              type: 'keepAnswer',
              params: ({ event }) => ({
                actorId: event.actorId,
                outcome: { status: 'failed', error: new Error(String(event.error)) },
              }),
            },
            'reportAnswer',
          ],
        },
      },
      states: {
        choosing: {
          description: 'One group that asked for a sequence makes the whole plan a sequence.',
          always: [{ guard: 'isSequential', target: 'sequence' }, { target: 'parallel' }],
        },
        parallel: {
          description: 'All hooks run side by side; every one is heard, in plan order.',
          entry: 'startAll',
          always: { guard: 'allAnswered', target: '#hookEvent.merging' },
          on: {
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
            next: {
              description: 'On to the next hook, if there is one.',
              always: [{ guard: 'isLast', target: '#hookEvent.merging' }, { target: 'running' }],
            },
            running: {
              description: 'The next hook of the plan runs.',
              entry: 'startNext',
              always: { guard: 'allAnswered', target: 'judging' },
            },
            judging: {
              description:
                'A block or a stop ends the sequence; a failed hook changes nothing; any other passes its changes on.',
              always: [
                { guard: 'blocks', target: '#hookEvent.merging' },
                { guard: 'stops', target: '#hookEvent.merging' },
                { guard: 'failed', target: 'next' },
                { target: 'next', actions: 'passOn' },
              ],
            },
          },
        },
        cancelling: {
          description: 'The caller gave up: running hooks are ended, each heard out to its end.',
          entry: 'cancelRunning',
          always: { guard: 'allAnswered', target: '#hookEvent.merging' },
        },
      },
    },
    merging: {
      description: 'All that was said becomes one verdict, in plan order.',
      entry: ['mergeAnswers', 'reportVerdict'],
      always: [{ guard: 'wasCancelled', target: 'cancelled' }, { target: 'settled' }],
    },
    settled: {
      type: 'final',
      tags: 'ended',
      description: 'Every started hook was heard; their verdict stands.',
      output: ({ context }): HookEventOutcome => ({
        status: 'settled',
        verdict: context.verdict!,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description: 'The caller gave up before the hooks had spoken.',
      output: ({ context }): HookEventOutcome => ({
        status: 'cancelled',
        reason: context.cancelReason ?? '',
        verdict: context.verdict!,
      }),
    },
  },
  output: ({ event }) => event.output as HookEventOutcome,
});
