import type { InvokedBy } from '../../core/answers/event-context.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { Model } from '../../core/translate/model.ts';
import type { GenAIConfig, GenAIContent } from '../../core/translate/genai-types.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { ToolCallQuestion } from '../../core/calls/run-tool-call.ts';
import type { CallKeeper } from '../../core/calls/call-keeper.ts';
import type { FunctionDeclaration } from './tool-declarations.ts';
import type { Tool, Tools } from './tool.ts';

export interface ChatLoopOptions {
  readonly config: HookSystemConfig;
  readonly model: Model;
  readonly tools?: Tools;
  readonly systemInstruction?: string;
  /** Further settings for every request, such as `temperature`. */
  readonly generationConfig?: GenAIConfig;
  /** How many model calls a turn may take; default 50. */
  readonly maxSteps?: number;
  /** How many tool calls may run at once; default: the number of cores. */
  readonly toolLimit?: number;
  /**
   * `held`, the default: while AfterModel hooks are configured, text is shown only once they have decided, so
   * that a redactor does not leak. `live` shows text as it streams; hooks then change what is kept, not what
   * was shown.
   */
  readonly display?: 'held' | 'live';
  /** Called once, with the names of the AfterModel hooks that streamed text waits for. Must not throw. */
  readonly onTextWaits?: (hooks: readonly string[]) => void;
  /**
   * How often AfterAgent hooks may make the agent continue in one turn, by a rejection or with follow-ups;
   * default 8.
   */
  readonly maxRejections?: number;
  /**
   * Asks the user before a tool runs, showing the arguments as hooks left them. Notification hooks run first,
   * with the type `ToolPermission`.
   */
  readonly confirm?: (request: ConfirmRequest) => boolean | Promise<boolean>;
  /**
   * Keeps tool calls beyond this process, as `connectDurable` of `hookmachine/durable` does, with the same
   * tools and hooks. If a hook asks, the turn ends as `suspended`, and `resume` continues it once there is an
   * answer. Replaces `confirm`: nobody is asked in this process.
   */
  readonly durable?: CallKeeper;
  /**
   * Whether built-in tools may write settings with hooks, hook folders and trusted scripts. Default false:
   * `confirm` is asked once more, with the final arguments, and without `confirm` the tools refuse.
   */
  readonly allowGuardWrites?: boolean;
  /**
   * Compress the conversation before a turn once a model call took at least this many tokens in total;
   * default never.
   */
  readonly compressAt?: number;
  /**
   * Who runs this session, for hooks that receive it: the user's own agent (the default), or one that it
   * started.
   */
  readonly invokedBy?: InvokedBy;
  /** An earlier conversation to continue; the session then begins as resumed. */
  readonly history?: readonly GenAIContent[];
}

/** A call that the user is asked about. */
export interface ConfirmRequest extends ToolCallQuestion {
  /** The guarded paths that it would write, if that is why the user is asked. */
  readonly guarded?: readonly string[];
}

/** The state that outlives a turn. */
export interface ChatSession {
  readonly options: ChatLoopOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly declarations: readonly FunctionDeclaration[];
  readonly history: GenAIContent[];
  /** How the session is about to begin; SessionStart hooks run with the next turn. */
  beginning?: HookEventFields['SessionStart']['source'];
  /** SessionStart hooks have run, SessionEnd hooks have not. */
  hasBegun: boolean;
  /** Whether it was already reported why streamed text is held. */
  saidWhyTextWaits: boolean;
  /** Text that SessionStart hooks add to the next prompt. */
  readonly contexts: string[];
  /** How many tokens the last model call took in total. */
  tokens: number;
  /** Messages of hooks for the model's next request; they never enter the history. */
  readonly notes: Set<string>;
}
