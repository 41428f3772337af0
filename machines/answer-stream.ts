import { assign, sendTo, setup } from 'xstate';
import type { HookAnswer, HookVerdict, PlannedHook } from './hook-event.ts';
import type { HookProcessInput, HookProcessOutcome, hookProcessMachine } from './hook-process.ts';

/** A piece of an answer's text, as one hook receives it. */
export interface TextPiece {
  /** What the hook held back before, plus what has arrived since. */
  readonly text: string;
  /** No more text follows directly. */
  readonly done: boolean;
}

/** A hook's reply to a piece. */
export interface PieceReply {
  /** What is passed on, to the next hook or to the user. */
  readonly text: string;
  /** What is given to the hook again, before the text that follows. */
  readonly held: string;
  /** The hook's answer; a denial or a stop ends the model's answer here. */
  readonly answer: HookAnswer;
}

/** The rules of a stream: pure functions that the machine calls at the right moment. None may throw. */
export interface StreamRules {
  /** Returns what the process of this hook receives for this piece. */
  prepare(hook: PlannedHook, piece: TextPiece): HookProcessInput;
  /** Returns what the ended process means for a hook that received this piece. */
  read(hook: PlannedHook, outcome: HookProcessOutcome, piece: TextPiece): PieceReply;
  /** Merges each hook's last answer, in plan order, into one verdict. */
  merge(answers: readonly HookAnswer[]): HookVerdict;
}

/** Reports what happens to those who follow the stream. Nothing may throw. */
export interface StreamReports {
  /** Text that may be shown. */
  shown(text: string): void;
  answered(answer: HookAnswer): void;
  decided(verdict: HookVerdict): void;
}

export interface AnswerStreamInput {
  readonly event: string;
  /** In plan order: each receives the text as those before it left it. */
  readonly hooks: readonly PlannedHook[];
  readonly rules: StreamRules;
  readonly reports: StreamReports;
}

/** An uninterrupted run of text, as the model gave it and as the hooks let it through. */
export interface TextBlock {
  readonly given: string;
  readonly shown: string;
}

/** How an answer's text passed through its hooks. */
export type AnswerStreamOutcome = {
  readonly blocks: readonly TextBlock[];
  readonly verdict: HookVerdict;
} & (
  | { readonly status: 'done' | 'blocked' | 'stopped' }
  | { readonly status: 'cancelled'; readonly reason: string }
);

/** What one hook did with the pieces of an answer. */
export interface StreamedHook {
  readonly pieces: number;
  /** How many of them it changed. */
  readonly changed: number;
  /** Its last answer, if it gave any. */
  readonly answer?: HookAnswer;
  readonly held: string;
}

export interface AnswerStreamContext {
  readonly input: AnswerStreamInput;
  /** Text that has arrived and has not been given to a hook yet. */
  readonly arrived: string;
  /** Those who wait until all text that has arrived has been let through. */
  readonly waiting: readonly (() => void)[];
  /** The piece on its way through the hooks. */
  readonly piece: TextPiece;
  /** The position of the hook that has the piece. */
  readonly position: number;
  /** By plan position. */
  readonly progress: readonly StreamedHook[];
  readonly blocks: readonly TextBlock[];
  /** The model has sent its whole answer. */
  readonly isOver: boolean;
  /** A hook has ended the answer. */
  readonly isCut: boolean;
  readonly cancelReason?: string;
  readonly verdict?: HookVerdict;
}

const empty: TextBlock = { given: '', shown: '' };

/**
 * Returns the position of the next hook that must see the piece: a failed hook is not asked again, and no
 * hook is asked about empty text.
 */
const nextHook = ({ progress, piece, blocks }: AnswerStreamContext, from: number): number =>
  piece.text === '' && !(piece.done && blocks.at(-1)?.given)
    ? -1
    : progress.findIndex(
        ({ answer }, position) => position >= from && (answer?.status ?? 'ok') === 'ok',
      );

const pieceFor = ({ progress, position, piece }: AnswerStreamContext): TextPiece => ({
  ...piece,
  text: `${progress[position]?.held ?? ''}${piece.text}`,
});

