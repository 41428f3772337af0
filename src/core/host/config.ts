import type { InspectionEvent } from 'xstate';
import type { UnaskedHook } from '../definitions/hook-definition.ts';
import type { HookProcessInput } from '../../../machines/hook-process.ts';
import type {
  AuditSettings,
  BundlePlace,
  Bundles,
  DisabledHooks,
  FailureDefault,
  HookExtension,
  SettingsNote,
} from '../definitions/settings.ts';
import type { MessageBus } from '../bus/message-bus.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { WarningSink } from '../../base/log.ts';
import type { Model } from '../translate/model.ts';
import type { HookSource } from '../protocol/events.ts';
import type { HooksFromSource } from '../definitions/hooks-from-source.ts';
import type { SettingsProblem } from '../definitions/problem.ts';
import type { HookTrust } from '../definitions/hook-trust.ts';

/** Observes machines and everything that they start. */
export type InspectObserver = (event: InspectionEvent) => void;

/** What the hook system needs from its host. */
export interface HookHost {
  /** Whether hooks are on at all; when false, nothing of the hook system is ever created. */
  getEnableHooks(): boolean;
  /** The `hooks` of the host's merged settings; they count as the project's. */
  getHooks(): unknown;
  /** The active extensions' hooks are last in order. */
  getExtensions?(): readonly HookExtension[];
  /** Identifies the session in every hook's input. */
  getSessionId(): string;
  /** The folder hooks run in, which is also their project folder. */
  getWorkingDir(): string;
  /** The session's transcript; '' when there is none. */
  getTranscriptPath?(): string | undefined;

  /** Hooks by level, for a host that knows where each comes from; `getHooks` is then not called. */
  getHookSources?(): readonly HooksFromSource[];
  /** The dialects whose hooks run; default: only LLxprt's. Called each time the hooks are looked up. */
  getDialects?(): readonly Dialect[] | Promise<readonly Dialect[]>;
  /**
   * Whether hooks of a source are on; default: yes. `needsSwitch` is false for hooks of dialects that run
   * without being switched on, which only a switch for all dialects turns off.
   */
  isSwitchedOn?(source: HookSource, needsSwitch: boolean): boolean;
  /**
   * Whether the host runs this hook itself, so that it must not run here as well; default: the host runs
   * none.
   */
  runsElsewhere?(hook: UnaskedHook): boolean;
  /** Hooks that settings disable, by name or command. */
  getDisabledHooks?(): readonly DisabledHooks[];
  /** What was wrong with the settings files themselves. */
  getSettingsProblems?(): readonly SettingsProblem[];
  /**
   * What a failure means for hooks that do not say so themselves, by source; a "block" also applies to weaker
   * sources.
   */
  getFailureDefaults?(): readonly FailureDefault[];
  /** Whether hooks are asked once more when others changed what they had judged; default: no. */
  rechecks?(): boolean;
  /**
   * Files whose guards are unknown, and which therefore deny: as long as there is one, no tool call, model
   * call or prompt may proceed. They are tried again at each event.
   */
  getUnknownGuards?(): readonly SettingsProblem[];
  /** Files that exist but could not be read, so that their hooks, if they have any, are unknown. */
  getUnreadFiles?(): readonly SettingsProblem[];
  /** Where the administrator wants sessions to be recorded, without payloads; default: nowhere. */
  getAudit?(): AuditSettings | undefined;
  /**
   * Where signed bundles of hooks are, and which of them the administrator requires; default: there are none.
   */
  getBundles?(): Bundles | undefined;
  /**
   * Makes the signed bundles in this folder, those of a fleet, count as the system's from the next `reload`
   * on; undefined: there are none. Returns where they are looked up, or undefined if this config cannot run
   * them: the fleet's calls are then blocked, as they are without this method.
   */
  useFleetBundles?(folder: string | undefined): BundlePlace | undefined;
  /** Whether the administrator forbids this variable from adding hooks; default: no. */
  ignoresAdded?(variable: string): boolean;
  /**
   * Whether nothing in the project's files counts, because nobody trusts the folder; they are not even read.
   */
  ignoresProject?(): boolean;
  /**
   * Whether the project seems to have hooks that are skipped because of that; default: what `ignoresProject`
   * says.
   */
  skipsProjectHooks?(): boolean;
  /** Receives notes on what a stronger source takes away from the user; default: they are not reported. */
  onNote?(note: SettingsNote): void;
  /**
   * Whether this problem of the settings was already reported to the user, so that it is not reported again;
   * default: no.
   */
  wasReported?(problem: string): boolean;
  /**
   * Whether the user trusts the folder: if not, no hook of the project runs. Asked when the settings are
   * read, when a plan is made and again when a hook is about to start. Only `true` counts as a
   * yes; a host without this method has decided for itself. Hooks of the user, the system and extensions run
   * anyway.
   */
  isTrustedFolder?(): boolean;
  /**
   * Whether the user trusts this hook of the project; asked after `isTrustedFolder`, when a plan is made and,
   * unless the host has `verifyTrust`, again when the hook is about to start.
   */
  checkTrust?(hook: UnaskedHook): HookTrust;
  /**
   * Whether the user trusts this hook with all its files as they are now; asked when the hook's turn to start
   * has come, and before a program is run to learn what it is. Default: `checkTrust`.
   */
  verifyTrust?(hook: UnaskedHook): Promise<HookTrust>;
  /** Rereads changed settings; called by `HookSystem.reload`. */
  reloadSettings?(): void;
  /** Stops watching the settings for changes, if they are watched; called by `HookSystem.dispose`. */
  stopWatchingSettings?(): void;
  /**
   * The bus on which requests to fire events are answered, from `HookSystem.initialize` on.
   */
  getMessageBus?(): MessageBus | undefined;
  /**
   * What happens to a prompt, a model call or a tool call whose hooks cannot be run at all, because the hook
   * system cannot be initialised or their plan, input or merging breaks: 'allow' (the default) proceeds with
   * a warning, 'block' blocks it and says why. What a single failing hook means is that hook's `onFailure`.
   */
  onUnready?: 'allow' | 'block';
  /** The model that `prompt` hooks ask: the one a hook names, or the host's choice; default: none. */
  getHookModel?(name?: string): Model | undefined;
  /**
   * Runs a hook that nobody waits for elsewhere, for a host that ends with its event; rejects if the hook
   * cannot be started. What the hook says is then not reported to anyone. Default: it runs here, and ends
   * with the host.
   */
  outlive?(hook: HookProcessInput): Promise<void>;
  /** Receives warnings, one line each; default stderr. */
  onWarning?: WarningSink;
  /**
   * Observes every machine: one observer for all of them, or none; `observeAll` combines several into one.
   */
  inspect?: InspectObserver;
}
