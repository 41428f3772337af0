import type { Shell } from '../../../machines/hook-process.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Complain } from '../../core/definitions/problem.ts';
import type { EventOutcome, HostAnswer, Speaker, Wishes } from '../../core/dialects/speaker.ts';
import type { Installation } from '../../core/dialects/installation.ts';
import type { EntryFormat } from '../../core/dialects/writer.ts';
import type { CallParts, DialectNames, HostPart } from '../../core/dialects/dialect.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { SettingsFormat } from '../../settings/files/read-files.ts';
import type { GroupEntry, ReadField } from '../parts/hook-groups.ts';
import type { HostTool, ToolInput } from '../parts/tool-table.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What is known of a host's event before anything is loaded. */
export interface TableEvent {
  /** Our name for it. */
  readonly at: HookEventName;
  /** Whether the host obeys a denial. */
  readonly blocks?: true;
  /** The field of the payload that matchers are compared with; absent if the event has no matchers. */
  readonly subject?: string;
}

/** Where a host's hooks are. */
export interface TablePlaces {
  /**
   * The files that may hold hooks, below a project and below a home; one `*` stands for every folder at that
   * place. With `names` these are folders, in which such files are hooks.
   */
  readonly project: readonly string[];
  readonly user: readonly string[];
  readonly names?: readonly string[];
  /** The variable that names the user's folder, and the folder in its place, which begins `user`. */
  readonly userFolder?: { readonly variable: string; readonly folder: string };
  /** Texts of which a file with hooks has at least one. */
  readonly signs: readonly string[];
  /** What an agent's tools must not write unasked; see `HookPlaces.guarded`. */
  readonly guarded: readonly string[];
}

/** What a hook's answer says, in the terms of the host's own protocol. */
export interface Said {
  readonly decision?: 'deny' | 'ask' | 'allow';
  readonly reason?: unknown;
  /** Set if the agent is to stop; the reason. */
  readonly stop?: unknown;
  readonly context?: unknown;
  readonly message?: unknown;
  /** The tool's new arguments under the host's names: all of them, or those that change. */
  readonly input?: { readonly all: unknown } | { readonly some: unknown };
  readonly hide?: boolean;
}

/** A tool call: the tool's name and its arguments. */
export interface ToolCall {
  readonly tool: string;
  readonly input: ToolInput;
}

/** How an event is given to a host's hooks: the fields in which the host differs from us. */
export interface TableNames {
  readonly event: string;
  readonly session: string;
  readonly folder: string;
  readonly call?: string;
  readonly prompt: string;
  /** The agent's last message, at the end of its work. */
  readonly said?: string;
  readonly response?: string;
  readonly transcript?: string;
}

/** How a host is spoken to: all that its relay must know; loaded with its first event. */
export interface HostTable {
  readonly title: string;
  readonly tools: readonly HostTool[];
  /** Calls that differ in more than names, such as those of a tool that does several things. */
  readonly calls?: {
    readonly to: (call: ToolCall) => ToolCall | undefined;
    readonly from: (call: ToolCall) => ToolCall | undefined;
  };
  /** The calls of our tools that one of its calls consists of, if it does several things at once. */
  readonly parts?: (
    call: ToolCall,
  ) => (Pick<CallParts, 'inputWith'> & { readonly calls: readonly ToolCall[] }) | undefined;
  /** Its tools that take a patch, in lower case, and the field that holds it if no field looks like one. */
  readonly patches?: { readonly tools: readonly string[]; readonly field?: string };
  readonly names: TableNames;
  /** An event's fields under the names of `names`, from a form that differs in more than names. */
  readonly given?: (event: string, given: Fields) => Fields;
  /** The events at which hooks may ask the user. */
  readonly asks?: readonly string[];
  readonly projectIn?: Speaker['projectIn'];
  readonly silence?: HostAnswer;
  /** How long the host waits for its hooks as they are installed, in ms. */
  readonly waits: number;
  readonly answers: (event: string, wishes: Wishes, outcome: EventOutcome) => HostAnswer;
  readonly installation: Installation;
}

/** What is more to be known of a host whose users write hooks in files of its own. */
export interface DialectTable extends HostTable {
  /** Further fields that every hook of an event receives. */
  readonly tells?: (event: string, payload: Fields, context: EventContext) => Fields;
  /** What a hook receives, from the form with `names`, where it differs in more than names. */
  readonly told?: (event: string, fields: Fields) => Fields;

  readonly format?: SettingsFormat;
  /** The entries in a file's values. */
  readonly entries: (values: Fields, complain: Complain) => Iterable<GroupEntry<string>>;
  /** Its places are executables, each named like its event, and hold no entries. */
  readonly areExecutables?: true;
  /** The parts of a definition that only this host has. */
  readonly more?: (
    field: ReadField,
    entry: Omit<GroupEntry<string>, 'hook' | 'lost'>,
  ) => Partial<HookDefinition>;
  /** In ms, for a hook that does not say how long it may take. */
  readonly timeout: number;
  readonly shell: Shell;
  /** How a matcher is compared with a tool's name; default: `regex`, anywhere in it. */
  readonly matching?: 'names or regex';
  readonly environment?: (of: {
    readonly hook: HookDefinition;
    readonly payload: Fields;
    /** The call in the host's form; '' if the event is about none. */
    readonly tool: string;
    readonly input: Fields;
  }) => Readonly<Record<string, string>>;
  /** What identifies a hook; default: its event, matcher and command. */
  readonly identity?: (hook: HookDefinition) => string;

  /** What statuses mean at which the host does not read stdout; the reason is on stderr. */
  readonly exits: Readonly<Record<number, 'deny' | 'stop'>>;
  /** The host obeys no status at all: what one says counts only here. */
  readonly ignoresExits?: true;
  /** Whether stdout counts at every other status; default: only at 0. */
  readonly readsAlways?: true;
  readonly reads: (event: string, printed: Fields) => Said;
  /** The events at which a hook that makes no decision counts as failed. */
  readonly needsDecision?: readonly string[];
  /** The events at which plain text is for the model. */
  readonly textIsContext?: readonly string[];
  /** How a hook is written in its file; only for one that is writable. */
  readonly writes?: EntryFormat;
}

/** What is known of a host before its table is loaded. */
export interface TableHost extends Pick<DialectNames, 'name'>, Pick<HostPart, 'plainDenial'> {
  readonly events: Readonly<Record<string, TableEvent>>;
  readonly load: () => Promise<{ readonly table: HostTable }>;
}

/** What is known of a host that has hooks in files before its table is loaded. */
export interface TableDialect extends TableHost {
  readonly places: TablePlaces;
  /** Whether a hook's "allow" spares the user the host's question; in most hosts it only lets the call pass. */
  readonly approves?: true;
  /** Whether `migrate` can write its files: its table says how. */
  readonly isWritable?: true;
  readonly load: () => Promise<{ readonly table: DialectTable }>;
}

/** A host with its table. */
export type LoadedHost = Omit<TableHost, 'load'> & HostTable;

/** The same of a host that has hooks in files. */
export type LoadedDialect = Omit<TableDialect, 'load'> & DialectTable;
