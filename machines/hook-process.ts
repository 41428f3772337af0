import { assign, fromCallback, sendTo, setup } from 'xstate';

/** What the process port is asked to run. It carries no policy: deadline and grace belong to the machine. */
export interface HookCommand {
  /** Shell text, as the user wrote it; with `args`, a program's file, which is started without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** Variables added to the parent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The bytes for stdin. A function, so that hooks side by side share one text and a failure to build it is the hook's. */
  readonly stdin: () => string;
}

/** What is known once the hook's own process has ended and its streams were read. */
export interface HookExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The streams that went over the output limit; what is above holds their beginnings. */
  readonly truncated: readonly ('stdout' | 'stderr')[];
  /** Wall time from start to the exit of the hook's own process, in ms. */
  readonly durationMs: number;
}

/** How one hook process ended. A failure of the hook is an outcome, never a thrown error. */
export type HookProcessOutcome =
  | { readonly status: 'exited'; readonly exit: HookExit; readonly leftBackground: boolean }
  | { readonly status: 'timedOut'; readonly exit?: HookExit; readonly timeout: number }
  | { readonly status: 'failed'; readonly error: Error }
  | { readonly status: 'cancelled'; readonly exit?: HookExit; readonly reason: string };

export interface HookProcessInput {
  readonly name: string;
  /** Deadline in ms. */
  readonly timeout: number;
  readonly command: HookCommand;
}

/** What the process port reports. */
export type ProcessReport =
  | { readonly type: 'process.started'; readonly pid: number }
  | { readonly type: 'process.exited' }
  | { readonly type: 'process.closed'; readonly exit: HookExit }
  | { readonly type: 'process.failed'; readonly error: Error };

/** What the process port is told. Every one addresses the whole process group. */
export type ProcessOrder =
  | { readonly type: 'terminate' }
  | { readonly type: 'kill' }
  | { readonly type: 'collect' };

export interface HookProcessContext {
  readonly input: HookProcessInput;
  readonly exit?: HookExit;
  readonly error?: Error;
  readonly cancelReason?: string;
  readonly leftBackground: boolean;
}

/** Input for a machine that is only looked at, without an engine behind it. */
const noInput: HookProcessInput = {
  name: '',
  timeout: 60_000,
  command: { command: '', cwd: '', env: {}, stdin: () => '' },
};

