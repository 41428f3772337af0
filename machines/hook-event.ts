import { assign, enqueueActions, setup, stopChild } from 'xstate';
import type { HookProcessInput, HookProcessOutcome, hookProcessMachine } from './hook-process.ts';

/** What the hooks receive; opaque to the machine. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** One hook's parsed output, as far as the machine must know it. */
export interface HookAnswer {
  readonly decision: 'deny' | 'defer' | 'ask' | 'allow' | undefined;
  /** The hook wants the agent to stop. */
  readonly stop: boolean;
  /** How the hook itself ended; only an `ok` answer may change what the next hook receives. */
  readonly status: 'ok' | 'failed' | 'timedOut' | 'cancelled' | 'skipped' | 'untrusted';
  /** In a sequence: what the next hook receives after this answer; absent when it changes nothing. */
  readonly passesOn?: HookPayload;
}

/** All answers to one event merged, as far as a machine must know it. */
export interface HookVerdict {
  readonly blocked: boolean;
  readonly stop: boolean;
  /** Someone must be asked before the operation continues. */
  readonly ask?: boolean;
  /** The operation is deferred until someone has answered. */
  readonly defer?: boolean;
  /** The hooks approved the operation, which spares the user the host's own question. */
  readonly approved?: boolean;
  /** The hooks have more for the agent to do. */
  readonly followUp?: boolean;
}

/** One hook of a plan; opaque to the machine except for its name. */
export interface PlannedHook {
  readonly name: string;
}

/** The hooks of one dialect in a plan. Lanes run side by side. */
export interface HookLane {
  readonly dialect: string;
  readonly mode: 'parallel' | 'sequential';
  /** The sequence continues after a hook that blocks or stops. */
  readonly runsOn?: true;
  /** The positions of its hooks in the plan, in order. */
  readonly positions: readonly number[];
  /**
   * For each of these hooks its level, 0 for the strongest: a sequence that a hook has ended continues with
   * stronger ones. Absent if all have the same level.
   */
  readonly levels?: readonly number[];
}

/** The rules of a plan: pure functions that the machine calls at the right moment. None may throw. */
export interface HookRules {
  /** Returns what the process of this hook receives for this payload. */
  prepare(hook: PlannedHook, payload: HookPayload): HookProcessInput;
  /**
   * Returns what the ended process means for a hook that received this payload; `first` is what the hook said
   * before it was asked once more.
   */
  read(
    hook: PlannedHook,
    outcome: HookProcessOutcome,
    payload: HookPayload,
    first?: HookAnswer,
  ): HookAnswer;
  /**
   * Merges all answers into one verdict: first those in plan order, then those of hooks that were asked once
   * more.
   */
  merge(answers: readonly HookAnswer[], payload: HookPayload): HookVerdict;
  /**
   * Returns the hooks that judged something other than what would run now; absent when none is asked once
   * more.
   */
  recheck?(answers: readonly (HookAnswer | undefined)[], verdict: HookVerdict): Recheck | undefined;
}

/** Hooks that are asked once more, about what the others have turned the payload into. */
export interface Recheck {
  /** Their positions in the plan. */
  readonly positions: readonly number[];
  readonly payload: HookPayload;
}

/** Tells those who follow the event what happens: telemetry, the log, the user. None may throw. */
export interface HookReports {
  answered(answer: HookAnswer): void;
  decided(verdict: HookVerdict): void;
}

/** Hooks that nobody waits for; they belong to no lane. */
export interface UnawaitedInput {
  /** Their positions in the plan. */
  readonly positions: readonly number[];
  /** Starts one of them as a separate actor, which outlives the event. Must not throw. */
  start(hook: PlannedHook, payload: HookPayload): void;
}

export interface HookEventInput {
  readonly event: string;
  /** In plan order. */
  readonly hooks: readonly PlannedHook[];
  readonly lanes: readonly HookLane[];
  readonly unawaited?: UnawaitedInput;
  readonly payload: HookPayload;
  readonly rules: HookRules;
  readonly reports: HookReports;
}

export type HookEventOutcome =
  | { readonly status: 'settled'; readonly verdict: HookVerdict }
  | { readonly status: 'cancelled'; readonly verdict: HookVerdict; readonly reason: string };

