import type { Verdict } from '../answers/verdict.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How to answer a host as one hook of its own protocol that stands for all of ours. */
export interface Speaker {
  /** The host's display name. */
  readonly title: string;
  /**
   * The event that a host's input names; undefined if only the command line names it. Default:
   * `hook_event_name`.
   */
  readonly eventIn?: (given: Fields) => unknown;
  /** The session that a host's input names. Default: `session_id`. */
  readonly sessionIn?: (given: Fields) => unknown;
  /**
   * The project folder, as the host names it in its input or its variables; the first that is a folder
   * counts. Default: the folder in which the relay runs.
   */
  readonly projectIn?: (
    given: Fields,
    env: Readonly<Record<string, string | undefined>>,
  ) => readonly unknown[];
  /** Files with hooks of other dialects that the host reads and runs itself. */
  readsItself?(project: string): readonly string[];
  /** Whether the host lets hooks ask the user at this event. */
  asks(event: string): boolean;
  /**
   * Whether a call can be put off at this event, so that the agent ends and makes the call again when it
   * is resumed. Default: no.
   */
  readonly defers?: (event: string, env: Readonly<Record<string, string | undefined>>) => boolean;
  /** The answer if none of our hooks takes part; it undoes nothing of other hooks. Default: none. */
  readonly silence?: HostAnswer;
  /** How long the host waits for the relay at an event that it can deny, in ms. */
  readonly timeoutAt: (event: string) => number;
  /** Writes the answer in the form that this host obeys. */
  write(event: string, outcome: EventOutcome, wishes: Wishes): HostAnswer;
}

/** The answer to a host: nothing, one JSON object, or a text. */
export interface HostAnswer {
  readonly stdout?: object | string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** The outcome of an event, for its host. */
export interface EventOutcome {
  /** What the host gave. */
  readonly given: Fields;
  /** Our name for the tool, if the event has one. */
  readonly tool?: string;
  /** The project folder. */
  readonly project: string;
  readonly verdict: Verdict;
  /** The final arguments and the replacing result, in the host's own form, if hooks changed them. */
  readonly native: Fields;
  /** The final arguments in canonical form. */
  readonly toolInput?: Fields;
  readonly toolResponse?: Fields;
}

/** What hooks want from a host, by kind. */
export interface Wanted {
  /** The reason; never blank. */
  readonly deny: string;
  readonly ask: string;
  readonly defer: string;
  /** The reason of hooks that spare the user the question; may be ''. */
  readonly allow: string;
  /** Why the agent should stop; never blank. */
  readonly stop: string;
  readonly context: string;
  readonly message: string;
  readonly hide: true;
  readonly toolInput: Fields;
  readonly toolResponse: Fields;
  readonly followUps: readonly string[];
  readonly llmRequest: Fields;
  readonly llmResponse: Fields;
  readonly toolConfig: Fields;
}

/** What hooks want from a host. A wish that is not taken is lost, and reported as such. */
export interface Wishes {
  /** Returns the hooks' wish of this kind and marks it as passed to the host. */
  take<Kind extends keyof Wanted>(kind: Kind): Wanted[Kind] | undefined;
  /** Returns a wish without marking it, because the host may not be able to carry it out. */
  peek<Kind extends keyof Wanted>(kind: Kind): Wanted[Kind] | undefined;
  /**
   * Takes the reason of a denial or, if nothing denies, of a stop; for hosts that have no stop, where a
   * denial has the same effect.
   */
  takeRefusal(): string | undefined;
  /** Takes what the agent should go on with, for hosts that accept a single text. */
  takeContinuation(): string | undefined;
  /** Takes the replacing result as text for the model, for hosts that accept only a text; never blank. */
  takeResult(): string | undefined;
}
