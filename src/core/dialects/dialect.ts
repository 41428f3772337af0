import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookEventName, HookSource } from '../protocol/events.ts';
import type { HookEventFields, HookInput } from '../protocol/input.ts';
import type { HookDefinition } from '../definitions/hook-definition.ts';
import type { FirstSight, SettingsOwner } from '../definitions/settings.ts';
import type { Answer, NamedAnswer } from '../answers/answer.ts';
import type { RegexBudget } from '../../base/bounded-regex.ts';
import type { EventContext } from '../answers/event-context.ts';
import type { FoundHooks, HookSite } from './hook-site.ts';
import type { Installation } from './installation.ts';
import type { Speaker } from './speaker.ts';
import type { Verdict } from '../answers/verdict.ts';
import type { Writer } from './writer.ts';

/** The names of a dialect and of its events. */
export interface DialectNames {
  /** Its id, used by `--dialect` and in reports. */
  readonly name: string;
  /** The family: its dialects find the same hooks, so only one of them may be used. */
  readonly family: string;
  /** Its own event names, each with our name for the event. */
  readonly events: Readonly<Record<string, HookEventName>>;
}

/** Where a dialect's hooks are, and which of them count. Only `find` may throw. */
export interface HookPlaces {
  /** The order in which its sources' hooks are planned; default: project, user, system, extensions. */
  readonly order?: readonly HookSource[];
  /** Whether its hooks run only if the settings switch hooks on, rather than as soon as they exist. */
  readonly needsSwitch: boolean;
  /**
   * The owner of the settings files that hold its hooks, for a dialect that finds them by
   * `HookSite.settings`. Once those have been read, they and not `mayBeIn` tell whether there are hooks.
   */
  readonly settings?: SettingsOwner;
  /**
   * Where its hooks are configured, and the files that run as hooks: paths below a project or a home that
   * an agent's tools must not write unasked. A path that ends with a slash is a folder with everything in
   * it; `*` stands for part of a name.
   */
  readonly guarded?: readonly string[];

  /** Whether its hooks may be present in sources that count; synchronous, and called before anything else. */
  mayBeIn(cwd: string, counts?: (source: HookSource) => boolean): boolean;
  /**
   * What a look at the project's own hooks shows while they are not trusted; undefined if there are none
   * or the settings hold them.
   */
  atFirstSight?(cwd: string): FirstSight | undefined;
  /** Finds and checks its hooks, in the settings or by asking executables. */
  find(site: HookSite): FoundHooks | Promise<FoundHooks>;
  /** What identifies a hook: one that stands in several places runs once (`hooks/duplicates.ts`). */
  identity(hook: HookDefinition): string;
  /** A hook replaces another one of its identity in a later folder, whatever the two run. */
  readonly replacesByName?: true;
}

/** What a dialect's hooks are told, and what they mean. */
export interface HookProtocol {
  /** Whether its hooks may also be for events that only one host has (`host.…`). */
  readonly takesHostEvents?: true;
  /** Whether its hooks' approval spares the user the host's question; default: it is no opinion. */
  readonly approves?: true;
  /** What happens when a hook wants to ask and nobody can be asked; default: the call is denied. */
  readonly unasked?: 'passes';
  /** A hook's matcher as its author wrote it; undefined if its event has no matchers. */
  matcherOf(hook: HookDefinition): string | undefined;
  /**
   * The tool names that a hook's matcher may match, as far as its host's are known, for hints; undefined
   * if the matcher is not for tools.
   */
  toolNames?(hook: HookDefinition): Promise<readonly string[] | undefined>;
  /**
   * Returns the test whether a hook matches a subject: a tool by our name, or a session event's source,
   * reason or trigger. Regular expressions are tested with the budget that all of a level share.
   */
  compileMatcher(
    hook: HookDefinition,
    onUndecided: (error: Error) => void,
  ): (subject: string, budget?: RegexBudget) => boolean;
  /**
   * Whether a hook that matches also applies to this payload: `if` rules, a command's text. Default: it
   * does. If that cannot be decided, it does too.
   */
  applies?(hook: HookDefinition, payload: HookPayload): boolean;
  /** How these hooks run for one event. */
  mode(hooks: readonly HookDefinition[]): 'parallel' | 'sequential';
  /** Whether a sequence of its hooks continues after one that denies or stops; default: it ends there. */
  readonly runsOn?: true;

