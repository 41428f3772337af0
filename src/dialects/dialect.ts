import type { HookPayload } from '../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { HookEventName, HookSource } from '../protocol/events.ts';
import type { HookEventFields, HookInput } from '../protocol/input.ts';
import type { HookDefinition } from '../settings/hook-definition.ts';
import type { SettingsOwner } from '../settings/levels.ts';
import type { FirstSight } from '../settings/read-files.ts';
import type { Answer } from './answer.ts';
import type { RegexBudget } from './bounded-regex.ts';
import type { EventContext } from './event-context.ts';
import type { FoundHooks, HookSite } from './hook-site.ts';
import type { Installation } from './installation.ts';
import type { Speaker } from './speaker.ts';
import type { Verdict } from './verdict.ts';
import type { Writer } from './writer.ts';

/**
 * One hook protocol, whole: every question whose answer differs from one agent's hooks to another's
 * is asked here, and nowhere else is it asked which dialect a hook is. None but `find` may throw.
 */
export interface Dialect {
  /** Its id, for `--dialect` and for reports. */
  readonly name: string;
  /** What its hooks are called: of dialects of one family, which find the same hooks, only one may be used. */
  readonly family: string;
  /** Its own names of events, and what each of them is to us. */
  readonly events: Readonly<Record<string, HookEventName>>;
  /** In which order hooks of its sources are planned; default: the project's, the user's, the system's, those of extensions. */
  readonly order?: readonly HookSource[];
  /** Whether its hooks run only where the settings switch hooks on (C-01), and not as soon as they are there. */
  readonly needsSwitch: boolean;
  /**
   * Whose settings files its hooks stand in, for a dialect that finds them by `HookSite.settings`: where
   * those have been read, they say whether there are any hooks, and not `mayBeIn`.
   */
  readonly settings?: SettingsOwner;
  /** Whether an approval of its hooks spares the user the host's own question (S-01); default: it is no opinion. */
  readonly approves?: true;
  /** What a hook's wish to ask comes to where nobody can be asked (S-02); default: it denies. */
  readonly unasked?: 'passes';

  /**
   * Where its hooks are written down, and what runs as one: paths below a project or a home that an agent's
   * tools must not write unasked. One that ends with a slash is a folder with all in it; `*` is part of a name.
   */
  readonly guarded?: readonly string[];

  /** Whether hooks of it may be there, of sources that count; synchronous, and asked before anything else is. */
  mayBeIn(cwd: string, counts?: (source: HookSource) => boolean): boolean;
  /** What a look at the project's own hooks shows where nobody trusts them; undefined where there are none, or they stand in the settings. */
  atFirstSight?(cwd: string): FirstSight | undefined;
  /** Finds and checks its hooks: in the settings, or by asking executables. */
  find(site: HookSite): FoundHooks | Promise<FoundHooks>;
  /** What tells its hooks apart: of two with one identity only the first that may run does. */
  identity(hook: HookDefinition): string;
  /** What a hook is for, as its author wrote it; undefined where its event knows no matchers. */
  matcherOf(hook: HookDefinition): string | undefined;
  /** The names of tools that a hook's matcher may fit, as far as its host's are known, for hints; undefined where the matcher is not for tools. */
  toolNames?(hook: HookDefinition): Promise<readonly string[] | undefined>;
  /** Whether a hook is for a subject: a tool by our name, or a session event's source, reason or trigger. Regular expressions are tested with the budget that all of a level share. */
  compileMatcher(
    hook: HookDefinition,
    onUndecided: (error: Error) => void,
  ): (subject: string, budget?: RegexBudget) => boolean;
  /** Whether a hook that matches is for this very payload: `if` rules, a command's text. Default: it is. Where it cannot tell, it is. */
  applies?(hook: HookDefinition, payload: HookPayload): boolean;
  /** How these hooks of it run for one event. */
  mode(hooks: readonly HookDefinition[]): 'parallel' | 'sequential';
  /** Whether a sequence of its hooks runs on after one that denies or stops; default: it ends there. */
  readonly runsOn?: true;

