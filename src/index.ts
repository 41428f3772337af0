/** The public face of hookmachine. */

export { createConfig, type CreateConfigOptions } from './hooks/create-config.ts';
export type { HookSystemConfig } from './hooks/config.ts';
export { HookSystem, HookSystemNotInitializedError } from './hooks/hook-system.ts';
export { HookRegistry, type RegisteredHook } from './hooks/hook-registry.ts';
export { HookEventHandler, type FireOptions } from './hooks/hook-event-handler.ts';
export type { AggregatedHookResult, HookExecutionResult } from './hooks/results.ts';
export { processHookResult, type ProcessedHookResult } from './hooks/processed-result.ts';
export { buildFailureEnvelope, type HookFailure, type HookStage } from './hooks/failure.ts';
export type { HookTelemetryEvents, HookTelemetryListener } from './hooks/telemetry.ts';
export type {
  HookBatchSummary,
  HookFailureDiagnostic,
  HookRecord,
} from './hooks/telemetry-records.ts';
export {
  MessageBusType,
  type EmitterBus,
  type HookBusError,
  type HookBusErrorCode,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type MessageBus,
  type PublishingBus,
} from './bus/message-bus.ts';

export {
  executeToolWithHooks,
  fireAfterToolHook,
  fireBeforeToolHook,
} from './agent/tool-hook-triggers.ts';
export {
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
} from './agent/model-hook-triggers.ts';
export { ChatLoop, type ChatLoopOptions } from './agent/chat-loop.ts';
export type { ChatEvent, HookReport } from './agent/chat-events.ts';
export {
  ToolScheduler,
  type CompletedToolCall,
  type ToolBatch,
  type ToolSchedulerOptions,
} from './agent/tool-scheduler.ts';
export type { ToolCallRequest } from './agent/tool-call.ts';
export type { StopRequest } from './agent/tool-effects.ts';
export type { Tool, ToolContext } from './agent/tool.ts';
export { builtInTools } from './agent/tools/index.ts';

export { aiSdkModel, type AiSdkModelOptions } from './models/ai-sdk.ts';
export { createModel, type CreateModelOptions } from './models/create-model.ts';
export { googleModel, type GoogleClient } from './models/google.ts';
export { ModelError } from './models/model-error.ts';
export type { GenerateOptions, Model, ModelRequest } from './models/model.ts';
export { modelFromTurns, scriptedModel, type ScriptedTurn } from './models/scripted.ts';

export type { JournalEntry, RecordingHeader } from './journal/entry.ts';
export { journalTo, type Journal, type JournalOptions } from './journal/journal.ts';
export { observeAll } from './journal/observe-all.ts';
export type { InspectObserver, RunOrigin } from './hooks/origin.ts';
export { readRecording, type ReadRecordingOptions } from './journal/read-recording.ts';
export { RecordingError } from './journal/recording-error.ts';
export { redactSettings } from './journal/redact-settings.ts';
export {
  startRecording,
  type Recording,
  type RecordingOptions,
} from './journal/start-recording.ts';

export { StatelyError } from './stately/stately-error.ts';
export {
  statelyInspector,
  type StatelyInspector,
  type StatelyInspectorOptions,
} from './stately/stately-inspector.ts';

export { HookEventName, hookEventNames, type HookSource } from './protocol/events.ts';
export { isEventFields, type OutsideEventFields } from './protocol/event-fields.ts';
export type * from './protocol/input.ts';
export type * from './protocol/llm.ts';
export type { HookDecision, HookOutput } from './protocol/output.ts';
export {
  AfterToolHookOutput,
  BeforeToolHookOutput,
  DefaultHookOutput,
} from './protocol/output-classes.ts';
export { createHookOutput, createSpecificHookOutput } from './translate/create-hook-output.ts';
export {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from './translate/model-outputs.ts';
export { defaultHookTranslator, type HookTranslator } from './translate/genai-v1.ts';
export type * from './translate/genai-types.ts';
export {
  EXIT_CODE_BLOCKING_ERROR,
  EXIT_CODE_NON_BLOCKING_ERROR,
  EXIT_CODE_SUCCESS,
} from './protocol/exit-codes.ts';
export type { ContentPart, LlmContent, ToolResult } from './protocol/tool-result.ts';
export type { HookConflict } from './dialects/merge/field-set.ts';
export type {
  CallResult,
  CheckedCall,
  Dialect,
  DialectOutline,
  ReadCall,
} from './dialects/dialect.ts';
export type { Answer } from './dialects/answer.ts';
export type { ConversationMessage, EventContext, InvokedBy } from './dialects/event-context.ts';
export type { HookPayload } from '../machines/hook-event.ts';
export type { HookProcessOutcome } from '../machines/hook-process.ts';
export type { HooksFromSource } from './settings/define-hooks.ts';
export type { FoundHooks, HookSite, UnaskedHook } from './dialects/hook-site.ts';
export { defaultDialects } from './dialects/index.ts';
export {
  startInspector,
  type Inspectable,
  type InspectorOptions,
  type LiveInspector,
} from './inspector/start-inspector.ts';
export { kodelet, kodeletStrict } from './dialects/kodelet/index.ts';
export { llxprt } from './dialects/llxprt/index.ts';
export type { HookDefinition } from './settings/hook-definition.ts';
export type { HookExtension } from './settings/extensions.ts';
export type { SettingsProblem } from './settings/problem.ts';
export type { HookTrust } from './trust/hook-trust.ts';
export { settingsJsonSchema, type Settings } from './settings/schema.ts';

export { agentTurnMachine } from '../machines/agent-turn.ts';
export { hookEventMachine } from '../machines/hook-event.ts';
export { hookProcessMachine } from '../machines/hook-process.ts';
export { modelCallMachine } from '../machines/model-call.ts';
export { toolCallMachine } from '../machines/tool-call.ts';
