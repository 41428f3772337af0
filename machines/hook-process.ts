import { assign, fromCallback, sendTo, setup } from 'xstate';

/** A hook given in code: it receives the event and answers with an object, or with nothing. */
export type HookFunction = (input: never, options: { readonly signal: AbortSignal }) => unknown;

/** Files in PEM format: the certificates to trust, and our own certificate with its key. */
export interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** How a server is asked whose URL is the command. */
interface HttpHandler {
  readonly headers?: Readonly<Record<string, string>>;
  /** The environment variables that headers may use. */
  readonly allowedEnv?: readonly string[];
  /** The name of that list in the settings. */
  readonly allowedEnvKey?: string;
  /** The URLs that it may post to, where `*` matches any text; default: any. */
  readonly allowedUrls?: readonly string[];
  /** How often an unavailable server is asked again. */
  readonly retries?: number;
  /** The file that holds a token for its `Authorization` header. */
  readonly tokenFile?: string;
  /** Files that prove who the server is, and who asks. */
  readonly tls?: TlsFiles;
}

/** What answers instead of a process of the hook's own. */
export type Handler =
  /** Posts the event to the URL that is its command. */
  | (HttpHandler & { readonly kind: 'http' })
  /** Asks a Guardian of the OWASP Agent Control Standard at that URL. */
  | (HttpHandler & {
      readonly kind: 'acs';
      /** What the agent is called there. */
      readonly agent?: string;
      /** The file of the secret that messages are signed with. */
      readonly secretFile?: string;
    })
  /** Asks a model the prompt that is its command. */
  | {
      readonly kind: 'prompt';
      readonly ask: (prompt: string, signal: AbortSignal) => Promise<string>;
    }
  | { readonly kind: 'function'; readonly call: HookFunction }
  /** Calls the function that the file named by its command exports. */
  | { readonly kind: 'module' }
  /**
   * Its command is a process that stays alive and answers one event after another, or up to this many at
   * once.
   */
  | { readonly kind: 'live'; readonly concurrency?: number };

/** A shell that a hook may ask for. */
export type Shell = 'sh' | 'bash' | 'powershell';

/**
 * What the process port is asked to run. It carries no policy: deadline and grace period belong to the
 * machine.
 */
export interface HookCommand {
  /** Shell text, as the user wrote it; with `args`, a program's file, which is started without a shell. */
  readonly command: string;
  /** Equal for commands that may share a process, a thread, a connection or an answer. */
  readonly sharing?: string;
  /** What the command is, if no process must be started for this event. */
  readonly handler?: Handler;
  readonly args?: readonly string[];
  /** What reads shell text; default: bash if there is one. */
  readonly shell?: Shell;
  readonly cwd: string;
  /** Variables added to the parent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The hook gets only a few allowed variables of the parent's environment, and a `PATH` that is not the
   * parent's.
   */
  readonly isClean?: true;
  /** The hook does nothing before it has read its input, so it may be started ahead of its event. */
  readonly prestart?: true;
  /** The files whose change makes a process started ahead out of date. */
  readonly filesBehind?: () => Promise<readonly string[]>;
  /**
   * The text for stdin. A function, so that hooks side by side share one text and a failure to build it
   * counts as the hook's.
   */
  readonly stdin: () => string;
  /**
   * Returns what may run, called when the turn has come and before anything is started: this command, or
   * another in its place. Throws, or rejects, if nothing may.
   */
  readonly admit?: () => HookCommand | Promise<HookCommand>;
}

/** A process of a hook that could not be ended. */
export interface Survivor {
  readonly pid: number;
  readonly command: string;
  /** Continues "it could not be ended and is still running: …". */
  readonly why: string;
}

/** What is known once the hook's own process has ended and its streams have been read. */
export interface HookExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The streams that exceeded the output limit; the text above holds their beginnings. */
  readonly truncated: readonly ('stdout' | 'stderr')[];
  /** Wall time from start to the exit of the hook's own process, in ms. */
  readonly durationMs: number;
  /** The processes that could not be ended and were given up on. */
  readonly survivors?: readonly Survivor[];
  /** The status of a server's response. */
  readonly httpStatus?: number;
  /** What the hook's author should know. */
  readonly notes?: readonly string[];
}

/** How one hook process ended. A failure of the hook is an outcome, never a thrown error. */
export type HookProcessOutcome =
  | { readonly status: 'exited'; readonly exit: HookExit; readonly leftBackground: boolean }
  | { readonly status: 'timedOut'; readonly exit?: HookExit; readonly timeout: number }
  | { readonly status: 'failed'; readonly error: Error; readonly exit?: HookExit }
  | { readonly status: 'cancelled'; readonly exit?: HookExit; readonly reason: string };

/**
 * What happens to processes that a hook leaves behind when it ended in time: its group is ended and daemons
 * that made a session of their own live on, or daemons are ended too, or nothing is.
 */
export type LeftBehind = 'end-group' | 'end' | 'leave';

