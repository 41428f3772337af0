/**
 * `hookmachine`: the core. It loads none of the other parts, which have their own entry points in `entries/`.
 */

export { HookmachineError, isHookmachineError, type HookmachineErrorCode } from './errors.ts';
export { createConfig, type CreateConfigOptions } from './hooks/create-config.ts';
export type { HookSystemConfig } from './hooks/hook-system-config.ts';
export { HookSystem, HookSystemNotInitializedError } from './hooks/hook-system.ts';
export { HookRegistry } from './hooks/hook-registry.ts';
export type { RegisteredHook } from './settings/hook-definition.ts';
export { HookEventHandler, type FireOptions } from './hooks/hook-event-handler.ts';
export type { AggregatedHookResult, HookExecutionResult } from './verdict/results.ts';
export { processHookResult, type ProcessedHookResult } from './verdict/results.ts';
export { buildFailureEnvelope } from './hooks/event-result.ts';
export type { HookFailure, HookStage } from './verdict/results.ts';
export type { HookTelemetryEvents, HookTelemetryListener } from './telemetry.ts';
export type { HookBatchSummary, HookFailureDiagnostic, HookRecord } from './telemetry.ts';
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

export { executeToolWithHooks } from './agent/run-tool-call.ts';
export { fireAfterToolHook, fireBeforeToolHook } from './agent/hook-triggers.ts';
export {
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
} from './agent/hook-triggers.ts';
export type { InspectObserver } from './telemetry.ts';

export { HookEventName, hookEventNames, type HookSource } from './protocol/events.ts';
export { isEventFields, type OutsideEventFields } from './protocol/fields.ts';
export type * from './protocol/input.ts';
export type * from './protocol/llm.ts';
export type { HookDecision, HookOutput } from './protocol/output.ts';
export { AfterToolHookOutput, BeforeToolHookOutput, DefaultHookOutput } from './protocol/output.ts';
export { createHookOutput, createSpecificHookOutput } from './translate/model-outputs.ts';
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
} from './protocol/output.ts';
export type { ContentPart, LlmContent, ToolResult } from './protocol/tool-result.ts';
export type { Change, HookConflict, Verdict } from './dialects/verdict.ts';
export type { Answer, Decision, Effect } from './dialects/answer.ts';
export { hookPoints, type HookPoint, type HookPointId, type Slot } from './hook-points.ts';
export type { ConversationMessage, EventContext, InvokedBy } from './dialects/event-context.ts';
export type { HookDefinition, HookType, UnaskedHook } from './settings/hook-definition.ts';
export type { HookFunction } from '../machines/hook-process.ts';
export type { HookExtension } from './settings/extensions.ts';
export type { SettingsProblem } from './settings/problem.ts';
export type { HookTrust } from './trust/hook-trust.ts';
export type { FunctionHook, Settings, SettingsInCode } from './settings/schema.ts';
