import type { HookSource } from '../protocol/events.ts';
import type { SettingsProblem } from './problem.ts';

/** Whose settings files are read: our own and LLxprt's. */
export type SettingsOwner = 'hookmachine' | 'llxprt';

/** Where a level's policy bundles are installed. The signers that it trusts are listed next to them. */
export interface BundlePlace {
  readonly source: 'user' | 'system';
  readonly folder: string;
  /** The list of what is installed there. */
  readonly index: string;
  /** The file of signers that this level trusts. */
  readonly signers: string;
  /**
   * All signer files that count here: a user may also install bundles of signers whom the administrator
   * trusts.
   */
  readonly trusts: readonly string[];
  /** The bundles are a fleet's: one that may not run, or fails, denies, unless a hook says otherwise. */
  readonly isFleets?: true;
}

/** Where bundles may be, and which of them the administrator requires. */
export interface Bundles {
  readonly places: readonly BundlePlace[];
  readonly required: readonly RequiredBundle[];
}

/** A bundle that must be installed for all users of a machine. */
export interface RequiredBundle {
  readonly name: string;
  /** The required signer, by the name in the administrator's list of signers. */
  readonly signer: string;
  /** The lowest acceptable version. */
  readonly version?: string;
  /**
   * What it means if the bundle is missing or may not run; default: what a failure of the system's hooks
   * means.
   */
  readonly onFailure?: 'allow' | 'block';
}

/** The part of a host's extension that concerns hooks. */
export interface HookExtension {
  readonly name: string;
  readonly isActive: boolean;
  /** The extension's folder; its commands may use it as `${extensionPath}`. */
  readonly path?: string;
  /** Has the form of the settings' `hooks` key. */
  readonly hooks?: unknown;
}

/** What one source says about failures. */
export interface FailureDefault {
  readonly source: HookSource;
  readonly onFailure: 'allow' | 'block';
  /** Hooks of weaker sources cannot override it. */
  readonly isManaged?: true;
}

/** Where an audit log is kept, and how much of it is kept. */
export interface AuditSettings {
  /** The path of a file; `%u` in its name is replaced by the user's name. */
  readonly file?: string;
  /** The size in bytes at which a new file is started. */
  readonly maxBytes?: number;
  /** How many old files are kept. */
  readonly keep?: number;
  /** The path of a recording of all sessions; `%u` in its name is replaced by the user's name. */
  readonly recording?: string;
  /** Whether the recording contains arguments, prompts and results. */
  readonly payloads?: boolean;
  /** `true` for the system's log, or the path of another log's socket. */
  readonly syslog?: true | string;
  /** An OpenTelemetry collector; `true`: the one that the environment names. */
  readonly opentelemetry?: true | OtlpSettings;
}

/** A collector that speaks OTLP over HTTP. */
export interface OtlpSettings {
  /**
   * Its address, such as `https://collector.example.com:4318`; default: the one that the environment names.
   */
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The timeout of a request to it, in ms. */
  readonly timeout?: number;
  /** Whether guards are also reported under the names for guardrails. */
  readonly guardrails?: boolean;
}

/** Names and commands of hooks that one source disables. */
export interface DisabledHooks {
  readonly source: HookSource;
  readonly file?: string;
  readonly names: readonly string[];
}

/** What a first look at an untrusted file or folder shows; `fault` says why it was not possible. */
export type FirstSight = { readonly hasHooks: boolean } | { readonly fault: string };

/**
 * Something that the user should be told once per session although nothing is wrong: hooks of an untrusted
 * project, hooks that a stronger level took away, hooks that nothing switches on.
 */
export interface SettingsNote {
  readonly kind: 'untrusted' | 'taken' | 'off';
  readonly problem: SettingsProblem;
}
