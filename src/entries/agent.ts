/** `hookmachine/agent`: an agent loop, a tool scheduler and tools, all with hooks. */

export { ChatLoop, type ChatLoopOptions } from '../agent/chat-loop.ts';
export type { ChatEvent, HookReport } from '../agent/chat-events.ts';
export type { HookChange } from '../agent/hook-changes.ts';
export {
  ToolScheduler,
  type CompletedToolCall,
  type ToolBatch,
  type ToolSchedulerOptions,
} from '../agent/tool-scheduler.ts';
export type { ToolCallRequest } from '../agent/tool-call.ts';
export type { StopRequest } from '../agent/tool-call.ts';
export type { GuardedWrite, Tool, ToolContext } from '../agent/tool.ts';
export { builtInTools } from '../agent/tools/index.ts';
