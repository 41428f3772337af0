import type { UnaskedHook } from '../settings/hook-definition.ts';
import type { HookProcessInput } from '../../machines/hook-process.ts';
import type { BundlePlace } from '../settings/levels.ts';
import type { Bundles } from '../bundles/bundled-hooks.ts';
import type { MessageBus } from '../bus/message-bus.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { WarningSink } from '../log.ts';
import type { Model } from '../models/model.ts';
import type { HookSource } from '../protocol/events.ts';
import type { HooksFromSource } from '../settings/hooks-from-source.ts';
import type { HookExtension } from '../settings/extensions.ts';
import type { FailureDefault } from '../settings/load-settings.ts';
import type { AuditSettings } from '../settings/managed.ts';
import type { DisabledHooks } from '../settings/unknown-names.ts';
import type { SettingsProblem } from '../settings/problem.ts';
import type { SettingsNote } from '../settings/settings-notes.ts';
import type { HookTrust } from '../trust/hook-trust.ts';
import type { InspectObserver } from '../telemetry.ts';

/** What the hook system asks of its host (HOOK-144, 215). */
export interface HookHost {
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

  /** Hooks by level, for a host that knows where each comes from; `getHooks` is then not asked. */
  getHookSources?(): readonly HooksFromSource[];
  /** The dialects whose hooks run; default: LLxprt's alone. Asked each time that hooks are looked for. */
  getDialects?(): readonly Dialect[] | Promise<readonly Dialect[]>;
  /**
   * Whether hooks of a source are on; default: yes. `needsSwitch` is false for hooks of dialects that
   * run as soon as they are there, which only a switch for all dialects turns off (C-01).
   */
  isSwitchedOn?(source: HookSource, needsSwitch: boolean): boolean;
  /** Whether the host runs a hook itself, so that it must not run here as well; default: it runs none. */
  runsElsewhere?(hook: UnaskedHook): boolean;
  /** Hooks that settings disable, by name or command. */
  getDisabledHooks?(): readonly DisabledHooks[];
  /** What was wrong with the settings files themselves. */
  getSettingsProblems?(): readonly SettingsProblem[];
  /** What a failure means of hooks that do not say it, by source; a "block" also reaches weaker sources (S-09). */
  getFailureDefaults?(): readonly FailureDefault[];
  /** Whether hooks are asked once more where others changed what they had judged; default: no. */
  rechecks?(): boolean;
  /**
   * Files whose guards are unknown, and which deny for that: before a tool, a model call and a prompt
   * nothing may go on as long as there is one (S-12). They are tried again at each event.
   */
  getUnknownGuards?(): readonly SettingsProblem[];
  /** Files that are there and could not be read, so that their hooks, if they have any, are unknown (S-10). */
  getUnreadFiles?(): readonly SettingsProblem[];
  /** Where the administrator wants sessions to be recorded, without payloads; default: nowhere. */
  getAudit?(): AuditSettings | undefined;
  /** Where signed bundles of hooks are, and which of them the administrator demands; default: there are none. */
  getBundles?(): Bundles | undefined;
  /**
   * Has the signed bundles in this folder, those of a fleet, count as the system's from the next `reload` on; undefined:
   * there are none. Gives back where they are looked for, or undefined where this config cannot run them: then the
   * fleet's calls are blocked, as they are without this method.
   */
  useFleetBundles?(folder: string | undefined): BundlePlace | undefined;
  /** Whether the administrator forbids that this variable adds hooks; default: no. */
  ignoresAdded?(variable: string): boolean;
  /** Whether nothing in the project's files counts, because nobody trusts the folder; they are not even looked at (S-17). */
  ignoresProject?(): boolean;
  /** Whether the project seems to have hooks that are skipped for it; default: what `ignoresProject` says. */
  skipsProjectHooks?(): boolean;
  /** Receives what a stronger source takes away from the user; default: it is not reported. */
  onNote?(note: SettingsNote): void;
  /** Whether this problem of the settings was reported to the user before, so that it is not reported again; default: no. */
  wasReported?(problem: string): boolean;
  /**
   * Whether the user trusts the folder: else no hook of the project runs. Asked when the settings are
   * read, when a plan is made and again when a hook is about to start (C-104, S-17). Only `true` is a yes; a host without this
   * method has decided for itself. Hooks of the user, the system and of extensions run anyway.
   */
  isTrustedFolder?(): boolean;
  /** Whether the user trusts this hook of the project; asked as `isTrustedFolder` is, after it. */
  checkTrust?(hook: UnaskedHook): HookTrust;
  /**
   * Whether the user trusts this hook with all its files as they are now; asked when the hook's turn to
   * start has come, and before a program is run to learn what it is. Default: `checkTrust`.
   */
  verifyTrust?(hook: UnaskedHook): Promise<HookTrust>;
  /** Reads changed settings again; called by `HookSystem.reload`. */
  reloadSettings?(): void;
  /** Ends watching the settings for changes, if they are watched; called by `HookSystem.dispose`. */
  stopWatchingSettings?(): void;
  /** The bus whose requests to fire events are answered, from `HookSystem.initialize` on (DELTA-HSYS-001, C-100). */
  getMessageBus?(): MessageBus | undefined;
  /**
   * What becomes of a prompt, a model call or a tool call whose hooks cannot be run at all, because the
   * hook system cannot be made ready or their plan, input or merging breaks: 'allow' (the default) goes
   * on with a warning, 'block' blocks it and says why. What one failing hook means is that hook's
   * `onFailure`.
   */
  onUnready?: 'allow' | 'block';
  /** The model that `prompt` hooks ask, by the name that a hook gives or that of the host's choice; default: none. */
  getHookModel?(name?: string): Model | undefined;
  /**
   * Runs a hook that nobody waits for elsewhere, for a host that ends with its event; rejects where it
   * cannot be started. What it says then reaches nobody. Default: it runs here, and ends with the host.
   */
  outlive?(hook: HookProcessInput): Promise<void>;
  /** Receives warnings, one line each; default stderr. */
  onWarning?: WarningSink;
  /** Observes every machine: one observer for all of them, or none; `observeAll` makes several one. */
  inspect?: InspectObserver;
}
