import type { HookEventName } from './events.ts';
import type { LLMRequest, LLMResponse } from './llm.ts';

/** The base fields of every stdin object. The engine sets them, never the caller. */
export interface HookInput {
  readonly session_id: string;
  /** Path of the session's transcript; '' if there is none. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly hook_event_name: HookEventName;
  /** ISO 8601. */
  readonly timestamp: string;
}

type ToolInput = Readonly<Record<string, unknown>>;

/** The event's own fields, besides the base fields. */
export interface HookEventFields {
  BeforeTool: { readonly tool_name: string; readonly tool_input: ToolInput };
  AfterTool: {
    readonly tool_name: string;
    readonly tool_input: ToolInput;
    readonly tool_response: Readonly<Record<string, unknown>>;
  };
  BeforeModel: { readonly llm_request: LLMRequest };
  AfterModel: { readonly llm_request: LLMRequest; readonly llm_response: LLMResponse };
  BeforeToolSelection: { readonly llm_request: LLMRequest };
  BeforeAgent: { readonly prompt: string };
  AfterAgent: {
    readonly prompt: string;
    readonly prompt_response: string;
    readonly stop_hook_active: boolean;
  };
  SessionStart: { readonly source: 'startup' | 'resume' | 'clear' | 'compress' };
  SessionEnd: { readonly reason: 'exit' | 'clear' | 'logout' | 'prompt_input_exit' | 'other' };
  PreCompress: { readonly trigger: 'manual' | 'auto' };
  Notification: {
    readonly notification_type: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
  ToolPermission: { readonly tool_name: string; readonly tool_input: ToolInput };
  ToolFailed: {
    readonly tool_name: string;
    readonly tool_input: ToolInput;
    readonly error: string;
    /** The result as AfterTool hooks see it. */
    readonly tool_response?: Readonly<Record<string, unknown>>;
    readonly is_interrupt?: boolean;
  };
  SubagentStart: { readonly agent_id: string; readonly agent_type: string };
  SubagentStop: {
    readonly agent_id: string;
    readonly agent_type: string;
    readonly stop_hook_active: boolean;
    readonly last_assistant_message?: string;
  };
  PostCompress: { readonly trigger: 'manual' | 'auto'; readonly compact_summary?: string };
  [host: `host.${string}`]: Readonly<Record<string, unknown>>;
}

/** An event with the fields that belong to it. */
export type EventWithFields = {
  readonly [Event in keyof HookEventFields]: readonly [Event, HookEventFields[Event]];
}[keyof HookEventFields];

export type BeforeToolInput = HookInput & HookEventFields['BeforeTool'];
export type AfterToolInput = HookInput & HookEventFields['AfterTool'];
export type BeforeModelInput = HookInput & HookEventFields['BeforeModel'];
export type AfterModelInput = HookInput & HookEventFields['AfterModel'];
export type BeforeToolSelectionInput = HookInput & HookEventFields['BeforeToolSelection'];
export type BeforeAgentInput = HookInput & HookEventFields['BeforeAgent'];
export type AfterAgentInput = HookInput & HookEventFields['AfterAgent'];
export type SessionStartInput = HookInput & HookEventFields['SessionStart'];
export type SessionEndInput = HookInput & HookEventFields['SessionEnd'];
export type PreCompressInput = HookInput & HookEventFields['PreCompress'];
export type NotificationInput = HookInput & HookEventFields['Notification'];