/** A hook that nobody waits for: it runs separately and outlives its event. */
export interface Outliving {
  readonly event: string;
  readonly sessionId: string;
  /** The hook; opaque to the machine, as is what its end means. */
  readonly hook: object;
  read(outcome: HookProcessOutcome): object;
}

export interface HookProcessInput {
  readonly name: string;
  /** Its position in the plan of its event, if it runs for one. */
  readonly position?: number;
  /** Absent when its event waits for it. */
  readonly outlives?: Outliving;
  /** Deadline in ms. */
  readonly timeout: number;
  /** Default: `end-group`. A hook that exceeded its deadline, or was cancelled, leaves nothing behind. */
  readonly leftBehind?: LeftBehind;
  readonly command: HookCommand;
}

/** What is left of a hook whose own process has ended. */
export interface HookLeft {
  /** Something in its group, or only daemons that made a session of their own, or nothing. */
  readonly living: 'group' | 'daemons' | 'nothing';
  /** Whether something holds its output streams. */
  readonly output: boolean;
}

/** What the process port reports. */
export type ProcessReport =
  /** Its turn has come, and whether it may run is being determined. */
  | { readonly type: 'process.admitting' }
  | { readonly type: 'process.started'; readonly pid?: number }
  /** Its own process has ended, but something of it is left. */
  | { readonly type: 'process.exited'; readonly left: HookLeft }
  /** What is left has changed since the last report. */
  | { readonly type: 'process.left'; readonly left: HookLeft }
  /** None of our signals reach anything that must end. */
  | { readonly type: 'process.unreachable' }
  | { readonly type: 'process.closed'; readonly exit: HookExit }
  | { readonly type: 'process.failed'; readonly error: Error; readonly exit?: HookExit };

/** What must end: the hook's process group, or also the daemons that left it. */
export type Whom = 'group' | 'all';

/** What the process port receives. */
export type ProcessOrder =
  | { readonly type: 'terminate'; readonly whom: Whom }
  | { readonly type: 'kill'; readonly whom: Whom }
  /** Close, and leave running what still lives. */
  | { readonly type: 'leave' }
  /** Close, and name what should have ended and is still alive. */
  | { readonly type: 'collect' };

export interface HookProcessContext {
  readonly input: HookProcessInput;
  readonly exit?: HookExit;
  readonly error?: Error;
  readonly cancelReason?: string;
  /** It was still running when its deadline had passed. */
  readonly overran: boolean;
  readonly leftBackground: boolean;
  readonly left?: HookLeft;
}

/** Whether what is left of a hook that ended in time may stay alive. */
const mayStay = ({ input, left }: HookProcessContext): boolean =>
  input.leftBehind === 'leave' ||
  (input.leftBehind !== 'end' && left !== undefined && left.living !== 'group');

/** A hook that ended in time may leave daemons; one that did not may leave nothing. */
const whomToEnd = ({ input, leftBackground, cancelReason }: HookProcessContext): Whom =>
  leftBackground && cancelReason === undefined && input.leftBehind !== 'end' ? 'group' : 'all';

