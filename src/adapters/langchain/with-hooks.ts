import type { AdapterOptions } from '../parts/options.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { guardModel } from './guard-model.ts';
import { type GuardableTool, guardTool } from './guard-tool.ts';
import { hooksOf } from './hooks-of.ts';

/** A model and tools with the user's hooks around them. */
export interface WithHooks<Model, Tools> extends AsyncDisposable {
  readonly model: Model;
  readonly tools: Tools;
  /** Ends the session: open calls are cancelled and SessionEnd hooks run. */
  end(reason?: Parameters<AgentHooks['end']>[0]): Promise<void>;
}

/**
 * Puts the user's hooks around the model and the tools of a graph without `createAgent`.
 *
 * @example
 * const { model, tools } = withHooks({ model: new ChatOpenAI({ model: 'gpt-5' }), tools: [read, write], cwd });
 * const graph = createReactAgent({ llm: model, tools });
 */
export function withHooks<Model extends object, const Tools extends readonly GuardableTool[]>({
  model,
  tools,
  ...options
}: AdapterOptions & { readonly model: Model; readonly tools: Tools }): WithHooks<Model, Tools> {
  const hooks = hooksOf(options);
  return {
    model: guardModel(model, options),
    tools: tools.map((tool) => guardTool(tool, options)) as unknown as Tools,
    end: (reason) => hooks.end(reason),
    [Symbol.asyncDispose]: () => hooks.end(),
  };
}
