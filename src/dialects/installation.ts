/** Where something is installed: for one project, or for all of a user's. */
export type Scope = 'user' | 'project';

/** What an installation must know of where it happens. */
export interface InstallSite {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a host's hooks call the relay: the command for one event, or for all. */
export type RelayCall = (event?: string) => string;

/** What a hook posts to `serve` with: for one event, or for all. */
export type ServeRequest = (event?: string) => {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
};

interface AnyInstallation {
  /** Whether its hooks run in the project folder, so that a path of a command may begin there. */
  readonly runsInProject?: true;
  /** What the user still has to do. */
  readonly after: (scope: Scope) => readonly string[];
  /** What the user should know. */
  readonly notes?: (scope: Scope) => readonly string[];
}

/** Entries in a settings file of the host, below `hooks`, one list for each event. */
export interface EntriesInstallation extends AnyInstallation {
  readonly kind: 'entries';
  readonly file: (scope: Scope, site: InstallSite) => string;
  /** The text of a file that was not there; a `hooks` in it stays when it is empty. */
  readonly fresh: string;
  /** The host ignores a file with comments or trailing commas. */
  readonly isStrict?: true;
  /** The host knows what the user trusts by its place in the list. */
  readonly trustsByPlace?: true;
  readonly entries: (call: RelayCall) => readonly EventEntry[];
  /** For a host that has HTTP hooks. */
  readonly overHttp?: OverHttp;
}

/** How a host's hooks post to `serve`. */
export interface OverHttp {
  /** Events that the host has no HTTP hooks for call the relay. */
  readonly entries: (request: ServeRequest, call: RelayCall) => readonly EventEntry[];
  /** Where tools run unguarded, as `where …`, and no entry can change that. */
  readonly failsOpen?: string;
  /** What the user should know beside what holds without HTTP. */
  readonly after?: readonly string[];
}

/** What stands in the list of an event. */
export interface EventEntry {
  readonly event: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Entries as most hosts have them: in the list of each event a group of one hook. */
export const inGroups = <Event extends string>(
  events: readonly Event[],
  hook: (event: Event) => Readonly<Record<string, unknown>>,
): EventEntry[] => events.map((event) => ({ event, entry: { hooks: [hook(event)] } }));

/** Whole files that nobody else writes. */
export interface FilesInstallation extends AnyInstallation {
  readonly kind: 'files';
  readonly files: (scope: Scope, site: InstallSite, call: RelayCall) => readonly OwnFile[];
}

/** A file of ours. */
export interface OwnFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

export type Installation = EntriesInstallation | FilesInstallation;