/** One hook process, from its start until its whole process group is gone. */
export const hookProcessMachine = setup({
  types: {
    context: {} as HookProcessContext,
    events: {} as ProcessReport | { type: 'cancel'; reason: string },
    input: {} as HookProcessInput,
    output: {} as HookProcessOutcome,
    children: {} as { process: 'process' },
    tags: {} as 'work' | 'ended',
  },
  actors: {
    process: fromCallback<ProcessOrder, HookCommand>(() => {
      throw new Error('Provide the actor "process".');
    }),
  },
  actions: {
    terminateGroup: sendTo('process', ({ context }) => ({
      type: 'terminate',
      whom: whomToEnd(context),
    })),
    killGroup: sendTo('process', ({ context }) => ({ type: 'kill', whom: whomToEnd(context) })),
    leaveRest: sendTo('process', { type: 'leave' }),
    collectOutput: sendTo('process', { type: 'collect' }),
    keepLeft: assign({ left: (_, left: HookLeft) => left }),
    keepExit: assign({ exit: (_, exit: HookExit) => exit }),
    keepError: assign((_, { error, exit }: { error: unknown; exit?: HookExit | undefined }) => ({
      error:
        typeof error === 'object' && error !== null && 'message' in error
          ? (error as Error)
          : new Error(String(error)),
      ...(exit && { exit }),
    })),
    keepCancel: assign({
      cancelReason: ({ context }, reason: string) => context.cancelReason ?? reason,
    }),
    noteOverrun: assign({ overran: true }),
    noteBackground: assign({ leftBackground: true }),
    noteNotAdmitted: assign({
      error: () => new Error('whether it may run could not be found out in time'),
    }),
  },
  guards: {
    wasCancelled: ({ context }) => context.cancelReason !== undefined,
    hasOverrun: ({ context }) => context.overran,
    mayStay: ({ context }) => mayStay(context),
    mayStayAtOnce: ({ context }) => context.left?.output === false && mayStay(context),
    mayStayAfterSweep: ({ context }) => whomToEnd(context) === 'group' && mayStay(context),
  },
  delays: {
    // A timer cannot wait longer; if asked to, it would fire at once.
    deadline: ({ context }) => Math.min(context.input.timeout, 2 ** 31 - 1),
    admission: 30_000,
    glance: 1,
    drain: 100,
    sweep: 200,
    grace: 5_000,
    reap: 1_000,
  },
}).createMachine({
  id: 'hookProcess',
  description: 'One hook command in its own process group.',
  context: ({ input }) => ({ input, overran: false, leftBackground: false }),
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
        'process.closed': [
          {
            guard: 'wasCancelled',
            target: 'cancelled',
            actions: { type: 'keepExit', params: ({ event }) => event.exit },
          },
          {
            guard: 'hasOverrun',
            target: 'timedOut',
            actions: { type: 'keepExit', params: ({ event }) => event.exit },
          },
          {
            target: 'exited',
            actions: { type: 'keepExit', params: ({ event }) => event.exit },
          },
        ],
        'process.failed': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => event },
        },
        'process.left': {
          actions: { type: 'keepLeft', params: ({ event }) => event.left },
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
            'process.admitting': 'admitting',
            'process.started': 'running',
          },
        },
        admitting: {
          description: 'Its turn has come; whether it may still run is being checked.',
          on: {
            'process.started': 'running',
          },
          after: { admission: { target: '#hookProcess.failed', actions: 'noteNotAdmitted' } },
        },
        running: {
          description: 'The hook has its input and runs; its deadline counts down.',
          tags: 'work',
          on: {
            'process.exited': {
              target: 'draining',
              actions: { type: 'keepLeft', params: ({ event }) => event.left },
            },
          },
          after: { deadline: 'overdue' },
        },
        overdue: {
          description:
            'The deadline has passed; an answer given before that still counts, if the event loop was too busy to notice it.',
          on: {
            'process.exited': {
              target: 'draining',
              actions: { type: 'keepLeft', params: ({ event }) => event.left },
            },
          },
          after: { glance: { target: 'terminating', actions: 'noteOverrun' } },
        },
        draining: {
          description:
            'The hook has exited, but something that it started is still alive, or its streams have not been read to the end.',
          always: { guard: 'mayStayAtOnce', target: 'leaving' },
          after: { drain: 'lingering' },
        },
        lingering: {
          description:
            'Something is still open; an end before that still counts, if the event loop was too busy to notice it.',
          after: { glance: [{ guard: 'mayStay', target: 'leaving' }, { target: 'sweeping' }] },
        },
        leaving: {
          description: 'The hook has answered, and what it left behind may live on.',
          entry: 'leaveRest',
        },
        sweeping: {
          description:
            'The hook has answered but left processes behind that must end with it; SIGTERM ends them.',
          entry: ['noteBackground', 'terminateGroup'],
          always: { guard: 'mayStayAfterSweep', target: 'leaving' },
          on: {
            'process.unreachable': 'abandoning',
          },
          after: { sweep: 'killing' },
        },
        terminating: {
          description:
            'Past its deadline, or cancelled: all its processes got SIGTERM and may still clean up.',
          entry: 'terminateGroup',
          on: {
            'process.unreachable': 'abandoning',
            cancel: {
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
          after: { grace: 'killing' },
        },
        killing: {
          description: 'SIGTERM was not enough: what is left got SIGKILL.',
          entry: 'killGroup',
          always: { guard: 'mayStayAfterSweep', target: 'leaving' },
          on: {
            'process.unreachable': 'abandoning',
            cancel: {
              actions: [{ type: 'keepCancel', params: ({ event }) => event.reason }, 'killGroup'],
            },
          },
          after: { reap: 'abandoning' },
        },
        abandoning: {
          description:
            'Part of it cannot be ended: what was read counts, and what is left is not waited for.',
          entry: 'collectOutput',
          on: {
            cancel: {
              actions: { type: 'keepCancel', params: ({ event }) => event.reason },
            },
          },
        },
      },
    },
    exited: {
      type: 'final',
      tags: 'ended',
      description: 'The hook ended by itself, with an exit code or by a signal from elsewhere.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'exited',
        exit: context.exit!,
        leftBackground: context.leftBackground,
      }),
    },
    timedOut: {
      type: 'final',
      tags: 'ended',
      description: 'The deadline passed; the hook was ended and its answer does not count.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'timedOut',
        timeout: context.input.timeout,
        ...(context.exit && { exit: context.exit }),
      }),
    },
    failed: {
      type: 'final',
      tags: 'ended',
      description: 'There was no usable process: it could not be started or given its input.',
      output: ({ context }): HookProcessOutcome => ({
        status: 'failed',
        error: context.error!,
        ...(context.exit && { exit: context.exit }),
      }),
    },
    cancelled: {
      type: 'final',
      tags: 'ended',
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