/** One hook process, from its start until its whole process group is gone. */
export const hookProcessMachine = setup({
  types: {
    context: {} as HookProcessContext,
    events: {} as ProcessReport | { type: 'cancel'; reason: string },
    input: {} as HookProcessInput,
    output: {} as HookProcessOutcome,
    children: {} as { process: 'process' },
  },
  actors: {
    process: fromCallback<ProcessOrder, HookCommand>(() => {
      throw new Error('Provide the actor "process".');
    }),
  },
  actions: {
    terminateGroup: sendTo('process', { type: 'terminate' }),
    killGroup: sendTo('process', { type: 'kill' }),
    collectOutput: sendTo('process', { type: 'collect' }),
    keepExit: assign({ exit: (_, exit: HookExit) => exit }),
    keepError: assign({
      error: (_, { error }: { error: unknown }) =>
        error instanceof Error ? error : new Error(String(error)),
    }),
    keepCancel: assign({
      cancelReason: ({ context }, reason: string) => context.cancelReason ?? reason,
    }),
    noteBackground: assign({ leftBackground: true }),
  },
  guards: {
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    hadExited: ({ context }) => context.leftBackground,
  },
  delays: {
    // A timer cannot wait longer; asked to, it would fire at once.
    deadline: ({ context }) => Math.min(context.input.timeout, 2 ** 31 - 1),
    glance: 1,
    drain: 100,
    sweep: 200,
    grace: 5_000,
    reap: 1_000,
  },
}).createMachine({
  id: 'hookProcess',
  description: 'One hook command in a process group of its own.',
  context: ({ input }) => ({ input: input ?? noInput, leftBackground: false }),
  initial: 'alive',
  states: {
    alive: {
      description: 'The process group may hold processes.',
      invoke: {
        id: 'process',
        src: 'process',
        input: ({ context }) => context.input.command,
        onError: {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
      on: {
        'process.closed': {
          target: 'exited',
          actions: { type: 'keepExit', params: ({ event }) => event.exit },
        },
        'process.failed': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
        cancel: {
          target: '.terminating',
          actions: { type: 'keepCancel', params: ({ event }) => event.reason },
        },
      },
      initial: 'starting',
      states: {
        starting: {
          description: 'Waiting for its turn, and for the process to exist.',
          on: {
            'process.started': 'running',
          },
        },
        running: {
          description: 'The hook has its input and works; the deadline runs.',
          on: {
            'process.exited': 'draining',
          },
          after: { deadline: 'overdue' },
        },
        overdue: {
          description:
            'The deadline has passed; an answer given before that still counts, if the event loop was too busy to hear of it.',
          on: {
            'process.exited': 'draining',
          },
          after: { glance: 'terminating' },
        },
        draining: {
          description:
            'The hook has exited, but something that it started lives, or its streams have not been read to their ends.',
          after: { drain: 'lingering' },
        },
        lingering: {
          description:
            'Something holds on; an end before that still counts, if the event loop was too busy to hear of it.',
          after: { glance: 'sweeping' },
        },
        sweeping: {
          description:
            'The hook has answered but left background processes behind; SIGTERM ends them.',
          entry: ['noteBackground', 'terminateGroup'],
          after: { sweep: 'killing' },
        },
        terminating: {
          description:
            'Past its deadline, or cancelled: the group got SIGTERM and may still clean up.',
          entry: 'terminateGroup',
          on: {
            'process.closed': [
              {
                guard: 'wasCancelled',
                target: '#hookProcess.cancelled',
                actions: { type: 'keepExit', params: ({ event }) => event.exit },
              },
              {
                target: '#hookProcess.timedOut',
                actions: { type: 'keepExit', params: ({ event }) => event.exit },
              },
            ],
            cancel: {
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
          after: { grace: 'killing' },
        },
        killing: {
          description: 'SIGTERM was not enough: the group got SIGKILL.',
          entry: 'killGroup',
          on: {
            'process.closed': [
              {
                guard: 'wasCancelled',
                target: '#hookProcess.cancelled',
                actions: { type: 'keepExit', params: ({ event }) => event.exit },
              },
              {
                guard: 'hadExited',
                target: '#hookProcess.exited',
                actions: { type: 'keepExit', params: ({ event }) => event.exit },
              },
              {
                target: '#hookProcess.timedOut',
                actions: { type: 'keepExit', params: ({ event }) => event.exit },
              },
            ],
            cancel: {
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
          after: {
            reap: {
              description:
                'The kernel keeps a killed process (or a stray holds a pipe): settle with what was read.',
              actions: 'collectOutput',
            },
          },
        },
      },
    },
    exited: {
      type: 'final',
      description: 'The hook ended by itself, with an exit code or by a signal from elsewhere.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'exited',
        exit: context.exit!,
        leftBackground: context.leftBackground,
      }),
    },
    timedOut: {
      type: 'final',
      description: 'The deadline passed; the hook was ended and its answer does not count.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'timedOut',
        timeout: context.input.timeout,
        ...(context.exit && { exit: context.exit }),
      }),
    },
    failed: {
      type: 'final',
      description: 'There was no process to speak of: it could not be started or be fed.',
      output: ({ context }): HookProcessOutcome => ({ status: 'failed', error: context.error! }),
    },
    cancelled: {
      type: 'final',
      description: 'The caller gave up; the hook was ended and its answer does not count.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'cancelled',
        reason: context.cancelReason!,
        ...(context.exit && { exit: context.exit }),
      }),
    },
  },
  output: ({ event }) => event.output as HookProcessOutcome,
});