  /** The variables of a hook's environment beyond the host's. */
  environment(hook: HookDefinition, input: HookInput): Readonly<Record<string, string>>;
  /** What a hook receives on stdin; `payload` is the event in canonical form, as the hooks before left it. */
  stdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object;
  /** The arguments that its hooks are started with, for those that are executables; default: none. */
  readonly runArgs?: readonly string[];
  /** Whether a newline ends their input, for those that read it as a line. */
  readonly endsLine?: true;
  /** What a hook said by what it did; `payload` is what it received, in canonical form. */
  read(hook: HookDefinition, outcome: HookProcessOutcome, payload: HookPayload): Answer;
  /** What the next hook of a sequence receives after this answer; default: what the answer put in the place of a slot's value. */
  readonly chain?: (event: HookEventName, payload: HookPayload, answer: Answer) => HookPayload;
  /** What its hooks say together, of their answers in plan order; default: `mergeEffects`. No merging undoes a denial. */
  readonly merge?: (
    event: HookEventName,
    answers: readonly NamedAnswer[],
    payload: HookPayload,
  ) => Verdict;

  /** For agents that speak it to `hookmachine fire`: an event's own fields, checked, in canonical form. */
  readCall(
    event: string,
    given: Readonly<Record<string, unknown>>,
  ): CheckedCall | Promise<CheckedCall>;
  /** What is reported to such an agent in its own words, beyond and in place of our report's fields. */
  reportCall(
    result: CallResult,
  ): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  /** For `hookmachine relay`, where an agent of this dialect is a host that calls hooks: how that host is answered. */
  speak?(): Promise<Speaker>;
  /** For `hookmachine install`: where and how that host's entries are written. */
  install?(): Promise<Installation>;
  /** For `hookmachine migrate`: how its own settings say what a hook is. */
  write?(): Promise<Writer>;
  /** For a host that also runs hooks in the files of another: whether this is what it gives those, so that a relay knows who called. */
  givesHooksOf?(
    host: string,
    given: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string | undefined>>,
  ): boolean;
}

/** An agent that calls hooks, as far as a relay must know it; every dialect that speaks is one. */
export type Host = Pick<
  Dialect,
  'name' | 'family' | 'events' | 'readCall' | 'reportCall' | 'givesHooksOf'
> &
  Required<Pick<Dialect, 'speak' | 'install'>>;

/** An answer with the name of the hook that gave it. */
export interface NamedAnswer {
  readonly hook: string;
  readonly answer: Answer;
}

/** An event from outside, or what is wrong with it, one sentence a field. */
export type CheckedCall = ReadCall | { readonly faults: readonly string[] };

/** An event from outside, in canonical form. */
export interface ReadCall<Event extends HookEventName = HookEventName> {
  readonly fields: HookEventFields[Event];
  readonly context: EventContext;
  /** The host fires the event for something that is none to hooks of other dialects. */
  readonly isOnlyTheirs?: true;
  /** For a call of a tool that only the host has: what it does, as calls of our tools. */
  readonly parts?: CallParts<Event>;
}

/** What a call of a host's tool does, as calls of our tools, which hooks receive beside the call itself. */
export interface CallParts<Event extends HookEventName = HookEventName> {
  /** The event's fields for each, in order. */
  readonly calls: readonly HookEventFields[Event][];
  /** Why these may be more or other calls than the host makes. */
  readonly note?: string;
  /** The arguments of the host's call with these of the parts, null for those that stay; undefined where it has no words for them. */
  readonly inputWith: (
    inputs: readonly (Readonly<Record<string, unknown>> | null)[],
  ) => Readonly<Record<string, unknown>> | undefined;
}

/** What hooks changed of a call, in canonical form. */
export interface CallResult {
  readonly toolName: string | undefined;
  /** The final arguments; null when no hook changed them. */
  readonly toolInput: Readonly<Record<string, unknown>> | null;
  /** The result in the tool's place, when a hook gave one. */
  readonly toolResponse: Readonly<Record<string, unknown>> | undefined;
  readonly followUps: readonly string[];
}
