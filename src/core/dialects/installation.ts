/** Where something is installed: for one project, or for all projects of a user. */
export type Scope = 'user' | 'project';

/** What an installation must know about its surroundings. */
export interface InstallSite {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the command with which a host's hooks call the relay, for one event or for all. */
export type RelayCall = (event?: string) => string;

/** Returns the request that a hook posts to `serve`, for one event or for all. */
export type ServeRequest = (event?: string) => {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
};

/** A switch in a host's own files that turns all of its hooks off. */
export interface OffSwitch {
  readonly files: (site: InstallSite) => readonly string[];
  /** Where it stands in such a file. */
  readonly path: readonly string[];
  /** The value that turns hooks off. */
  readonly off: boolean;
}

/** Why a host does not run entries that are there. */
export interface OwnDoubt {
  readonly code: 'folder-untrusted' | 'entry-untrusted' | 'entry-changed' | 'entry-switched-off';
  readonly file: string;
  readonly message: string;
  readonly fix: string;
}

/** Where a host keeps the address of a provider. */
export interface GatewayPlace {
  /** The provider, as the gateway names it. */
  readonly provider: string;
  readonly file: (site: InstallSite) => string;
  /** The keys of a JSON file, or the name in a file of lines. */
  readonly at: readonly string[] | string;
  /** What the host expects after the gateway's address of the provider; default: nothing. */
  readonly suffix?: string;
  /** Whether values of lines are quoted, as in TOML. */
  readonly isQuoted?: true;
}

interface AnyInstallation {
  /** The names of the host's program. */
  readonly programs: readonly string[];
  /** Switches that turn all of its hooks off. */
  readonly switches?: readonly OffSwitch[];
  /** The version that was measured; a later one may do otherwise. */
  readonly measured?: string;
  /** The folder in which the host itself puts the plugin of `plugins/`; absent if it has no plugins. */
  readonly pluginFolder?: (site: InstallSite) => string;
  /** What the host itself keeps, outside the file of the entries, that keeps it from running them. */
  readonly ownDoubts?: (scope: Scope, site: InstallSite) => readonly OwnDoubt[];
  /** The events at which another hook of the host can undo a denial of ours. */
  readonly undoneAt?: readonly string[];
  /** Set if its hooks run in the project folder, so that a command's path may be relative to it. */
  readonly runsInProject?: true;
  /** Where the user's files keep providers' addresses; absent if it takes them from its environment alone. */
  readonly gateway?: readonly GatewayPlace[];
  /** What the user still has to do. */
  readonly after: (scope: Scope) => readonly string[];
  /** What the user should know. */
  readonly notes?: (scope: Scope) => readonly string[];
}

/** Entries in a settings file of the host, one list for each event. */
export interface EntriesInstallation extends AnyInstallation {
  readonly kind: 'entries';
  /** The key that the lists are below; default: `hooks`. */
  readonly under?: string;
  /** Further files that the host needs beside it, and that only we write. */
  readonly beside?: (scope: Scope, site: InstallSite) => readonly OwnFile[];
  readonly file: (scope: Scope, site: InstallSite) => string;
  /** The text of a file that did not exist; a `hooks` in it stays even when it is empty. */
  readonly fresh: string;
  /** The host ignores a file with comments or trailing commas. */
  readonly isStrict?: true;
  /** The host identifies what the user trusts by its position in the list. */
  readonly trustsByPlace?: true;
  readonly entries: (call: RelayCall) => readonly EventEntry[];
  /** For a host that has HTTP hooks. */
  readonly overHttp?: OverHttp;
}

/** How a host's hooks post to `serve`. */
export interface OverHttp {
  /** The entries; events for which the host has no HTTP hooks call the relay. */
  readonly entries: (request: ServeRequest, call: RelayCall) => readonly EventEntry[];
  /** When tools run unguarded and no entry can change that, as `where …`. */
  readonly failsOpen?: string;
  /** What the user should know in addition to what holds without HTTP. */
  readonly after?: readonly string[];
}

/** An entry in the list of an event. */
export interface EventEntry {
  readonly event: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Makes entries as most hosts have them: in the list of each event, a group of one hook. */
export const inGroups = <Event extends string>(
  events: readonly Event[],
  hook: (event: Event) => Readonly<Record<string, unknown>>,
): EventEntry[] => events.map((event) => ({ event, entry: { hooks: [hook(event)] } }));

/** Whole files that nobody else writes. */
export interface FilesInstallation extends AnyInstallation {
  readonly kind: 'files';
  readonly files: (scope: Scope, site: InstallSite, call: RelayCall) => readonly OwnFile[];
}

/** A file that only we write. */
export interface OwnFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

/** Lines at the end of a TOML file of the host, between two comments of ours. */
export interface LinesInstallation extends AnyInstallation {
  readonly kind: 'lines';
  readonly file: (scope: Scope, site: InstallSite) => string;
  readonly lines: (call: RelayCall) => readonly string[];
}

export type Installation = EntriesInstallation | FilesInstallation | LinesInstallation;