export interface HookEventContext {
  readonly input: HookEventInput;
  readonly lanes: readonly HookLane[];
  /** By lane, what its next hook receives: in a sequence, with the changes of those before it. */
  readonly payloads: readonly HookPayload[];
  /** By plan position, whatever the order of finishing. */
  readonly answers: readonly (HookAnswer | undefined)[];
  /** By plan position. */
  readonly started: readonly boolean[];
  /** The plan position of the latest answer. */
  readonly last?: number;
  /** By plan position, the answers given before hooks were asked once more. */
  readonly judged?: readonly (HookAnswer | undefined)[];
  readonly cancelReason?: string;
  readonly verdict?: HookVerdict;
}

/** The lane that a hook belongs to, and the lane's index. */
const laneAt = ({ lanes }: HookEventContext, position: number | undefined) => {
  const index = lanes.findIndex(({ positions }) => positions.includes(position ?? -1));
  return { index, lane: lanes[index] };
};

/** Whether an answer ends a sequence for hooks of its own level and of weaker ones. */
const ends = (answer: HookAnswer | undefined): boolean =>
  answer?.decision === 'deny' || answer?.stop === true;

/** The plan position of the hook that follows the last answer's hook in its sequence. */
const nextInSequence = (context: HookEventContext): number | undefined => {
  const { answers, started, last } = context;
  const { lane } = laneAt(context, last);
  if (lane?.mode !== 'sequential') return undefined;
  const { positions, levels = [], runsOn } = lane;
  const level = (place: number): number => levels[place] ?? 0;
  const ending = positions.flatMap((position, place) =>
    ends(answers[position]) && !runsOn ? [level(place)] : [],
  );
  const weakest = Math.min(...ending);
  return positions.find((position, place) => !started[position] && level(place) < weakest);
};

const lastAnswer = ({ answers, last }: HookEventContext): HookAnswer | undefined =>
  last === undefined ? undefined : answers[last];

/** Hooks are asked again only once. */
const dueRecheck = ({ input, answers, judged, verdict }: HookEventContext): Recheck | undefined =>
  judged === undefined && verdict !== undefined
    ? input.rules.recheck?.(answers, verdict)
    : undefined;

/** A child that has ended; the outcome of one that broke is a failure. */
export interface EndedChild {
  readonly actorId: string;
  readonly outcome: HookProcessOutcome;
}

