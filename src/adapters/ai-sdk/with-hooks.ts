import { AgentHooks } from '../parts/agent-hooks.ts';
import { type HooksHandle, handleOf } from '../parts/handle.ts';
import { guarded } from './guard-tool.ts';
import { canAsk } from './model-calls.ts';
import { guardedModel } from './model.ts';
import { adapterOptions, type AiSdkOptions } from './options.ts';
import type { AiSdkModel, AiSdkTools } from './types.ts';

/** Options of `withHooks`. */
export interface WithHooksOptions<
  Model extends AiSdkModel,
  Tools extends AiSdkTools,
> extends AiSdkOptions {
  /** A model object, such as `openai('gpt-5')`; a name alone does not say who makes it. */
  readonly model: Model;
  readonly tools?: Tools;
}

/** A model and tools with hooks around them. */
export interface WithHooks<Model extends AiSdkModel, Tools extends AiSdkTools> {
  readonly model: Model;
  readonly tools: Tools;
  readonly hooks: HooksHandle;
}

/**
 * Puts hooks around a model and its tools, for `generateText`, `streamText` and the agents of AI SDK 5, 6 and
 * 7. Unless `isTrustedFolder` or `checkTrust` is given, the project's hooks run without a question: the host
 * has decided for itself that it trusts the folder.
 *
 * @example
 * const { model, tools } = withHooks({ model: openai('gpt-5'), tools: { read, write }, cwd: process.cwd() });
 * await generateText({ model, tools, prompt: 'Tidy up' });
 */
export function withHooks<
  Model extends AiSdkModel,
  Tools extends AiSdkTools = Readonly<Record<string, never>>,
>(options: WithHooksOptions<Model, Tools>): WithHooks<Model, Tools> {
  const { model, tools, modelFor } = options;
  checkModel(model);
  const hooks = new AgentHooks(adapterOptions(options));
  const guardedTools = Object.fromEntries(
    Object.entries(tools ?? {}).map(([name, tool]) => [name, guarded(tool, name, hooks)]),
  ) as unknown as Tools;
  const isGuarded = (name: string): boolean =>
    Object.hasOwn(guardedTools, name) && guardedTools[name]?.execute !== undefined;
  const asks = (name: string): boolean => Object.hasOwn(guardedTools, name) && canAsk(model);
  return {
    model: guardedModel(model, { hooks, isGuarded, canAsk: asks, modelFor }),
    tools: guardedTools,
    hooks: handleOf(hooks),
  };
}

const specifications: readonly unknown[] = ['v2', 'v3', 'v4'];

/** A model that is not an object, or has a future specification, would be unguarded. */
function checkModel(model: unknown): void {
  const version = (model as Partial<AiSdkModel> | undefined)?.specificationVersion;
  if (specifications.includes(version)) return;
  throw new TypeError(
    typeof model === 'string'
      ? `withHooks needs a model object, but "${model}" is a name: pass one such as openai("gpt-5") or gateway("${model}")`
      : version === undefined
        ? 'withHooks needs an AI SDK model object, such as openai("gpt-5")'
        : `language models of specification ${version} are not supported; use one of v2, v3, v4`,
  );
}
