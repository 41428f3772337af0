import type { Dialect } from '../../core/dialects/dialect.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { createConfig, type CreateConfigOptions } from '../system/create-config.ts';
import type { HookSystem } from '../system/hook-system.ts';
import type { HookSystemConfig } from '../system/hook-system-config.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../../core/answers/results.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { SettingsConfigOptions } from '../system/settings-config.ts';
import type { WarningSink } from '../../base/log.ts';
import { folderTrust } from './folder-trust.ts';
import { guardStreams } from './guard-streams.ts';
import { tellUser } from './has-no-hook.ts';
import { whichHooks } from './no-hooks-option.ts';
import { trustsAll } from './trusts-all.ts';

/** An event as `fire` was given it, in canonical form. */
export interface FiredEvent {
  readonly event: HookEventName;
  readonly fields: HookEventFields[HookEventName];
  /**
   * The fields of each canonical call that the call consists of, if its tool is one that only its host has.
   */
  readonly parts?: readonly HookEventFields[HookEventName][];
  /** The family of the dialect whose tool that is: its hooks receive only the whole call. */
  readonly partsFor?: string;
  readonly context: EventContext;
  /** The project folder. */
  readonly folder: string;
  /** Whether the caller asks the user when a hook wants that. */
  readonly canAsk: boolean;
  /** Whether a host applies the verdict, and the caller reports what that host cannot do. */
  readonly isRelayed?: true;
  /** Hooks that the caller runs itself. */
  readonly runsElsewhere?: SettingsConfigOptions['runsElsewhere'];
}

/** The outcome of an event. */
export interface Fired {
  readonly result: AggregatedHookResult;
  /** The result of each of its parts; absent if no hook ran. */
  readonly partResults?: readonly AggregatedHookResult[];
  /** Some settings could not be read, so nobody knows which hooks they hold. */
  readonly isUnread: boolean;
  /** Warns the user, and the recording if there is one. */
  readonly warn: WarningSink;
}

/** How an event ends in a process that does not end with it. */
export interface EventLife {
  /** Ends the hooks that run when nobody waits for them any more. */
  readonly signal: AbortSignal;
  /** Receives the hook system, whose disposal ends the processes and threads that are kept for its hooks. */
  readonly keep: (system: HookSystem, folder: string) => void;
  /** Whether an event of this folder had hooks, so that the next one is likely to have some too. */
  readonly hadHooks: (folder: string) => boolean;
}

/** Takes an event through a hook system of its own. */
export async function runHooks(
  fired: FiredEvent,
  dialects: readonly Dialect[],
  options: RunOptions,
  notes: Pick<CreateConfigOptions, 'onNote' | 'wasReported'>,
): Promise<Fired> {
  guardStreams();
  const config = await hooksConfig(fired, dialects, options, {
    ...notes,
    outlive: async (hook) => (await import('./outlive.ts')).outlive(hook),
    ...(await options.recordedBy?.(fired.folder)),
  });
  const { life } = options;
  if (life === undefined) return fireIn(config, fired);
  const verdicts = await fireIn(config, fired, life.signal).finally(() => {
    const system = config.getHookSystem();
    if (system !== undefined) life.keep(system, fired.folder);
  });
  // Hooks that were ended have judged nothing.
  life.signal.throwIfAborted();
  return verdicts;
}

/** The options that decide which hooks a command runs. */
export interface WhoseHooks {
  readonly hooks: boolean;
  readonly trust?: true;
  readonly sessionId?: string;
}

/** The options of a run, and who records it. */
export interface RunOptions extends WhoseHooks {
  /** Returns what lets a recording see the hooks that run in this folder; default: nothing is recorded. */
  readonly recordedBy?: (
    folder: string,
  ) => Promise<Pick<CreateConfigOptions, 'inspect' | 'onWarning'>>;
  /** Default: this process ends with the event. */
  readonly life?: EventLife;
}

/** A config whose hooks take events from outside. */
export const hooksConfig = async (
  { folder, runsElsewhere }: Pick<FiredEvent, 'folder' | 'runsElsewhere'>,
  dialects: readonly Dialect[],
  { hooks, trust, sessionId }: WhoseHooks,
  more: Pick<CreateConfigOptions, 'onNote' | 'wasReported' | 'onWarning' | 'inspect' | 'outlive'>,
): Promise<HookSystemConfig> =>
  createConfig({
    cwd: folder,
    dialects,
    runsElsewhere,
    ...whichHooks(hooks),
    ...(await trusting(folder, trust)),
    ...more,
    ...(sessionId !== undefined && { sessionId }),
  });

/** Takes an event through the hooks of a config; aborting the signal ends those that run. */
export async function fireIn(
  config: HookSystemConfig,
  { event, fields, parts = [], partsFor, context, canAsk, isRelayed }: FiredEvent,
  signal?: AbortSignal,
): Promise<Fired> {
  const system = config.getHookSystem();
  await system?.initialize();
  const handler = system?.getEventHandler();
  const options = { ...context, canAsk, isRelayed, signal };
  const [result = makeEmptySuccessResult(), ...partResults] = handler
    ? await Promise.all([
        handler.fire(event, fields, options),
        ...parts.map((one) => handler.fire(event, one, { ...options, partFor: partsFor })),
      ])
    : [];
  return {
    result,
    partResults,
    isUnread: (config.getUnreadFiles?.() ?? []).length > 0,
    warn: (line, plain) => (handler ? handler.warn(line, plain) : tellUser(line)),
  };
}

/** The code that compares a hook's files with what the user trusted is loaded only when needed. */
async function trusting(folder: string, trust: true | undefined) {
  if (trustsAll(trust)) return folderTrust(folder, trust);
  return (await import('./trust-option.ts')).onlyTrusted(folder, trust);
}
