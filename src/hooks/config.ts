import type { InspectionEvent } from 'xstate';
import type { WarningSink } from '../log.ts';
import type { HooksFromSource } from '../settings/define-hooks.ts';
import type { HookExtension } from '../settings/extensions.ts';
import type { DisabledHooks } from '../settings/load-settings.ts';
import type { SettingsProblem } from '../settings/problem.ts';
import type { HookSystem } from './hook-system.ts';

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
  /** Hooks that settings disable, by name or command. */
  getDisabledHooks?(): readonly DisabledHooks[];
  /** What was wrong with the settings files themselves. */
  getSettingsProblems?(): readonly SettingsProblem[];
  /** Reads changed settings again; called by `HookSystem.reload`. */
  reloadSettings?(): void;
  /** Receives warnings, one line each; default stderr. */
  onWarning?: WarningSink;
  /** Observes every machine: one observer for all of them, or none. */
  inspect?: (event: InspectionEvent) => void;
}
