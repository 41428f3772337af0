import type { FailureCode } from '../../base/errors.ts';

/** The machines whose runs a journal records. */
export type JournaledMachine =
  | 'agentTurn'
  | 'modelCall'
  | 'toolCall'
  | 'hookEvent'
  | 'answerStream'
  | 'hookProcess';

interface Dated {
  /** When it happened, in ms since 1970, with fractions. */
  readonly at: number;
  /** The run that it is about; unique in the journal. */
  readonly id: string;
}

/** A machine began. Runs form a tree: session, turn, model call, tool call, hook event, hook process. */
export interface StartedEntry extends Dated {
  readonly kind: 'started';
  /**
   * The run that this one belongs to. For a tool call, it is the model call that requested it, or otherwise
   * the turn.
   */
  readonly parent?: string;
  readonly session: string;
  readonly machine: JournaledMachine;
  /** The name of the tool, the model, the event or the hook. */
  readonly name: string;
  /** For a tool call: the id that ties it to its result. */
  readonly callId?: string;
  /**
   * Which hooks run, and how: for a hook event, and for an answer's text on its way through hooks. For a hook
   * that outlives its event, this hook only.
   */
  readonly plan?: JournaledPlan;
  /** Arguments, prompt or stdin; only if payloads are on. */
  readonly payload?: unknown;
}

export interface JournaledPlan {
  /** The event that the hook of this plan outlives. */
  readonly outlives?: string;
  readonly mode: 'parallel' | 'sequential';
  /** How the hooks of each dialect run, if there are several dialects: lanes run side by side. */
  readonly lanes?: readonly {
    readonly dialect: string;
    readonly mode: 'parallel' | 'sequential';
  }[];
  readonly hooks: readonly JournaledHook[];
}

export interface JournaledHook {
  readonly name: string;
  readonly source: string;
  readonly dialect: string;
  /** The dialect's name of the event, if it differs from ours. */
  readonly event?: string;
  readonly command: string;
  /** The timeout, in ms. */
  readonly timeout: number;
  /** Nobody waits for it: it is a run of its own, which names its event. */
  readonly async?: true;
}

/** A machine went from one state to another. States are paths such as `alive.running`. */
export interface MovedEntry extends Dated {
  readonly kind: 'moved';
  readonly from?: string;
  readonly to: string;
  /** The event that moved it. */
  readonly event: string;
}

/** A hook has answered. */
export interface AnsweredEntry extends Dated {
  readonly kind: 'answered';
  /** How the hook itself ended. */
  readonly status: string;
  readonly decision?: 'deny' | 'defer' | 'ask' | 'allow';
  readonly stop: boolean;
  readonly reason?: string;
  /** Why it stops the agent, if it gave that apart from `reason`. */
  readonly stopReason?: string;
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly httpStatus?: number;
  readonly durationMs: number;
  readonly timedOut: boolean;
  /**
   * For a hook that received text as it came: how many pieces it received, and how many of them it changed.
   */
  readonly pieces?: number;
  readonly changed?: number;
  /** Why it failed, as a code; the only thing that is recorded of a failure without payloads. */
  readonly failure?: FailureCode;
  /** Only if payloads are on: an error and a note may quote what the hook read or wrote. */
  readonly error?: string;
  readonly notes?: readonly string[];
  /** The fields it set, such as `tool_input.command`. */
  readonly sets?: readonly string[];
  /** Only if payloads are on. */
  readonly payload?: {
    readonly stdout: string;
    readonly stderr: string;
    readonly output?: unknown;
  };
}

/** What the hooks of an event decided together, and which of them was decisive. */
export interface VerdictEntry extends Dated {
  readonly kind: 'verdict';
  readonly blocked: boolean;
  readonly stop: boolean;
  /** The user must be asked. */
  readonly ask?: true;
  /** The call is deferred. */
  readonly defer?: true;
  /** The hooks approved it, so that the host need not ask the user. */
  readonly approved?: true;
  /** The reason for the denial, or otherwise for the stop. */
  readonly reason?: string;
  /** The hook whose denial applies, or otherwise the one whose stop applies. */
  readonly by?: string;
  /** The hook whose stop applies; it need not be the one that denies. */
  readonly stopBy?: string;
  readonly stopReason?: string;
  /** For each field, the hook whose value applies. */
  readonly setBy: Readonly<Record<string, string>>;
  readonly conflicts: readonly {
    readonly field: string;
    readonly hooks: readonly string[];
    readonly winner: string;
  }[];
}

/** A machine ended. */
export interface EndedEntry extends Dated {
  readonly kind: 'ended';
  /** The outcome's status, such as `blocked`. */
  readonly status: string;
  /** Without payloads, only a reason that hooks, or limits of ours, gave. */
  readonly reason?: string;
  /** The tool's result is an error. */
  readonly failed?: true;
  /** What a model call used. */
  readonly usage?: TokenCounts;
  /** The result; only if payloads are on. */
  readonly payload?: unknown;
}

/** The tokens of a model call, as its provider counted them. */
export interface TokenCounts {
  /** Those of the request, with what was read from the provider's cache. */
  readonly input: number;
  /** Those of the answer. */
  readonly output: number;
  readonly cached?: number;
  readonly thinking?: number;
}

/** The user was warned. */
export interface WarnedEntry {
  readonly kind: 'warned';
  readonly at: number;
  readonly text: string;
}

/** One small event with its time. */
export type JournalEntry =
  | StartedEntry
  | MovedEntry
  | AnsweredEntry
  | VerdictEntry
  | EndedEntry
  | WarnedEntry;

/** The first line of a recording. */
export interface RecordingHeader {
  readonly kind: 'recording';
  readonly format: 'hookmachine';
  readonly version: 1;
  readonly at: number;
  readonly payloads: boolean;
  /**
   * Whose session it is, in a recording that several processes write: the ids of its runs begin with `journal`.
   */
  readonly journal?: string;
  readonly session?: string;
  readonly user?: string;
  readonly project?: string;
}