  /** The environment variables that a hook gets in addition to the host's. */
  environment(hook: HookDefinition, input: HookInput): Readonly<Record<string, string>>;
  /** What a hook receives on stdin; `payload` is the event in canonical form, as earlier hooks left it. */
  stdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object;
  /** The arguments that hooks which are executables are started with; default: none. */
  readonly runArgs?: readonly string[];
  /**
   * Whether a hook that gave no answer because a program of its script is missing has only a note;
   * default: it also counts as failed where failures block.
   */
  readonly missingProgram?: 'noted';
  /** Whether a newline ends the input, for hooks that read it as a line. */
  readonly endsLine?: true;
  /** Reads a hook's answer from what it did; `payload` is what it received, in canonical form. */
  read(hook: HookDefinition, outcome: HookProcessOutcome, payload: HookPayload): Answer;
  /** What the next hook of a sequence receives after this answer; default: the payload with its changes. */
  readonly chain?: (event: HookEventName, payload: HookPayload, answer: Answer) => HookPayload;
  /** Merges its hooks' answers, given in plan order; default: `mergeEffects`. No merge undoes a denial. */
  readonly merge?: (
    event: HookEventName,
    answers: readonly NamedAnswer[],
    payload: HookPayload,
  ) => Verdict;
}

/** How a host that has this dialect is spoken to, and how hooks get into its settings. */
export interface HostPart {
  /** For agents that speak it to `hookmachine fire`: checks an event's own fields; returns canonical form. */
  readCall(
    event: string,
    given: Readonly<Record<string, unknown>>,
  ): CheckedCall | Promise<CheckedCall>;
  /** What is reported to such an agent in its own words; added to our report's fields, or replacing them. */
  reportCall(
    result: CallResult,
  ): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  /** For `hookmachine relay`, where an agent of this dialect is the host: how that host is answered. */
  speak?(): Promise<Speaker>;
  /**
   * For a host that obeys no exit status: what denies on stdout, said so simply that nothing can fail.
   * Without it, a relay that cannot answer otherwise exits with 2.
   */
  readonly plainDenial?: (reason: string) => Readonly<Record<string, unknown>>;
  /** For `hookmachine install`: where and how that host's entries are written. */
  install?(): Promise<Installation>;
  /** For `hookmachine migrate`: how its own settings describe a hook. */
  write?(): Promise<Writer>;
  /**
   * For a host that also runs hooks from another host's files: whether this is the input it gives them,
   * so that a relay knows which host called.
   */
  givesHooksOf?(
    host: string,
    given: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string | undefined>>,
  ): boolean;
}

/**
 * One complete hook protocol. Everything that differs between the hooks of two agents is decided here;
 * no other code asks which dialect a hook belongs to.
 */
export interface Dialect extends DialectNames, HookPlaces, HookProtocol, HostPart {}

/** An agent that calls hooks, as far as a relay must know it; every dialect with `speak` and `install` is one. */
export type Host = DialectNames & HostPart & Required<Pick<HostPart, 'speak' | 'install'>>;

/** An event from outside, or what is wrong with it, one sentence per field. */
export type CheckedCall = ReadCall | { readonly faults: readonly string[] };

/** An event from outside, in canonical form. */
export interface ReadCall<Event extends HookEventName = HookEventName> {
  readonly fields: HookEventFields[Event];
  readonly context: EventContext;
  /** Only hooks of the host's own dialect receive it: for those of others this is not such an event. */
  readonly isOnlyTheirs?: true;
  /** For a call of a tool that only the host has: the same work as calls of our tools. */
  readonly parts?: CallParts<Event>;
}

/** A host's tool call expressed as calls of our tools, which hooks receive in addition to the call itself. */
export interface CallParts<Event extends HookEventName = HookEventName> {
  /** The event's fields for each call, in order. */
  readonly calls: readonly HookEventFields[Event][];
  /** Why these may be more calls than the host makes, or different ones. */
  readonly note?: string;
  /**
   * The arguments of the host's call, given those of the parts, null for a part that is unchanged;
   * undefined if the host's call cannot express them.
   */
  readonly inputWith: (
    inputs: readonly (Readonly<Record<string, unknown>> | null)[],
  ) => Readonly<Record<string, unknown>> | undefined;
}

/** What hooks changed in a call, in canonical form. */
export interface CallResult {
  readonly toolName: string | undefined;
  /** The final arguments; null when no hook changed them. */
  readonly toolInput: Readonly<Record<string, unknown>> | null;
  /** The result that replaces the tool's, if a hook gave one. */
  readonly toolResponse: Readonly<Record<string, unknown>> | undefined;
  readonly followUps: readonly string[];
}
