/** `hookmachine/agent`: an agent loop, a tool scheduler and tools, all with hooks. */

export { ChatLoop, type ChatLoopOptions } from '../agent/loop/chat-loop.ts';
export type {
  CallKeeper,
  EndedKeptCall,
  KeptOutcome,
  KeptQuestion,
} from '../core/calls/call-keeper.ts';
export type { OpenKeptCall, OpenKeptOptions } from '../core/calls/call-keeper.ts';
export type { ChatEvent, HookReport, SuspendedToolCall } from '../agent/loop/chat-events.ts';
export type { HookChange } from '../agent/loop/hook-changes.ts';
export {
  ToolScheduler,
  type CompletedToolCall,
  type ToolBatch,
  type ToolSchedulerOptions,
} from '../agent/loop/tool-scheduler.ts';
export {
  beginToolCall,
  type BeginToolCallOptions,
  type OpenToolCall,
  type ToolCallVerdict,
} from '../core/calls/open-tool-call.ts';
export {
  runModelCall,
  type CallNeutralModel,
  type EndedNeutralCall,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponse,
} from '../core/calls/run-model-call.ts';
export type { ModelCallOptions } from '../core/calls/genai-model-call.ts';
export type { ModelCallFollower, ModelEvent, OnHooks } from '../core/calls/model-call-ports.ts';
export type { AnswerText } from '../../machines/model-call.ts';
export type {
  EndedToolCall,
  ToolCallQuestion,
  ToolCallRequest,
} from '../core/calls/run-tool-call.ts';
export type { StopRequest } from '../core/calls/tool-effects.ts';
export type { JsonSchema, StandardSchema, ToolParameters } from '../agent/loop/tool-parameters.ts';
export type { ConfirmRequest } from '../agent/loop/chat-session.ts';
export type { GuardedWrite, Tool, ToolContext, Tools } from '../agent/loop/tool.ts';
export { builtInTools } from '../agent/tools/index.ts';