/** The text of one answer on its way through hooks, as it arrives. */
export const answerStreamMachine = setup({
  types: {
    context: {} as AnswerStreamContext,
    events: {} as
      | { type: 'text'; text: string }
      | { type: 'text.end'; whenShown: () => void }
      | { type: 'finish' }
      | { type: 'cancel'; reason: string },
    input: {} as AnswerStreamInput,
    output: {} as AnswerStreamOutcome,
    children: {} as { hook: 'hookProcess' },
    tags: {} as 'hooks' | 'ended',
  },
  actors: { hookProcess: {} as typeof hookProcessMachine },
  actions: {
    keepText: assign(({ context: { arrived, blocks } }, text: string) => {
      const { given, shown } = blocks.at(-1) ?? empty;
      return {
        arrived: arrived + text,
        blocks: [...blocks.slice(0, -1), { given: given + text, shown }],
      };
    }),
    keepEnd: assign({
      waiting: ({ context }, whenShown: () => void) => [...context.waiting, whenShown],
    }),
    noteOver: assign({ isOver: true }),
    keepCancel: assign({ cancelReason: (_, reason: string) => reason }),
    cancelHook: sendTo('hook', ({ context }) => ({
      type: 'cancel' as const,
      reason: context.cancelReason ?? '',
    })),
    takePiece: assign(({ context: { arrived, waiting } }) => ({
      piece: { text: arrived, done: waiting.length > 0 },
      arrived: '',
    })),
    toFirst: assign({ position: ({ context }) => nextHook(context, 0) }),
    toNext: assign({ position: ({ context }) => nextHook(context, context.position + 1) }),
    keepReply: assign(({ context }, outcome: HookProcessOutcome) => {
      const { input, progress, position } = context;
      const asked = pieceFor(context);
      const { text, held, answer } = input.rules.read(input.hooks[position]!, outcome, asked);
      const { pieces, changed } = progress[position]!;
      const isCut = answer.decision === 'deny' || answer.stop;
      return {
        isCut: context.isCut || isCut,
        piece: { text, done: asked.done || isCut },
        progress: progress.with(position, {
          pieces: pieces + 1,
          changed: changed + (text + held === asked.text ? 0 : 1),
          held,
          answer,
        }),
      };
    }),
    reportAnswer: ({ context: { input, progress, position } }) => {
      const { answer } = progress[position]!;
      if (answer) input.reports.answered(answer);
    },
    show: ({ context: { input, piece } }) => {
      if (piece.text !== '') input.reports.shown(piece.text);
    },
    keepShown: assign({
      blocks: ({ context: { blocks, piece } }) => {
        const { given, shown } = blocks.at(-1) ?? empty;
        const block = { given, shown: shown + piece.text };
        return [...blocks.slice(0, -1), block, ...(piece.done && given !== '' ? [empty] : [])];
      },
    }),
    reportEnd: ({ context: { waiting, piece } }) => {
      if (piece.done) for (const whenShown of waiting) whenShown();
    },
    forgetEnd: assign({
      waiting: ({ context: { waiting, piece } }) => (piece.done ? [] : waiting),
    }),
    merge: assign({
      verdict: ({ context: { input, progress } }) =>
        input.rules.merge(progress.flatMap(({ answer }) => answer ?? [])),
    }),
    reportVerdict: ({ context: { input, verdict } }) => verdict && input.reports.decided(verdict),
  },
  guards: {
    hasText: ({ context: { arrived, waiting } }) => arrived !== '' || waiting.length > 0,
    hasHook: ({ context }) => context.position !== -1,
    hasEnded: ({ context: { cancelReason, isOver, arrived, waiting } }) =>
      cancelReason !== undefined || (isOver && arrived === '' && waiting.length === 0),
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    isCut: ({ context }) => context.isCut,
    isStopped: ({ context }) =>
      context.isCut && context.verdict?.stop === true && !context.verdict.blocked,
  },
}).createMachine({
  id: 'answerStream',
  description:
    'The text of one answer on its way through streaming hooks, as the model produces it.',
  context: ({ input }) => ({
    input,
    arrived: '',
    waiting: [],
    piece: { text: '', done: false },
    position: -1,
    progress: input.hooks.map(() => ({ pieces: 0, changed: 0, held: '' })),
    blocks: [empty],
    isOver: false,
    isCut: false,
  }),
  initial: 'waiting',
  on: {
    text: { actions: { type: 'keepText', params: ({ event }) => event.text } },
    'text.end': { actions: { type: 'keepEnd', params: ({ event }) => event.whenShown } },
    finish: { actions: 'noteOver' },
    cancel: { actions: { type: 'keepCancel', params: ({ event }) => event.reason } },
  },
  states: {
    waiting: {
      description: 'Waiting for text from the model.',
      always: [
        { guard: 'hasEnded', target: 'merging' },
        { guard: 'hasText', target: 'passing', actions: ['takePiece', 'toFirst'] },
      ],
    },
    passing: {
      description: 'Each hook is given what those before it made of the piece.',
      always: [{ guard: 'hasHook', target: 'asking' }, { target: 'showing' }],
    },
    asking: {
      description:
        'One hook has the piece, preceded by what it held back. What arrives meanwhile goes into the next piece.',
      tags: 'hooks',
      invoke: {
        id: 'hook',
        src: 'hookProcess',
        input: ({ context }) => {
          const { input, position } = context;
          return input.rules.prepare(input.hooks[position]!, pieceFor(context));
        },
        onDone: [
          { guard: 'wasCancelled', target: 'merging' },
          {
            target: 'passing',
            actions: [
              { type: 'keepReply', params: ({ event }) => event.output },
              'reportAnswer',
              'toNext',
            ],
          },
        ],
        onError: [
          { guard: 'wasCancelled', target: 'merging' },
          {
            description: 'A hook whose machine broke has failed.',
            target: 'passing',
            actions: [
              {
                type: 'keepReply',
                params: ({ event }) => ({
                  status: 'failed',
                  error: new Error(String(event.error)),
                }),
              },
              'reportAnswer',
              'toNext',
            ],
          },
        ],
      },
      initial: 'running',
      states: {
        running: {
          description: 'The hook runs; a cancel is passed on to it.',
          on: {
            cancel: {
              target: 'cancelling',
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
        cancelling: {
          description: 'The hook was asked to end, and is waited for.',
          entry: 'cancelHook',
        },
      },
    },
    showing: {
      description: 'What the hooks let through is shown; what they hold back comes again later.',
      entry: ['show', 'keepShown', 'reportEnd', 'forgetEnd'],
      always: [{ guard: 'isCut', target: 'merging' }, { target: 'waiting' }],
    },
    merging: {
      description: 'What the hooks said about the text becomes one verdict.',
      entry: ['merge', 'reportVerdict'],
      always: [
        { guard: 'wasCancelled', target: 'cancelled' },
        { guard: 'isStopped', target: 'stopped' },
        { guard: 'isCut', target: 'blocked' },
        { target: 'done' },
      ],
    },
    done: {
      type: 'final',
      tags: 'ended',
      description: 'All of the text went through.',
      output: ({ context }): AnswerStreamOutcome => ({
        status: 'done',
        blocks: context.blocks,
        verdict: context.verdict!,
      }),
    },
    blocked: {
      type: 'final',
      tags: 'ended',
      description: 'A hook denied: what was shown stays, and the rest is never shown.',
      output: ({ context }): AnswerStreamOutcome => ({
        status: 'blocked',
        blocks: context.blocks,
        verdict: context.verdict!,
      }),
    },
    stopped: {
      type: 'final',
      tags: 'ended',
      description: 'A hook stopped the agent: what was shown stays, and the rest is never shown.',
      output: ({ context }): AnswerStreamOutcome => ({
        status: 'stopped',
        blocks: context.blocks,
        verdict: context.verdict!,
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
      description: 'The caller gave up before all of the text had arrived.',
      output: ({ context }): AnswerStreamOutcome => ({
        status: 'cancelled',
        blocks: context.blocks,
        verdict: context.verdict!,
        reason: context.cancelReason!,
      }),
    },
  },
  output: ({ event }) => event.output as AnswerStreamOutcome,
});
