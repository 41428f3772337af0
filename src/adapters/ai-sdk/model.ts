import type { NeutralPart, NeutralResponse } from '../../core/calls/run-model-call.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import {
  type Answering,
  type AskedModel,
  type ChangeAnswer,
  generated,
  streamed,
} from './model-calls.ts';
import type { AiSdkModel, CallOptions, GenerateResult, StreamResult } from './types.ts';

/** Makes the model for a request in which a hook names another one. */
export type ModelFor = (modelId: string) => AiSdkModel;

interface GuardedModelOptions {
  readonly hooks: AgentHooks;
  /** Whether denied calls of a tool reach one of our tools, which reports the denial. */
  readonly isGuarded: (toolName: string) => boolean;
  /** Whether the user can be asked about a tool; default: whether the model's SDK can ask. */
  readonly canAsk?: NonNullable<Answering['canAsk']>;
  readonly modelFor?: ModelFor | undefined;
  readonly complete?: NonNullable<Answering['complete']>;
}

/** A model object with hooks around each of its calls; everything else is the model's own. */
export function guardedModel<Model extends AiSdkModel>(
  model: Model,
  { hooks, isGuarded, modelFor, ...asking }: GuardedModelOptions,
): Model {
  const asked = askedModel(model, hooks, modelFor);
  const how: Answering = { change: withoutDenied(hooks, isGuarded), ...asking };
  const ours: Methods = {
    doGenerate: (options) => generated(hooks, asked, options, how),
    doStream: (options) => streamed(hooks, asked, options, how),
  };
  return new Proxy(model, {
    get(target, key) {
      if (key === 'doGenerate' || key === 'doStream') return ours[key];
      const value: unknown = Reflect.get(target, key, target);
      // A model may have private fields, which a proxy lacks.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A model, asked with what hooks left. A hook may choose another model if the user gives `modelFor`. */
export function askedModel(
  model: AiSdkModel,
  hooks: AgentHooks,
  modelFor: ModelFor | undefined,
): AskedModel {
  const chosen = (modelId: string): Methods => {
    if (modelId === model.modelId || modelId === '') return model as unknown as Methods;
    if (modelFor) return modelFor(modelId) as unknown as Methods;
    hooks.notices.warnOnce(
      `a hook wants the model ${modelId}, but ${model.modelId} was used: pass \`modelFor\` to let hooks choose`,
    );
    return model as unknown as Methods;
  };
  return {
    specificationVersion: model.specificationVersion,
    modelId: model.modelId,
    generate: (options, modelId) => chosen(modelId).doGenerate(options),
    stream: (options, modelId) => chosen(modelId).doStream(options),
  };
}

interface Methods {
  doGenerate(options: CallOptions): PromiseLike<GenerateResult>;
  doStream(options: CallOptions): PromiseLike<StreamResult>;
}

/**
 * Takes denied calls out of an answer if none of our tools would report the denial: a page in a browser, for
 * example, runs its tools without knowing of hooks.
 */
export const withoutDenied =
  (hooks: AgentHooks, isGuarded: (toolName: string) => boolean): ChangeAnswer =>
  async (response: NeutralResponse) => {
    const parts = await Promise.all(
      response.parts.map(async (part): Promise<NeutralPart> => {
        const { call } = part;
        if (call === undefined || isGuarded(call.name)) return part;
        if (hooks.verdictOf(call)?.status !== 'ended') return part;
        const { toolResult } = await hooks.tool(call, () => Promise.reject(new Error('denied')));
        return { text: textsIn(toolResult.llmContent) };
      }),
    );
    return parts.every((part, index) => part === response.parts[index])
      ? response
      : { ...response, parts };
  };
