/**
 * `hookmachine`: the core. It loads none of the other parts, which have their own entry points in `entries/`.
 */

export { HookmachineError, isHookmachineError, type HookmachineErrorCode } from './base/errors.ts';
export { createConfig, type CreateConfigOptions } from './hosts/system/create-config.ts';
export type { HookSystemConfig } from './hosts/system/hook-system-config.ts';
export { HookSystem, HookSystemNotInitializedError } from './hosts/system/hook-system.ts';
export { HookRegistry } from './hosts/system/hook-registry.ts';
export type { RegisteredHook } from './core/definitions/hook-definition.ts';
export { HookEventHandler } from './core/run/hook-event-handler.ts';
export type { FireOptions } from './core/run/planned-event.ts';
export type { AggregatedHookResult, HookExecutionResult } from './core/answers/results.ts';
export { processHookResult, type ProcessedHookResult } from './core/answers/results.ts';
export { buildFailureEnvelope } from './core/run/event-result.ts';
export type { HookFailure, HookStage } from './core/answers/results.ts';
export type { HookTelemetryEvents, HookTelemetryListener } from './core/run/telemetry.ts';
export type { HookBatchSummary, HookFailureDiagnostic, HookRecord } from './core/run/telemetry.ts';
export {
  MessageBusType,
  type EmitterBus,
  type HookBusError,
  type HookBusErrorCode,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type MessageBus,
  type PublishingBus,
} from './core/bus/message-bus.ts';

export { executeToolWithHooks } from './core/calls/run-tool-call.ts';
export { fireAfterToolHook, fireBeforeToolHook } from './core/calls/hook-triggers.ts';
export {
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
} from './core/calls/hook-triggers.ts';
export type { InspectObserver } from './core/host/config.ts';

export { HookEventName, hookEventNames, type HookSource } from './core/protocol/events.ts';
export { isEventFields, type OutsideEventFields } from './core/protocol/fields.ts';
export type * from './core/protocol/input.ts';
export type * from './core/protocol/llm.ts';
export type { HookDecision, HookOutput } from './core/protocol/output.ts';
export {
  AfterToolHookOutput,
  BeforeToolHookOutput,
  DefaultHookOutput,
} from './core/protocol/output.ts';
export { createHookOutput, createSpecificHookOutput } from './core/translate/model-outputs.ts';
export {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from './core/translate/model-outputs.ts';
export { defaultHookTranslator, type HookTranslator } from './core/translate/genai-v1.ts';
export type * from './core/translate/genai-types.ts';
export {
  EXIT_CODE_BLOCKING_ERROR,
  EXIT_CODE_NON_BLOCKING_ERROR,
  EXIT_CODE_SUCCESS,
} from './core/protocol/output.ts';
export type { ContentPart, LlmContent, ToolResult } from './core/protocol/tool-result.ts';
export type { Change, HookConflict, Verdict } from './core/answers/verdict.ts';
export type { Answer, Decision, Effect } from './core/answers/answer.ts';
export {
  hookPoints,
  type HookPoint,
  type HookPointId,
  type Slot,
} from './core/points/hook-points.ts';
export type { ConversationMessage, EventContext, InvokedBy } from './core/answers/event-context.ts';
export type { HookDefinition, HookType, UnaskedHook } from './core/definitions/hook-definition.ts';
export type { HookFunction } from '../machines/hook-process.ts';
export type { HookExtension } from './core/definitions/settings.ts';
export type { SettingsProblem } from './core/definitions/problem.ts';
export type { HookTrust } from './core/definitions/hook-trust.ts';
export type { FunctionHook, Settings, SettingsInCode } from './settings/format/json-schema.ts';
