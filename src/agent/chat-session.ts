import type { InvokedBy } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { Model } from '../models/model.ts';
import type { GenAIConfig, GenAIContent } from '../translate/genai-types.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { ToolCallQuestion } from './run-tool-call.ts';
import type { CallKeeper } from './call-keeper.ts';
import type { FunctionDeclaration } from './tool-declarations.ts';
import type { Tool } from './tool.ts';

export interface ChatLoopOptions {
  readonly config: HookSystemConfig;
  readonly model: Model;
  readonly tools?: ReadonlyMap<string, Tool>;
  readonly systemInstruction?: string;
  /** Further settings of every request, such as `temperature`. */
  readonly generationConfig?: GenAIConfig;
  /** How many model calls a turn may take; default 50. */
  readonly maxSteps?: number;
  /** How many tool calls may run at once; default: the number of cores. */
  readonly toolLimit?: number;
  /**
   * `held`, the default: while AfterModel hooks are configured, text is shown only once they have
   * spoken, so that a redactor does not leak. `live` shows text as it streams; hooks then change
   * what is kept, not what was shown (HOOK-173).
   */
  readonly display?: 'held' | 'live';
  /** Called once, with the names of AfterModel hooks that text waits for as it comes. Must not throw. */
  readonly onTextWaits?: (hooks: readonly string[]) => void;
  /** How often in a turn AfterAgent hooks may send the agent on, by a rejection or with follow-ups; default 8. */
  readonly maxRejections?: number;
  /**
   * Asks the user before a tool runs, with the arguments that hooks left. Notification hooks run first,
   * with the type `ToolPermission`.
   */
  readonly confirm?: (request: ConfirmRequest) => boolean | Promise<boolean>;
  /**
   * Keeps tool calls beyond this process, as `connectDurable` of `hookmachine/durable` does, with the same tools
   * and hooks. Where a hook asks, the turn ends as `suspended`, and `resume` goes on once there is an
   * answer. Instead of `confirm`: nobody is asked in this process.
   */
  readonly durable?: CallKeeper;
  /**
   * Whether built-in tools may write settings with hooks, folders of hooks, and trusted scripts; default
   * false: `confirm` is asked once more, with the final arguments, and without it they refuse.
   */
  readonly allowGuardWrites?: boolean;
  /** Compress the conversation before a turn once a call took as many tokens in all; default never. */
  readonly compressAt?: number;
  /** Who works here, for hooks that receive it: the user's own agent, the default, or one that it started. */
  readonly invokedBy?: InvokedBy;
  /** An earlier conversation to go on with; the session then begins as resumed. */
  readonly history?: readonly GenAIContent[];
}

/** A call that the user is asked about. */
export interface ConfirmRequest extends ToolCallQuestion {
  /** The paths that it would write where guards are written down, when it is asked about for that. */
  readonly guarded?: readonly string[];
}

/** What outlives a turn. */
export interface ChatSession {
  readonly options: ChatLoopOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly declarations: readonly FunctionDeclaration[];
  readonly history: GenAIContent[];
  /** How the session is about to begin; SessionStart hooks run with the next turn. */
  beginning?: HookEventFields['SessionStart']['source'];
  /** SessionStart hooks ran, SessionEnd hooks not yet. */
  hasBegun: boolean;
  /** It was reported why text is not shown as it comes. */
  saidWhyTextWaits: boolean;
  /** What SessionStart hooks add to the next prompt. */
  readonly contexts: string[];
  /** How many tokens the last model call took in all. */
  tokens: number;
  /** What hooks have for the model's next request; it never enters the history (G-11, C-61). */
  readonly notes: Set<string>;
}
