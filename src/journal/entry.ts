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
  /** The run it belongs to; unique in the journal. */
  readonly id: string;
}

/** A machine began. Runs form a tree: session, turn, model call, tool call, hook event, hook process. */
export interface StartedEntry extends Dated {
  readonly kind: 'started';
  /** The run it belongs to: a tool call's is the model call that asked for it, else the turn. */
  readonly parent?: string;
  readonly session: string;
  readonly machine: JournaledMachine;
  /** The tool's, the model's, the event's or the hook's name. */
  readonly name: string;
  /** Of a tool call: the id that ties it to its result. */
  readonly callId?: string;
  /** Of a hook event, and of an answer's text on its way through hooks: which hooks run, and how; of a hook that outlives its event, that one. */
  readonly plan?: JournaledPlan;
  /** Arguments, prompt or stdin; only where payloads are on. */
  readonly payload?: unknown;
}

export interface JournaledPlan {
  /** The event that the hook of this plan outlives. */
  readonly outlives?: string;
  readonly mode: 'parallel' | 'sequential';
  /** How the hooks of each dialect run, where there are several: lanes run side by side. */
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
  /** What its dialect calls the event, where that is not our name of it. */
  readonly event?: string;
  readonly command: string;
  /** Deadline in ms. */
  readonly timeout: number;
  /** Nobody waits for it: it is a run by itself, which names its event. */
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

/** A hook has spoken. */
export interface AnsweredEntry extends Dated {
  readonly kind: 'answered';
  /** How the hook itself ended. */
  readonly status: string;
  readonly decision?: 'deny' | 'defer' | 'ask' | 'allow';
  readonly stop: boolean;
  readonly reason?: string;
  /** Why it stops the agent, where it said so apart from the reason. */
  readonly stopReason?: string;
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly httpStatus?: number;
  readonly durationMs: number;
  readonly timedOut: boolean;
  /** Of a hook that got text as it came: how many pieces, and how many of them it changed. */
  readonly pieces?: number;
  readonly changed?: number;
  readonly error?: string;
  readonly notes?: readonly string[];
  /** The fields it set, such as `tool_input.command`. */
  readonly sets?: readonly string[];
  /** Only where payloads are on. */
  readonly payload?: {
    readonly stdout: string;
    readonly stderr: string;
    readonly output?: unknown;
  };
}

/** What the hooks of an event decided together, and which of them decided it. */
export interface VerdictEntry extends Dated {
  readonly kind: 'verdict';
  readonly blocked: boolean;
  readonly stop: boolean;
  /** The user is to be asked. */
  readonly ask?: true;
  /** The call is put off. */
  readonly defer?: true;
  /** The hooks approved it, which spares the user the host's question. */
  readonly approved?: true;
  /** Of the denial, else of the stop. */
  readonly reason?: string;
  /** The hook whose denial stands, else the one whose stop does. */
  readonly by?: string;
  /** The hook whose stop stands, which need not be the one that denies. */
  readonly stopBy?: string;
  readonly stopReason?: string;
  /** By field, the hook whose value stands. */
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
  readonly reason?: string;
  /** The tool gave an error for its result. */
  readonly failed?: true;
  /** The result; only where payloads are on. */
  readonly payload?: unknown;
}

/** The user was warned. */
export interface WarnedEntry {
  readonly kind: 'warned';
  readonly at: number;
  readonly text: string;
}

/** One small dated thing that happened. */
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
}
