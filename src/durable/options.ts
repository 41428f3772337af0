import type { ToolInput } from '../../machines/tool-call.ts';
import type { Tools } from '../agent/loop/tool.ts';
import {
  aConfig,
  count,
  flag,
  object,
  optional,
  positive,
  type Rule,
  someTools,
  text,
} from '../base/arguments.ts';
import type { HubAccess } from './hub-store.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';

/** What a host needs for durable calls. */
export interface DurableOptions {
  /** A URL such as `postgres://user@host/database`. Give this, or `hub`. */
  readonly database?: string | undefined;
  /** A hub that keeps the calls, so that this machine needs no access to the database. */
  readonly hub?: HubAccess | undefined;
  /**
   * Keys of 32 bytes in base64, separated by commas, with which arguments, results and what hooks print are encrypted
   * before they leave this process: the first one encrypts, all decrypt. Default: nothing is encrypted.
   */
  readonly key?: string | undefined;
  readonly config: HookSystemConfig;
  /** The tools that this host runs itself; frameworks run their own. Default: none. */
  readonly tools?: Tools | undefined;
  /** What the tools act on: a call is continued only by hosts of its workspace. */
  readonly workspace: string;
  /**
   * The name of this host, unique among the running ones. A host that returns under the same name takes up
   * what it left. Default: a generated name.
   */
  readonly name?: string | undefined;
  /** How long a question waits for its answer, in ms; default: 7 days. */
  readonly expiresAfter?: number | undefined;
  /**
   * How long this host may be without the database before the others consider it dead, in ms; default: 30 s.
   */
  readonly lostAfter?: number | undefined;
  /**
   * Whether this host takes part only while the database waits for a synchronous standby, so that a fail-over
   * loses nothing that was recorded; default: false.
   */
  readonly requireStandby?: boolean | undefined;
  /** How many calls `work` processes at once; default: 8. */
  readonly concurrency?: number | undefined;
  /**
   * How many calls of the workspace all hosts that `work` process at once; give each host the same number.
   * Calls that hosts make themselves are counted, and never wait. Default: as many as the hosts take.
   */
  readonly workspaceConcurrency?: number | undefined;
  /** How long a call waits for a database that went away while the call was running, in ms; default: 60 s. */
  readonly patience?: number | undefined;
  /** See `ToolSchedulerOptions`. */
  readonly allowGuardWrites?: boolean | undefined;
}

/** A durable call to make. */
export interface DurableRequest {
  /** Asking again with this id returns the same call. Default: a new id. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly input: ToolInput;
  /** The session that hooks are given. Default: that of the config. */
  readonly session?: string | undefined;
}

/** What the options of a host must be. */
export const optionRules: Readonly<Record<string, Rule>> = {
  database: optional(text),
  hub: optional(object),
  key: optional(text),
  workspace: text,
  config: aConfig,
  tools: optional(someTools),
  name: optional(text),
  expiresAfter: optional(positive),
  lostAfter: optional(positive),
  requireStandby: optional(flag),
  concurrency: optional(positive),
  workspaceConcurrency: optional(positive),
  patience: optional(count),
  allowGuardWrites: optional(flag),
};

/** What a durable call must have. */
export const callRules: Readonly<Record<string, Rule>> = {
  id: optional(text),
  name: text,
  input: object,
  session: optional(text),
};