/** All hooks of one event, lane by lane: side by side, or one after another with the changes passed on. */
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
    startUnawaited: ({ context: { input, judged } }) => {
      if (judged !== undefined) return;
      for (const position of input.unawaited?.positions ?? [])
        input.unawaited?.start(input.hooks[position]!, input.payload);
    },
    startLanes: enqueueActions(({ context: { input, lanes, payloads, started }, enqueue }) => {
      const starting = lanes.flatMap(({ mode, positions }, lane) =>
        positions
          .slice(0, mode === 'sequential' ? 1 : undefined)
          .map((position) => ({ position, payload: payloads[lane] ?? {} })),
      );
      for (const { position, payload } of starting)
        enqueue.spawnChild('hookProcess', {
          id: `hook.${position}`,
          input: { ...input.rules.prepare(input.hooks[position]!, payload), position },
        });
      const begun = new Set(starting.map(({ position }) => position));
      enqueue.assign({ started: started.map((_, position) => begun.has(position)) });
    }),
    startNext: enqueueActions(({ context, enqueue }) => {
      const { input, payloads, started } = context;
      const position = nextInSequence(context);
      const { index } = laneAt(context, position);
      if (position === undefined) return;
      enqueue.spawnChild('hookProcess', {
        id: `hook.${position}`,
        input: { ...input.rules.prepare(input.hooks[position]!, payloads[index] ?? {}), position },
      });
      enqueue.assign({ started: started.with(position, true) });
    }),
    keepAnswer: assign(({ context }, { actorId, outcome }: EndedChild) => {
      const { answers, input, payloads, judged } = context;
      const position = input.hooks.findIndex((_, index) => actorId === `hook.${index}`);
      const hook = input.hooks[position];
      if (hook === undefined) return {};
      const payload = payloads[laneAt(context, position).index] ?? {};
      const answer = input.rules.read(hook, outcome, payload, judged?.[position]);
      return { last: position, answers: answers.with(position, answer) };
    }),
    passOn: assign({
      payloads: ({ context }) => {
        const { payloads, last } = context;
        const { index } = laneAt(context, last);
        return payloads.with(index, lastAnswer(context)?.passesOn ?? payloads[index] ?? {});
      },
    }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelRunning: enqueueActions(({ context, enqueue }, reason: string) => {
      for (const [position, answer] of context.answers.entries())
        if (answer === undefined && context.started[position] === true)
          enqueue.sendTo(`hook.${position}`, { type: 'cancel', reason });
    }),
    mergeAnswers: assign({
      verdict: ({ context: { input, answers, judged = [] } }) =>
        input.rules.merge(
          [...judged, ...answers].filter((answer) => answer !== undefined),
          input.payload,
        ),
    }),
    prepareRecheck: assign(({ context }) => {
      const { input, answers } = context;
      const recheck = dueRecheck(context);
      if (recheck === undefined) return {};
      const { positions, payload } = recheck;
      return {
        lanes: [{ dialect: '', mode: 'parallel' as const, positions }],
        payloads: [payload],
        judged: answers,
        answers: input.hooks.map(() => undefined),
        started: input.hooks.map(() => false),
      };
    }),
    reportAnswer: ({ context }) => {
      const answer = lastAnswer(context);
      if (answer) context.input.reports.answered(answer);
    },
    reportVerdict: ({ context: { input, verdict } }) => verdict && input.reports.decided(verdict),
  },
  guards: {
    allAnswered: ({ context: { answers, started } }) =>
      answers.every((answer, position) => answer !== undefined || !started[position]),
    blocks: ({ context }) =>
      lastAnswer(context)?.decision === 'deny' && nextInSequence(context) === undefined,
    stops: ({ context }) =>
      lastAnswer(context)?.stop === true && nextInSequence(context) === undefined,
    endsLane: ({ context }) => nextInSequence(context) === undefined,
    failed: ({ context }) => lastAnswer(context)?.status !== 'ok',
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    mustRecheck: ({ context }) => dueRecheck(context) !== undefined,
  },
}).createMachine({
  id: 'hookEvent',
  description: 'The hooks planned for one event, and what they say together.',
  context: ({ input }) => ({
    input,
    lanes: input?.lanes ?? [],
    payloads: (input?.lanes ?? []).map(() => input.payload),
    answers: (input?.hooks ?? []).map(() => undefined),
    started: (input?.hooks ?? []).map(() => false),
  }),
  initial: 'hearing',
  states: {
    hearing: {
      description:
        'Lanes run in parallel: all hooks of a parallel lane at once, those of a sequence one after another. Each answers as it ends, except those that are not waited for: they outlive the event.',
      tags: 'hooks',
      entry: ['startUnawaited', 'startLanes'],
      initial: 'waiting',
      on: {
        'xstate.done.actor.*': {
          target: '.judging',
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
          target: '.judging',
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
        waiting: {
          description: 'Waiting for a hook to answer.',
          always: { guard: 'allAnswered', target: '#hookEvent.merging' },
          on: {
            cancel: {
              target: 'cancelling',
              actions: [
                { type: 'keepCancel', params: ({ event }) => event.reason },
                { type: 'cancelRunning', params: ({ event }) => event.reason },
              ],
            },
          },
        },
        judging: {
          description:
            'In a sequence, a block or a stop ends the lane, unless its dialect continues or hooks of a stronger level follow; a failed hook changes nothing; any other passes its changes on to the next.',
          always: [
            { guard: 'wasCancelled', target: 'cancelling' },
            { guard: 'blocks', target: 'waiting' },
            { guard: 'stops', target: 'waiting' },
            { guard: 'endsLane', target: 'waiting' },
            { guard: 'failed', target: 'waiting', actions: 'startNext' },
            { target: 'waiting', actions: ['passOn', 'startNext'] },
          ],
        },
        cancelling: {
          description: 'The caller gave up: running hooks are ended, and each is waited for.',
          always: { guard: 'allAnswered', target: '#hookEvent.merging' },
        },
      },
    },
    merging: {
      description: 'All that was said becomes one verdict, in plan order.',
      entry: 'mergeAnswers',
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'mustRecheck', target: 'rechecking' },
        { target: 'settled' },
      ],
    },
    rechecking: {
      description:
        'Hooks changed what others had judged: those are asked again, about what would run now.',
      entry: 'prepareRecheck',
      always: 'hearing',
    },
    settled: {
      type: 'final',
      tags: 'ended',
      entry: 'reportVerdict',
      description: 'Every started hook has answered; their verdict is final.',
      output: ({ context }): HookEventOutcome => ({
        status: 'settled',
        verdict: context.verdict!,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      entry: 'reportVerdict',
      description: 'The caller gave up before the hooks had answered.',
      output: ({ context }): HookEventOutcome => ({
        status: 'cancelled',
        reason: context.cancelReason ?? '',
        verdict: context.verdict!,
      }),
    },
  },
  output: ({ event }) => event.output as HookEventOutcome,
});
