/**
 * `hookmachine/models`: models for the agent loop. A provider's package is loaded when its model is created.
 */

export { aiSdkModel, type AiSdkModelOptions } from '../models/ai-sdk.ts';
export { createModel, type CreateModelOptions } from '../models/create-model.ts';
export { googleModel, type GoogleClient } from '../models/google.ts';
export { ModelError } from '../models/model-error.ts';
export type { GenerateOptions, Model, ModelRequest } from '../models/model.ts';
export { modelFromTurns, scriptedModel, type ScriptedTurn } from '../models/scripted.ts';
