/** `hookmachine/agent`: an agent loop, a tool scheduler and tools, all with hooks. */

export { ChatLoop, type ChatLoopOptions } from '../agent/chat-loop.ts';
export type { CallKeeper, EndedKeptCall, KeptOutcome, KeptQuestion } from '../agent/call-keeper.ts';
export type { OpenKeptCall, OpenKeptOptions } from '../agent/call-keeper.ts';
export type { ChatEvent, HookReport, SuspendedToolCall } from '../agent/chat-events.ts';
export type { HookChange } from '../agent/hook-changes.ts';
export {
  ToolScheduler,
  type CompletedToolCall,
  type ToolBatch,
  type ToolSchedulerOptions,
} from '../agent/tool-scheduler.ts';
export {
  beginToolCall,
  type BeginToolCallOptions,
  type OpenToolCall,
  type ToolCallVerdict,
} from '../agent/open-tool-call.ts';
export {
  runModelCall,
  type CallNeutralModel,
  type EndedNeutralCall,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponse,
} from '../agent/run-model-call.ts';
export type { ModelCallOptions } from '../agent/genai-model-call.ts';
export type { ModelCallFollower, ModelEvent, OnHooks } from '../agent/model-call-ports.ts';
export type { AnswerText } from '../../machines/model-call.ts';
export type {
  EndedToolCall,
  StopRequest,
  ToolCallQuestion,
  ToolCallRequest,
} from '../agent/run-tool-call.ts';
export type { JsonSchema, StandardSchema, ToolParameters } from '../agent/tool-parameters.ts';
export type { ConfirmRequest } from '../agent/chat-session.ts';
export type { GuardedWrite, Tool, ToolContext } from '../agent/tool.ts';
export { builtInTools } from '../agent/tools/index.ts';
