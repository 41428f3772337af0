import type { Bundles } from '../definitions/settings.ts';
import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookSource } from '../protocol/events.ts';
import type { HookDefinition, UnaskedHook } from '../definitions/hook-definition.ts';
import type { HooksFromSource } from '../definitions/hooks-from-source.ts';
import type { SettingsProblem } from '../definitions/problem.ts';

/** Finds a dialect's event by another host's name for it; undefined if no host uses that name. */
export type SameEvent = (
  name: string,
  events: Readonly<Record<string, string>>,
) =>
  | {
      /** The dialect's own names for it. */
      readonly names: readonly string[];
      /** The dialect that uses the other name. */
      readonly dialect: string;
    }
  | undefined;

/** Whether hooks, their settings or their scripts are at a path, or with `isTree` below it. */
export type IsGuarded = (path: string, isTree: boolean) => boolean;

/** Where a dialect looks for its hooks, and what it may use to find them. */
export interface HookSite {
  /** The project folder. */
  readonly cwd: string;
  /** What settings and extensions say about hooks, source by source. */
  settings(): readonly HooksFromSource[];
  /** The signed bundles of hooks; undefined if there are none. */
  readonly bundles?: () => Bundles | undefined;
  /** The project is not trusted: nothing in its folder may be read. */
  readonly ignoresProject?: boolean;
  /** Whether the administrator forbids this environment variable to add hooks; default: no. */
  readonly ignoresAdded?: (variable: string) => boolean;
  /**
   * Whether an unreadable file of this source denies, because a failure of its hooks would;
   * default: none does.
   */
  readonly deniesUnknown?: (source: HookSource) => boolean;
  /** Loads what knows the names that other hosts have for events, for hints; default: nobody knows. */
  readonly loadSameEvent?: () => Promise<SameEvent>;
  /** Loads what knows where hooks of any host are; default: nobody knows. */
  readonly loadIsGuarded?: () => Promise<IsGuarded>;
  /** Whether this file may be run at all; a project's file may only if the user trusts it. */
  trusts(hook: UnaskedHook): boolean | Promise<boolean>;
  /** Runs a program with empty input, supervised like a hook. `timeout` is in ms. */
  run(program: string, args: readonly string[], timeout: number): Promise<HookProcessOutcome>;
}

/** What a dialect found. */
export interface FoundHooks {
  readonly definitions: readonly HookDefinition[];
  /** What was discarded, and why. */
  readonly problems: readonly SettingsProblem[];
  /** Hooks that exist but may not be run, so that even their events are unknown. */
  readonly unasked: readonly UnaskedHook[];
}
