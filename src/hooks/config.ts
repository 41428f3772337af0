import type { MessageBus } from '../bus/message-bus.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import type { WarningSink } from '../log.ts';
import type { HooksFromSource } from '../settings/define-hooks.ts';
import type { HookExtension } from '../settings/extensions.ts';
import type { DisabledHooks } from '../settings/load-settings.ts';
import type { SettingsProblem } from '../settings/problem.ts';
import type { HookTrust } from '../trust/hook-trust.ts';
import type { HookSystem } from './hook-system.ts';
import type { InspectObserver } from './origin.ts';

/**
 * What the hook system asks of its host (seed 004; HOOK-001, 144, 215). A host that has a config
 * object of its own implements it there; any other makes one with `createConfig`.
 */
export interface HookSystemConfig {
  /** Whether hooks are on at all; when false nothing of the hook system is ever made (HOOK-002, 010). */
  getEnableHooks(): boolean;
  /** The `hooks` of the host's merged settings; they count as the project's (HOOK-085). */
  getHooks(): unknown;
  /** The active extensions' hooks come last (HOOK-085). */
  getExtensions?(): readonly HookExtension[];
  /** Identifies the session in every hook's input. */
  getSessionId(): string;
  /** Where hooks run; also their project folder (HOOK-188, C-11). */
  getWorkingDir(): string;
  /** The session's transcript; '' when there is none (HOOK-161, C-12). */
  getTranscriptPath?(): string | undefined;
  /** The session's one hook system; undefined when hooks are off (HOOK-001, 002). */
  getHookSystem(): HookSystem | undefined;

  /** Hooks by level, for a host that knows where each comes from; `getHooks` is then not asked. */
  getHookSources?(): readonly HooksFromSource[];
  /** The dialects whose hooks run; default: LLxprt's alone. */
  getDialects?(): readonly Dialect[];
  /**
   * Whether the settings' own hooks are on; default true. False where nothing switches them on but
   * hooks of another dialect are there, which need no switch.
   */
  areSettingsHooksOn?(): boolean;
  /** Hooks that settings disable, by name or command. */
  getDisabledHooks?(): readonly DisabledHooks[];
  /** What was wrong with the settings files themselves. */
  getSettingsProblems?(): readonly SettingsProblem[];
  /**
   * Whether the user trusts the folder: else no hook of the project runs. Asked when a plan is made
   * and again when a hook is about to start (C-104). Only `true` is a yes; a host without this
   * method has decided for itself. Hooks of the user, the system and of extensions run anyway.
   */
  isTrustedFolder?(): boolean;
  /** Whether the user trusts this hook of the project; asked as `isTrustedFolder` is, after it. */
  checkTrust?(hook: UnaskedHook): HookTrust;
  /** Reads changed settings again; called by `HookSystem.reload`. */
  reloadSettings?(): void;
  /** Ends watching the settings for changes, if they are watched; called by `HookSystem.dispose`. */
  stopWatchingSettings?(): void;
  /** The bus whose requests to fire events are answered, from `HookSystem.initialize` on (DELTA-HSYS-001, C-100). */
  getMessageBus?(): MessageBus | undefined;
  /** Receives warnings, one line each; default stderr. */
  onWarning?: WarningSink;
  /** Observes every machine: one observer for all of them, or none; `observeAll` makes several one. */
  inspect?: InspectObserver;
}
