import type { Verdict } from './verdict.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a host is answered by one hook of its own protocol that stands for all of ours. */
export interface Speaker {
  /** The host's name, for people. */
  readonly title: string;
  /** The event that a host's input names; undefined where only the command line names it. Default: `hook_event_name`. */
  readonly eventIn?: (given: Fields) => unknown;
  /** The session that a host's input names. Default: `session_id`. */
  readonly sessionIn?: (given: Fields) => unknown;
  /** The project folder, as the host names it in its input or its variables; the first that is a folder counts. Default: where the relay runs. */
  readonly projectIn?: (
    given: Fields,
    env: Readonly<Record<string, string | undefined>>,
  ) => readonly unknown[];
  /** Files with hooks of other dialects that the host reads and runs itself. */
  readsItself?(project: string): readonly string[];
  /** Whether the user can be asked at this event, as far as the host lets hooks ask. */
  asks(event: string): boolean;
  /** Whether a call can be put off at this event, so that the agent ends and makes it again when it is resumed. Default: no. */
  readonly defers?: (event: string, env: Readonly<Record<string, string | undefined>>) => boolean;
  /** The answer where no hook of ours takes part, by which nothing of other hooks is undone. Default: none. */
  readonly silence?: HostAnswer;
  /** The answer to the host, such that exactly this host obeys it. */
  write(event: string, said: Said, wishes: Wishes): HostAnswer;
}

/** The answer to a host: nothing, one JSON object, or a text. */
export interface HostAnswer {
  readonly stdout?: object | string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** What came of an event, for its host. */
export interface Said {
  /** What the host gave. */
  readonly given: Fields;
  /** Our name of the tool, of an event that has one. */
  readonly tool?: string;
  /** The project folder. */
  readonly project: string;
  readonly verdict: Verdict;
  /** The final arguments and the result in the tool's place in the host's own form, where hooks changed them. */
  readonly native: Fields;
  /** The same in canonical form. */
  readonly toolInput?: Fields;
  readonly toolResponse?: Fields;
}

/** What hooks want of a host, by kind. */
export interface Wanted {
  /** The reason; never blank. */
  readonly deny: string;
  readonly ask: string;
  readonly defer: string;
  /** Its hooks spare the user the question; the reason may be ''. */
  readonly allow: string;
  /** Why the agent is to stop; never blank. */
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

/** What hooks want of a host. What nobody takes is lost, and is reported. */
export interface Wishes {
  /** What the hooks want of this kind, which the host is going to be given. */
  take<Kind extends keyof Wanted>(kind: Kind): Wanted[Kind] | undefined;
  /** The same for a wish that the host may not be able to carry out. */
  peek<Kind extends keyof Wanted>(kind: Kind): Wanted[Kind] | undefined;
  /** The reason of a denial or, where nothing denies, of a stop; for hosts that know no stop, where a denial is as much. */
  takeRefusal(): string | undefined;
  /** What the agent is to go on with, for hosts that take one text. */
  takeGoingOn(): string | undefined;
  /** Another result as the text that the model reads, for hosts that take a text in the place of the result; never blank. */
  takeResult(): string | undefined;
}
