/**
 * `hookmachine/models`: models for the agent loop. A provider's package is loaded when its model is created.
 */

export { aiSdkModel, type AiSdkModelOptions } from '../agent/models/ai-sdk.ts';
export { createModel, type CreateModelOptions } from '../agent/models/create-model.ts';
export { googleModel, type GoogleClient } from '../agent/models/google.ts';
export { ModelError } from '../agent/models/model-error.ts';
export type { GenerateOptions, Model, ModelRequest } from '../core/translate/model.ts';
export { modelFromTurns, scriptedModel, type ScriptedTurn } from '../agent/models/scripted.ts';
